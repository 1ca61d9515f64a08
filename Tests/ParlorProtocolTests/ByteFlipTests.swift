import Foundation
import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// No byte of an exported log can be changed without being noticed, and the fault is found where it is.
struct ByteFlipTests {
    /// A text cut into lines, with a reader that has taken everything before each line.
    private struct Prepared {
        let lines: [[UInt8]]
        let readers: [LogReader]

        init(_ text: [UInt8], words: WordList) throws {
            var lines: [[UInt8]] = [[]]
            for byte in text {
                lines[lines.count - 1].append(byte)
                if byte == UInt8(ascii: "\n") { lines.append([]) }
            }
            self.lines = lines.dropLast()
            var reader = LogReader(words: { _ in words }, signing: .ed25519)
            var readers: [LogReader] = []
            for line in self.lines {
                readers.append(reader)
                try reader.read(line)
            }
            _ = try reader.finish()
            self.readers = readers
        }

        /// The fault found when a line is changed: the reader goes on from before that line.
        func fault(line: Int, changed: [UInt8]) -> LogTextFault? {
            var reader = readers[line]
            do throws(LogTextFault) {
                try reader.read(changed)
                for rest in lines[(line + 1)...] { try reader.read(rest) }
                _ = try reader.finish()
                return nil
            } catch {
                return error
            }
        }
    }

    private static let parts = 8

    private static func golden() throws -> (text: [UInt8], words: WordList) {
        let file = "hangman-alone"
        let words = try #require(LogGoldenTests.kept.first { $0.file == file }).setup.words
        return (Array(try Golden.text("\(file).log").utf8), words)
    }

    /// A short match of two seats, with joint draws in it, that programs of chance played until one left.
    private static func simulated() throws -> (text: [UInt8], words: WordList) {
        var setup = SimTable.Setup(game: "snap", seats: 2)
        setup.options = [.init("max_flips", 10)]
        setup.realSignatures = true
        var table = try SimTable(setup, seed: 11)
        table.leave(1, afterMilliseconds: 1_500)
        let isOver = table.run(forSeconds: 60)
        #expect(isOver && table.machines[1].accepted.lastDraw > 0)
        return (Array(LogText.write(table.machines[1].log).utf8), setup.words)
    }

    /// Flips every byte of one part of the text: by one bit each, and some by others.
    private func flip(_ given: (text: [UInt8], words: WordList), part: Int) throws {
        let prepared = try Prepared(given.text, words: given.words)
        var place = 0
        for (line, bytes) in prepared.lines.enumerated() {
            for column in bytes.indices {
                defer { place += 1 }
                guard place % Self.parts == part else { continue }
                // To another digit, to another letter's case, out of ASCII, and to a line feed.
                let more: [UInt8] = [0x20, 0x80, 0xff, bytes[column] ^ 0x0a]
                let flips = [0x01] + (place / Self.parts % 9 == 0 ? more : []).filter { $0 != 0 }
                for flip in flips {
                    var changed = bytes
                    changed[column] ^= flip
                    let fault = prepared.fault(line: line, changed: changed)
                    // A change of the genesis shows at the latest in the first entry, any other in its line.
                    let places = line < 2 ? -1...0 : (line - 2)...(line - 2)
                    #expect(
                        fault.map { places.contains($0.index) } ?? false,
                        "byte \(column) of line \(line) by \(flip): \(String(describing: fault))")
                }
            }
        }
    }

    @Test(arguments: 0..<parts)
    func `every byte of a kept log, flipped, is found where it is`(part: Int) throws {
        try flip(Self.golden(), part: part)
    }

    @Test(arguments: 0..<parts)
    func `every byte of a simulated log, flipped, is found where it is`(part: Int) throws {
        try flip(Self.simulated(), part: part)
    }

    @Test func `a whole text read at once says the same as its lines`() throws {
        let (text, words) = try Self.golden()
        let prepared = try Prepared(text, words: words)
        var start = 0
        for (line, bytes) in prepared.lines.enumerated() {
            defer { start += bytes.count }
            for column in stride(from: line % 7, to: bytes.count, by: 331) {
                var changed = text
                changed[start + column] ^= 0x01
                let whole = String(decoding: changed, as: UTF8.self)
                let fault = #expect(throws: LogTextFault.self) {
                    try LogText.read(whole, words: { _ in words }, signing: .ed25519)
                }
                let line = prepared.fault(line: line, changed: Array(changed[start..<start + bytes.count]))
                #expect(fault == line)
            }
        }
    }

    @Test(arguments: [1, 2, 7, 64, 4_096])
    func `pieces of any size read the same`(size: Int) throws {
        let (text, words) = try Self.simulated()
        var reader = LogReader(words: { _ in words }, signing: .ed25519)
        for start in stride(from: 0, to: text.count, by: size) {
            try reader.read(text[start..<min(start + size, text.count)])
        }
        let log = try reader.finish()
        #expect(Array(LogText.write(log).utf8) == text)
    }

    @Test func `a line without end is refused while it is read`() throws {
        var reader = LogReader(words: { _ in nil }, signing: .ed25519)
        let piece = [UInt8](repeating: 0, count: 1_024)
        let fault = #expect(throws: LogTextFault.self) {
            for _ in 0...(Limits.logLineBytesMax / piece.count) { try reader.read(piece) }
        }
        #expect(fault?.index == -1 && fault?.fault.rule == .malformed)
    }
}
