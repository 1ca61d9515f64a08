import Testing

@testable import ParlorProtocol

/// Codes, their proof, and how tries are counted.
struct RoomCodeTests {
    // MARK: Codes

    @Test(arguments: ["K7PX", "k7px", " k7 px ", "K-7-P-X", "K7\u{2013}px", "\tK7\u{00A0}PX\n"])
    func `a code is read however it is typed`(typed: String) throws {
        #expect(try RoomCode(typed).text == "K7PX")
    }

    @Test(arguments: [
        "", "K7P", "K7PXX", "A7PX", "K0PX", "K1PX", "K7PY", "ÇDFG", "K7P\u{0301}X", "K7P\u{200D}X", "K7P_",
    ])
    func `what is no code is refused`(typed: String) throws {
        let refusal = #expect(throws: RoomRefusal.self) { _ = try RoomCode(typed) }
        #expect(refusal?.reason == .badParams)
        #expect(refusal?.message.contains("BCDFGHJKLMNPQRSTVWXZ23456789") == true)
        #expect(RoomCode(exactly: typed) == nil)
    }

    @Test func `a code that is sent has one way to be written`() {
        #expect(RoomCode(exactly: "K7PX")?.text == "K7PX")
        #expect(RoomCode(exactly: "k7px") == nil)
        #expect(RoomCode(exactly: "K7 PX") == nil)
    }

    @Test func `codes are made of bytes without preferring any`() {
        #expect(RoomCode(entropy: [0, 27, 28, 251])?.text == "B9B9")
        #expect(RoomCode(entropy: [252, 255, 0, 254, 1, 253, 2, 3])?.text == "BCDF")
        #expect(RoomCode(entropy: [252, 255, 0, 1, 2]) == nil)
        #expect(RoomCode.alphabet.count == 28)
    }

    // MARK: Proof

    private let channel = CodeChannel(
        session: [UInt8](repeating: 5, count: 32), client: peer(1), server: peer(0))

    private func proof(_ code: String, channel: CodeChannel? = nil) throws -> CodeProof {
        CodeProof(
            try RoomCode(code), channel: channel ?? self.channel, me: peer(1), host: peer(0),
            entropy: [UInt8](repeating: 3, count: 32))
    }

    private func attempt(
        _ code: String, _ share: [UInt8], room: RoomID = roomID, guest: Int = 1, channel: CodeChannel? = nil
    ) throws -> CodeTry? {
        let offer = CodeOffer(
            share: share, channel: channel ?? self.channel, address: "10.0.0.7",
            entropy: [UInt8](repeating: 4, count: 32))
        return CodeTry(
            try RoomCode(code), room: room, guest: peer(guest), host: peer(0), offer,
            entering: (.join, "Bob", .only), counts: true)
    }

    @Test func `the right code is shown by both sides`() throws {
        var guest = try proof("K7PX")
        let host = try #require(try attempt("K7PX", guest.share))
        let reply = guest.confirm(hostShare: host.share, room: roomID)
        let tag = try #require(reply)
        let answer = try #require(host.answer(to: tag))
        #expect(guest.isHosts(answer))
        #expect(!guest.isHosts(tag))
        #expect(host.answer(to: answer) == nil)
        let unused = try proof("K7PX")
        #expect(!unused.isHosts(answer))
    }

    @Test func `a wrong code shows nothing to either side`() throws {
        var guest = try proof("K7PX")
        let host = try #require(try attempt("K7PZ", guest.share))
        let reply = guest.confirm(hostShare: host.share, room: roomID)
        let tag = try #require(reply)
        #expect(host.answer(to: tag) == nil)
        // Nor does a host that lets the guest in all the same.
        #expect(!guest.isHosts([UInt8](repeating: 0, count: 64)))
        #expect(!guest.isHosts([]))
    }

    @Test func `a proof holds for one link, one room, one guest and one direction`() throws {
        let right = try proof("K7PX").share
        let turned = CodeChannel(session: channel.session, client: peer(0), server: peer(1))
        let other = CodeChannel(
            session: [UInt8](repeating: 6, count: 32), client: peer(1), server: peer(0))
        for hosts in [
            try attempt("K7PX", right, room: try #require(RoomID(bytes: [UInt8](repeating: 1, count: 16)))),
            try attempt("K7PX", right, guest: 2), try attempt("K7PX", right, channel: turned),
            try attempt("K7PX", right, channel: other),
        ] {
            var guest = try proof("K7PX")
            let host = try #require(hosts)
            let reply = guest.confirm(hostShare: host.share, room: roomID)
            let tag = try #require(reply)
            #expect(host.answer(to: tag) == nil)
        }
    }

    @Test func `a share that is none ends the proof on both sides`() throws {
        var guest = try proof("K7PX")
        #expect(guest.confirm(hostShare: [UInt8](repeating: 0, count: 32), room: roomID) == nil)
        #expect(!guest.isHosts([UInt8](repeating: 0, count: 64)))
        #expect(try attempt("K7PX", [UInt8](repeating: 0, count: 32)) == nil)
        #expect(try attempt("K7PX", [UInt8](repeating: 0xFF, count: 32)) == nil)
    }

    /// What a listener has of a try is the same, but for the tags, whatever the code was: shares that any
    /// code explains.
    @Test(arguments: 0..<50)
    func `no two codes make the same tags or shares`(number: Int) throws {
        let entropy = (0..<16).map { UInt8(($0 * 37 + number * 11) % 252) }
        let code = try #require(RoomCode(entropy: entropy)).text
        guard code != "K7PX" else { return }
        var right = try proof("K7PX")
        var wrong = try proof(code)
        #expect(right.share != wrong.share)
        let host = try #require(try attempt("K7PX", wrong.share))
        let reply = wrong.confirm(hostShare: host.share, room: roomID)
        let tag = try #require(reply)
        #expect(host.answer(to: tag) == nil, "\(code)")
        #expect(right.confirm(hostShare: host.share, room: roomID) != tag, "\(code)")
    }

    // MARK: Counting

    @Test func `five tries of an address, then one a minute`() {
        var tries = CodeTries()
        for used in 0..<5 {
            #expect(tries.wait(of: "a", at: second(0)) == nil)
            #expect(tries.left(to: "a") == 5 - used)
            tries.begin("a", at: second(used))
        }
        #expect(tries.left(to: "a") == 0)
        #expect(tries.wait(of: "a", at: second(4)) == .seconds(60))
        #expect(tries.wait(of: "a", at: second(63)) == .seconds(1))
        #expect(tries.wait(of: "b", at: second(4)) == nil)
        #expect(tries.wait(of: "a", at: second(64)) == nil)
        tries.begin("a", at: second(70))
        #expect(tries.wait(of: "a", at: second(71)) == .seconds(59))
        #expect(tries.wait(of: "a", at: second(130)) == nil)
    }

    @Test func `a right code is taken back, and another code starts the count in all anew`() {
        var tries = CodeTries()
        for _ in 0..<5 { tries.begin("a", at: second(0)) }
        tries.takeBack("a")
        #expect(tries.left(to: "a") == 1)
        #expect(tries.wait(of: "a", at: second(0)) == nil)
        for number in 0..<95 { tries.begin("\(number)", at: second(1)) }
        #expect(!tries.areUsedUp)
        tries.begin("a", at: second(1))
        #expect(tries.areUsedUp)
        tries.takeBack("1")
        #expect(!tries.areUsedUp)
        #expect(tries.left(to: "1") == 5)
        tries.begin("1", at: second(1))
        tries.restart()
        #expect(!tries.areUsedUp)
        #expect(tries.wait(of: "a", at: second(1)) == .seconds(60))
    }

    @Test func `addresses are forgotten, the oldest first`() {
        var tries = CodeTries()
        for _ in 0..<5 { tries.begin("first", at: second(0)) }
        for number in 0..<255 { tries.begin("\(number)", at: second(1 + number)) }
        #expect(tries.addresses == 256)
        #expect(tries.left(to: "first") == 0)
        tries.begin("last", at: second(500))
        #expect(tries.addresses == 256)
        #expect(tries.left(to: "first") == 5)
        #expect(tries.left(to: "0") == 4)
    }
}
