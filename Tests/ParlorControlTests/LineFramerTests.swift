import ParlorControl
import Testing

struct LineFramerTests {
    @Test(arguments: 1...9)
    func `lines come out whole however the bytes are split`(size: Int) throws {
        let stream = Array("one\r\n\ntwo\nthree".utf8)
        var framer = LineFramer()
        var lines: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            framer.append(stream[start..<min(start + size, stream.count)])
            while let line = try framer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        }
        #expect(lines == ["one", "", "two"])
        #expect(framer.pendingBytes == 5)
    }

    @Test func `a span is taken like an array`() throws {
        var framer = LineFramer()
        framer.append(Array("a\nb".utf8).span)
        #expect(try framer.next() == [0x61])
        #expect(try framer.next() == nil)
    }

    @Test func `the longest line passes and a longer one is an error before its end comes`() throws {
        var framer = LineFramer()
        framer.append([UInt8](repeating: 0x20, count: LineFramer.lineBytesMax) + [0x0A])
        #expect(try framer.next()?.count == LineFramer.lineBytesMax)
        framer.append([UInt8](repeating: 0x20, count: LineFramer.lineBytesMax + 1))
        #expect(throws: LineTooLong.self) { try framer.next() }
    }
}
