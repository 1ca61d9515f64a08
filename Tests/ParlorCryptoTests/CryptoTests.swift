import ParlorCrypto
import Testing

/// The bytes of a hexadecimal text.
private func hex(_ text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case 48...57: byte - 48
        case 97...102: byte - 87
        default: nil
        }
    }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

struct CryptoTests {
    @Test func `BLAKE2b-256 matches published values`() {
        #expect(
            Hash.blake2b256([]) == hex("0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"))
        #expect(
            Hash.blake2b256(Array("abc".utf8))
                == hex("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"))
    }

    @Test func `a key changes the hash`() {
        let bytes = Array("abc".utf8)
        #expect(Hash.keyed(bytes, key: []) == Hash.blake2b256(bytes))
        #expect(Hash.keyed(bytes, key: [1]) != Hash.keyed(bytes, key: [2]))
    }

    /// RFC 8032 section 7.1, tests 1 and 2.
    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                + "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ])
    func `Ed25519 matches the RFC`(seed: String, publicKey: String, message: String, signature: String) {
        let key = SigningKey(seed: hex(seed))
        #expect(key.publicKey == hex(publicKey))
        #expect(key.sign(hex(message)) == hex(signature))
        #expect(SigningKey.verify(hex(signature), of: hex(message), by: hex(publicKey)))
    }

    @Test func `a changed signature, message or key does not verify`() {
        let key = SigningKey(seed: .init(repeating: 7, count: 32))
        let message = Array("move".utf8)
        let signature = key.sign(message)
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!SigningKey.verify(changed, of: message, by: key.publicKey))
        }
        #expect(!SigningKey.verify(signature, of: message + [0], by: key.publicKey))
        #expect(
            !SigningKey.verify(
                signature, of: message, by: SigningKey(seed: .init(repeating: 8, count: 32)).publicKey))
        #expect(!SigningKey.verify([], of: message, by: key.publicKey))
        #expect(!SigningKey.verify(signature, of: message, by: []))
        #expect(!SigningKey.verify(signature, of: message, by: .init(repeating: 0, count: 32)))
    }

    @Test func `a sealed text opens for its receiver alone`() throws {
        let (ada, bea, eve) = (
            BoxKey(seed: .init(repeating: 1, count: 32)), BoxKey(seed: .init(repeating: 2, count: 32)),
            BoxKey(seed: .init(repeating: 3, count: 32))
        )
        let text = Array("e".utf8)
        let nonce = [UInt8](repeating: 9, count: BoxKey.nonceBytes)
        let sealed = try #require(ada.seal(text, to: bea.publicKey, nonce: nonce))
        #expect(bea.open(sealed, from: ada.publicKey) == text)
        #expect(eve.open(sealed, from: ada.publicKey) == nil)
        #expect(bea.open(sealed, from: eve.publicKey) == nil)
        #expect(bea.open(Array(sealed.dropLast()), from: ada.publicKey) == nil)
        #expect(bea.open([], from: ada.publicKey) == nil)
        #expect(ada.seal(text, to: [1, 2, 3], nonce: nonce) == nil)
    }

    @Test func `a key knows more others than it remembers, and none that is no key`() throws {
        let own = BoxKey(seed: .init(repeating: 1, count: 32))
        let others = (0..<100).map { BoxKey(seed: .init(repeating: UInt8(100 + $0), count: 32)) }
        let nonce = [UInt8](repeating: 9, count: BoxKey.nonceBytes)
        for round in 0..<3 {
            for (place, other) in others.enumerated() {
                let text = [UInt8(round), UInt8(place)]
                let sealed = try #require(other.seal(text, to: own.publicKey, nonce: nonce))
                #expect(own.open(sealed, from: other.publicKey) == text)
                #expect(own.open(sealed, from: others[(place + 1) % 100].publicKey) == nil)
            }
            // A point of small order, and what has another length.
            #expect(own.seal([1], to: .init(repeating: 0, count: 32), nonce: nonce) == nil)
            #expect(own.seal([1], to: [], nonce: nonce) == nil)
            #expect(own.open(.init(repeating: 7, count: 60), from: .init(repeating: 0, count: 32)) == nil)
        }
    }

    @Test func `several threads may ask a key at once`() async throws {
        let own = BoxKey(seed: .init(repeating: 1, count: 32))
        let others = (0..<8).map { BoxKey(seed: .init(repeating: UInt8(2 + $0), count: 32)) }
        let nonce = [UInt8](repeating: 9, count: BoxKey.nonceBytes)
        let sealed = try others.map { try #require($0.seal([7], to: own.publicKey, nonce: nonce)) }
        let opened = await withTaskGroup(of: Int.self) { group in
            for start in 0..<8 {
                group.addTask {
                    (0..<8).count { place in
                        let other = (start + place) % 8
                        return own.open(sealed[other], from: others[other].publicKey) == [7]
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(opened == 64)
    }

    @Test func `a secret box opens with its key alone`() {
        let key = [UInt8](repeating: 4, count: 32)
        let sealed = SecretBox.seal([1, 2, 3], key: key, nonce: .init(repeating: 5, count: 24))
        #expect(SecretBox.open(sealed, key: key) == [1, 2, 3])
        #expect(SecretBox.open(sealed, key: .init(repeating: 6, count: 32)) == nil)
        #expect(SecretBox.open([], key: key) == nil)
    }

    @Test func `randomness does not repeat`() {
        #expect(Entropy.bytes(32) != Entropy.bytes(32))
        #expect(Entropy.bytes(0).isEmpty)
    }
}
