/// A peer of the control socket sent a line longer than ``LineFramer/lineBytesMax``.
public struct LineTooLong: Error, Hashable, Sendable {
    /// Makes the error.
    public init() {}
}

/// Cuts a stream of bytes, split anywhere, into lines.
///
/// Append what arrives, then call ``next()`` until it returns `nil`. After an error the stream cannot
/// be trusted any more: close it.
public struct LineFramer: Sendable {
    /// The most bytes in one line, its ending not counted.
    public static let lineBytesMax = 2 * 1_048_576

    private var buffer: [UInt8] = []
    private var start = 0
    private var searched = 0

    /// Makes an empty framer.
    public init() {}

    /// Takes the next bytes of the stream.
    public mutating func append(_ bytes: some Collection<UInt8>) {
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// Takes the next bytes of the stream.
    public mutating func append(_ bytes: Span<UInt8>) {
        compact()
        buffer.reserveCapacity(buffer.count + bytes.count)
        for index in bytes.indices { buffer.append(bytes[index]) }
    }

    /// The next whole line, without its line feed and a carriage return before that; `nil` when more bytes
    /// are needed.
    ///
    /// Empty lines are returned as they are.
    public mutating func next() throws(LineTooLong) -> [UInt8]? {
        guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.count
            guard buffer.count - start <= Self.lineBytesMax else { throw LineTooLong() }
            return nil
        }
        var line = buffer[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.count <= Self.lineBytesMax else { throw LineTooLong() }
        let result = Array(line)
        start = end + 1
        searched = start
        return result
    }

    /// How many bytes wait for the end of their line.
    public var pendingBytes: Int { buffer.count - start }

    private mutating func compact() {
        guard start > 0 else { return }
        buffer.removeFirst(start)
        searched -= start
        start = 0
    }
}
