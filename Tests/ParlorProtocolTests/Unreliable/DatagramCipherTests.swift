import ParlorCrypto
import Testing

@testable import ParlorProtocol

@Suite struct DatagramCipherTests {
    private static let exported = (0..<64).map { UInt8($0) }

    /// The ciphers of a dialler, whose datagrams carry link ID 2, and of its listener, reached by 7.
    private func pair(exported: [UInt8] = exported) -> (dialler: DatagramCipher, listener: DatagramCipher) {
        let dialler = DatagramCipher(
            keys: DatagramKeys(exported: exported, role: .dialler), ownLinkID: 2, peerLinkID: 7)
        let listener = DatagramCipher(
            keys: DatagramKeys(exported: exported, role: .listener), ownLinkID: 7, peerLinkID: 2)
        return (dialler, listener)
    }

    @Test func `a datagram is its header and the message sealed with the sender's half of the key`() throws {
        var (dialler, listener) = pair()
        let header: [UInt8] = [1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 1]
        let client = PacketKey(Array(Self.exported[..<32]))
        let datagram = dialler.seal([5, 6])
        #expect(
            datagram
                == header + client.seal([5, 6], additional: header, nonce: Array(header.dropFirst())))
        #expect(DatagramCipher.linkID(of: datagram) == 7)
        #expect(try listener.open(datagram) == .init(message: [5, 6], isNewest: true))
        #expect(dialler.seal([5, 6])[12] == 2)

        let answer: [UInt8] = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1]
        let server = PacketKey(Array(Self.exported[32...]))
        let back = listener.seal([])
        #expect(back == answer + server.seal([], additional: answer, nonce: Array(answer.dropFirst())))
        #expect(try dialler.open(back).message == [])
    }

    @Test func `nothing comes twice, and only the newest says where the peer is`() throws {
        var (dialler, listener) = pair()
        let datagrams = (0..<3).map { dialler.seal([UInt8($0)]) }
        #expect(try listener.open(datagrams[1]) == .init(message: [1], isNewest: true))
        #expect(try listener.open(datagrams[0]) == .init(message: [0], isNewest: false))
        #expect(throws: DatagramRefusal.replayed) { try listener.open(datagrams[0]) }
        #expect(throws: DatagramRefusal.replayed) { try listener.open(datagrams[1]) }
        #expect(try listener.open(datagrams[2]) == .init(message: [2], isNewest: true))
    }

    @Test func `what is changed, cut, reflected or of other keys is refused and changes nothing`() throws {
        var (dialler, listener) = pair()
        let datagram = dialler.seal([1, 2, 3])
        for place in datagram.indices {
            var changed = datagram
            changed[place] ^= 0x10
            // A counter of 0 aside, every other counter is one that may yet come.
            let reason: DatagramRefusal = place < 5 ? .notOurs : .forged
            #expect(throws: reason, "byte \(place)") { try listener.open(changed) }
        }
        for count in 0..<datagram.count {
            let reason: DatagramRefusal = count < 29 ? .notOurs : .forged
            #expect(throws: reason, "\(count) bytes") { try listener.open(Array(datagram[..<count])) }
        }
        #expect(throws: DatagramRefusal.forged) { try listener.open(datagram + [0]) }
        let long = datagram + [UInt8](repeating: 0, count: 1_200 - datagram.count)
        #expect(throws: DatagramRefusal.forged) { try listener.open(long) }
        #expect(throws: DatagramRefusal.notOurs) { try listener.open(long + [0]) }
        #expect(throws: DatagramRefusal.notOurs, "its own, sent back") { try dialler.open(datagram) }

        var toItself = DatagramCipher(
            keys: DatagramKeys(exported: Self.exported, role: .dialler), ownLinkID: 7, peerLinkID: 7)
        let reflected = toItself.seal([1])
        #expect(throws: DatagramRefusal.forged, "its own, where both have one ID") {
            try toItself.open(reflected)
        }
        var (stranger, _) = pair(exported: [UInt8](repeating: 9, count: 64))
        let foreign = stranger.seal([1, 2, 3])
        #expect(throws: DatagramRefusal.forged) { try listener.open(foreign) }
        #expect(try listener.open(datagram).isNewest)
    }

    @Test func `a counter of zero is refused`() {
        var (_, listener) = pair()
        let header: [UInt8] = [1, 0, 0, 0, 7] + [UInt8](repeating: 0, count: 8)
        let client = PacketKey(Array(Self.exported[..<32]))
        let datagram = header + client.seal([1], additional: header, nonce: Array(header.dropFirst()))
        #expect(throws: DatagramRefusal.replayed) { try listener.open(datagram) }
    }

    @Test func `a link ID is read of what may be a datagram alone`() {
        let datagram = [1, 0xFF, 0xFE, 0xFD, 0xFC] + [UInt8](repeating: 0, count: 24)
        #expect(DatagramCipher.linkID(of: datagram) == 0xFFFE_FDFC)
        #expect(DatagramCipher.linkID(of: Array(datagram.dropLast())) == nil)
        #expect(DatagramCipher.linkID(of: [2] + datagram.dropFirst()) == nil)
        #expect(DatagramCipher.linkID(of: datagram + [UInt8](repeating: 0, count: 1_172)) == nil)
        #expect(DatagramCipher.linkID(of: []) == nil)
    }

    // MARK: The window

    @Test(arguments: UInt64(1)...100)
    func `the window is a set of what came, without what is too old`(seed: UInt64) {
        var random = Seeded(seed: seed)
        var window = ReplayWindow()
        var seen: Set<UInt64> = []
        var newest: UInt64 = 0
        let steps: [UInt64] = [1, 2, 3, 60, 64, 65, 1_000, 1_023, 1_024, 1_025, 3_000]
        for step in 0..<1_500 {
            let counter: UInt64
            switch Int.random(in: 0..<4, using: &random) {
            case 0: counter = newest + 1
            case 1 where random.oneIn(10): counter = newest + (steps.randomElement(using: &random) ?? 1)
            case 2:
                let back = steps.randomElement(using: &random) ?? 1
                counter = newest > back ? newest - back : 0
            default:
                counter = UInt64.random(
                    in: (newest > 1_100 ? newest - 1_100 : 0)...newest + 2, using: &random)
            }
            let isNew = counter > 0 && !seen.contains(counter) && counter + 1_024 > newest
            #expect(window.allows(counter) == isNew, "seed \(seed), step \(step): \(counter) of \(newest)")
            guard window.allows(counter) else { continue }
            window.note(counter)
            seen.insert(counter)
            newest = max(newest, counter)
            #expect(window.newest == newest)
        }
        #expect(seen.count > 300, "seed \(seed)")
    }

    @Test func `the highest counter is one like any other`() {
        var window = ReplayWindow()
        window.note(.max)
        #expect(!window.allows(.max))
        #expect(window.allows(.max - 1_023))
        #expect(!window.allows(.max - 1_024))
    }
}
