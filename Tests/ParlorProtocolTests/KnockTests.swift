import ParlorProtocol
import Testing

private func peer(_ number: UInt8) throws -> PeerID {
    try #require(PeerID(bytes: [UInt8](repeating: number, count: 32)))
}

private let start = Tick(nanoseconds: 1_000_000_000)

struct KnockTests {
    @Test func `a peer is dialled once at a time, and not again at once`() throws {
        var gate = KnockGate()
        let (ann, bob) = (try peer(1), try peer(2))
        #expect(gate.asked(by: ann, at: start))
        let later = start + Limits.knockInterval + .seconds(1)
        #expect(!gate.asked(by: ann, at: later), "the first is under way")
        #expect(gate.asked(by: bob, at: later))
        gate.ended(ann)
        #expect(gate.asked(by: ann, at: later))
        gate.ended(ann)
        #expect(!gate.asked(by: ann, at: later + Limits.knockInterval - .nanoseconds(1)))
        #expect(gate.asked(by: ann, at: later + Limits.knockInterval))
    }

    @Test func `so many are dialled at a time and no more`() throws {
        var gate = KnockGate()
        for number in 1...UInt8(Limits.knocksMax) { #expect(gate.asked(by: try peer(number), at: start)) }
        let next = try peer(200)
        #expect(!gate.asked(by: next, at: start))
        gate.ended(try peer(1))
        #expect(gate.asked(by: next, at: start))
    }

    @Test(arguments: [
        [0x0F, 0x01, 0x00] as [UInt8], [0x0F, 0x01, 0x1A, 0x00, 0x01, 0x00, 0x00], [0x0F, 0x20, 0x01],
        [0x15, 0x01, 0x05, 0x82, 0x44, 1, 2, 3, 4, 0x01], [0x15, 0x01, 0x00, 0x82, 0x44, 1, 2, 3, 4, 0x00],
        [0x15, 0x01, 0x00, 0x82, 0x43, 1, 2, 3, 0x01], [0x15, 0x01, 0x00, 0x01],
    ])
    func `no port, no outcome and no address make no message`(items: [UInt8]) {
        let head: UInt8 = items[0] == 0x0F ? 0x83 : 0x84
        #expect(RoomMessage(decoding: [head] + items) == nil)
    }
}
