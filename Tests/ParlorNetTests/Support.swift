import Foundation
import ParlorNet
import Testing

let second: UInt64 = 1_000_000_000

/// Gives a test a loop of its own and closes it afterwards, whatever happened.
func withLoop(_ body: (EventLoop) throws -> Void) throws {
    Net.ignoreBrokenPipes()
    let loop = try EventLoop()
    defer { loop.close() }
    try body(loop)
}

extension EventLoop {
    /// Runs until the test stops it; a test that never does fails instead of hanging.
    func runUntilStopped() {
        let guardian = timer { [self] in
            Issue.record("nothing stopped the loop for 30 seconds")
            stop()
        }
        guardian.set(at: now + 30 * second)
        run()
        guardian.close()
    }
}

/// What one end of a stream saw, in order.
final class Witness {
    var bytes: [UInt8] = []
    var deliveries = 0
    var ends: [StreamEnd] = []
    var drains = 0

    /// Notes everything; `onEnd` runs after an end is noted.
    func watch(_ stream: some ByteStream, onEnd: @escaping () -> Void = {}) {
        stream.onBytes = { [self] bytes in
            #expect(ends.isEmpty, "bytes after the end")
            self.bytes += bytes
            deliveries += 1
        }
        stream.onDrained = { [self] in
            #expect(ends.isEmpty, "drained after the end")
            drains += 1
        }
        stream.onClosed = { [self] end in
            ends.append(end)
            onEnd()
        }
    }
}

/// Makes a connected pair over 127.0.0.1 and hands over (connecting side, accepting side).
func connectedPair(_ loop: EventLoop, _ body: @escaping (TCPStream, TCPStream) -> Void) throws {
    let listener = try TCPListener(loop: loop, on: .loopback(port: 0))
    var client: TCPStream?
    var server: TCPStream?
    func meet() {
        guard let client, let server else { return }
        listener.close()
        body(client, server)
    }
    listener.onAccept = {
        server = $0
        meet()
    }
    try TCPStream.connect(loop: loop, to: listener.address) { result in
        client = try? result.get()
        #expect(client != nil)
        meet()
    }
}

/// Bytes that differ from place to place, the same each time; the period is prime, so no block looks like the
/// next.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    var state = UInt32(seed) &* 2_654_435_761 | 1
    let period = (0..<8_191).map { _ in
        state = state &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count { bytes += period }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// Compares much faster than `==` does without optimisation, and keeps megabytes out of failure messages.
func same(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && memcmp(left, right, left.count) == 0
}

/// A fresh folder, removed when the body is done.
func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/parlor-net-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
}
