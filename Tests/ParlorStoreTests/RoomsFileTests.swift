import Foundation
import Testing

@testable import ParlorStore

/// What was said to a person, from any thread.
final class Said: @unchecked Sendable {
    private let lock = NSLock()
    private var said: [String] = []

    var lines: [String] { lock.withLock { said } }
    func say(_ line: String) { lock.withLock { said.append(line) } }
}

@Suite struct RoomsFileTests {
    private let folder: TemporaryFolder
    private let said = Said()
    private var path: String { "\(folder.path)/\(RoomsFile.name)" }

    init() throws { folder = try TemporaryFolder() }

    private func open() -> (file: RoomsFile, rooms: [[UInt8]: [UInt8]]) {
        let file = RoomsFile(path: path, report: said.say)
        let rooms = Dictionary(uniqueKeysWithValues: file.load().map { ($0.id, $0.bytes) })
        return (file, rooms)
    }

    private func write(_ text: String) throws { _ = try folder.write(text, to: RoomsFile.name) }

    @Test func `rooms are there again as soon as they are set, whatever becomes of the writer`() throws {
        let (file, none) = open()
        #expect(none.isEmpty)
        file.set([1, 2], [0, 255])
        file.set([3], [])
        #expect(open().rooms == [[1, 2]: [0, 255], [3]: []])
        file.set([1, 2], [9])
        file.remove([3])
        file.remove([4])
        #expect(open().rooms == [[1, 2]: [9]])
        #expect(try mode(of: path) == 0o600)
        file.close()
        #expect(try folder.names == [RoomsFile.name])
        #expect(said.lines.isEmpty)
    }

    @Test(arguments: [
        "", "parlor rooms 1\n", "parlor rooms 1\nroom 01 02\ncheck 00000000\n", "something else\n",
        "parlor rooms 1\nroom 01\n",
    ])
    func `what is damaged is set aside, with a message`(text: String) throws {
        try write(text)
        let (file, rooms) = open()
        #expect(rooms.isEmpty)
        let names = try folder.names
        let aside = try #require(names.first)
        #expect(names.count == 1)
        #expect(aside.wholeMatch(of: /rooms\.damaged-\d{8}-\d{6}/) != nil)
        #expect(try String(contentsOfFile: "\(folder.path)/\(aside)", encoding: .utf8) == text)
        #expect(said.lines.count == 1)
        #expect(said.lines.first?.contains(aside) ?? false)
        file.set([1], [2])
        #expect(open().rooms == [[1]: [2]])
    }

    @Test func `any byte that differs is noticed`() throws {
        let (file, _) = open()
        file.set([1, 2], [3, 4])
        let content = try Data(contentsOf: URL(filePath: path))
        for index in content.indices {
            var changed = content
            changed[index] ^= 1
            try changed.write(to: URL(filePath: path))
            let before = said.lines.count
            #expect(open().rooms.isEmpty, "byte \(index)")
            #expect(said.lines.count == before + 1, "byte \(index)")
        }
    }

    @Test func `a second damaged file of the same second does not take the place of the first`() throws {
        for number in 1...2 {
            try write("damaged \(number)")
            _ = try SetAside.move(path, stamp: "20200102-030405")
        }
        #expect(try folder.names == ["rooms.damaged-20200102-030405", "rooms.damaged-20200102-030405-2"])
    }

    @Test func `a file of a newer version is left alone`() throws {
        let text = "parlor rooms 2\nwhatever\n"
        try write(text)
        let (file, rooms) = open()
        #expect(rooms.isEmpty)
        file.set([1], [2])
        file.remove([1])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        #expect(try folder.names == [RoomsFile.name])
        #expect(said.lines.count == 1)
        #expect(said.lines.first?.contains("version 2") ?? false)
    }

    @Test func `a folder that vanishes is told once, and when it is back all rooms are written`() throws {
        let (file, _) = open()
        file.set([1], [1])
        try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-away")
        file.set([2], [2])
        file.set([3], [3])
        #expect(said.lines.count == 1)
        try FileManager.default.moveItem(atPath: folder.path + "-away", toPath: folder.path)
        file.set([3], [3])
        #expect(open().rooms == [[1]: [1], [2]: [2], [3]: [3]])
        #expect(said.lines.count == 1)
    }
}
