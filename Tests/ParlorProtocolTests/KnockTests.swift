import ParlorProtocol
import Testing

private let start = Tick(nanoseconds: 1_000_000_000)

struct KnockTests {
    @Test func `a peer is dialled once at a time, and not again at once`() throws {
        var gate = KnockGate()
        let (ann, bob) = (peer(1), peer(2))
        #expect(gate.asked(by: ann, at: start) == true)
        let later = start + Limits.knockInterval + .seconds(1)
        #expect(gate.asked(by: ann, at: later) == false, "the first is under way")
        #expect(gate.asked(by: bob, at: later) == true)
        gate.ended(ann)
        #expect(gate.asked(by: ann, at: later) == true)
        gate.ended(ann)
        let next = later + Limits.knockInterval
        #expect(gate.asked(by: ann, at: Tick(nanoseconds: next.nanoseconds - 1)) == false)
        #expect(gate.asked(by: ann, at: next) == true)
    }

    @Test func `so many are dialled at a time and no more`() throws {
        var gate = KnockGate()
        for number in 1...Limits.knocksMax { #expect(gate.asked(by: peer(number), at: start) == true) }
        let next = peer(200)
        #expect(gate.asked(by: next, at: start) == false)
        gate.ended(peer(1))
        #expect(gate.asked(by: next, at: start) == true)
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
