import Foundation
import Testing

@testable import ParlorStore

@Suite struct IdentityFileTests {
    private let seed = Array(UInt8(0)..<32)
    private let golden = """
        parlor identity 1
        seed 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        check 07642b6c

        """

    @Test func `made once, then the same`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/\(IdentityFile.name)"
        #expect(try IdentityFile.readOrCreate(path, entropy: seed) == seed)
        #expect(try IdentityFile.readOrCreate(path, entropy: seed.reversed()) == seed)
        #expect(try mode(of: path) == 0o600)
        #expect(try folder.names == [IdentityFile.name])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == golden)
    }

    @Test func `the checksum is that of zlib`() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == [0xCB, 0xF4, 0x39, 0x26])
    }

    @Test func `of many that make it at once, one does and all get its seed`() async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/\(IdentityFile.name)"
        let seeds = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in UInt8(1)...32 {
                group.addTask {
                    try IdentityFile.readOrCreate(path, entropy: [UInt8](repeating: number, count: 32))
                }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(seeds.count == 1)
        #expect(try folder.names == [IdentityFile.name])
    }

    @Test func `any changed byte is noticed`() throws {
        let folder = try TemporaryFolder()
        for place in golden.utf8.indices {
            var bytes = Array(golden.utf8)
            bytes[golden.utf8.distance(from: golden.utf8.startIndex, to: place)] ^= 1
            let path = try folder.write(String(decoding: bytes, as: UTF8.self), to: "key")
            let error = try #require(throws: StoreError.self) { _ = try IdentityFile.read(path) }
            #expect(error.code == .damaged || error.code == .unknownVersion)
        }
    }

    @Test func `a wrong length is noticed`() throws {
        let folder = try TemporaryFolder()
        for text in [
            "", String(golden.dropLast()), golden + "\n", "parlor identity 1\n", "parlor identity 1",
        ] {
            let path = try folder.write(text, to: "key")
            #expect(try code(path) == .damaged)
        }
    }

    @Test func `a later version says so`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(golden.replacing("identity 1", with: "identity 2"), to: "key")
        #expect(try code(path) == .unknownVersion)
    }

    @Test(arguments: [0o644, 0o640, 0o660, 0o602, 0o601])
    func `a file that others may touch is refused and left alone`(mode: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(golden, to: "key", mode: mode)
        #expect(try code(path) == .tooOpen)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == golden)
    }

    @Test func `a link, a folder and nothing are told apart`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(golden, to: "key")
        #expect(symlink(path, "\(folder.path)/link") == 0)
        #expect(try code("\(folder.path)/link") == .notAFile)
        #expect(try code(folder.path) == .notAFile)
        #expect(try code("\(folder.path)/none") == .notFound)
    }

    @Test(.enabled(if: isRoot)) func `another user's file is refused`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(golden, to: "key")
        #expect(chown(path, 12_345, 12_345) == 0)
        #expect(try code(path) == .notOurs)
    }

    /// What reading the file fails with.
    private func code(_ path: String) throws -> StoreError.Code {
        try #require(throws: StoreError.self) { _ = try IdentityFile.read(path) }.code
    }
}
