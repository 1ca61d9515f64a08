import ParlorSim
import Testing

@testable import ParlorProtocol

/// A guest that tries a code at a host's machine, message by message.
private struct Guest {
    let number: Int
    let name: String
    let address: String
    var proof: CodeProof
    private let channel: CodeChannel
    private let entropy: UInt8

    /// Guests with odd numbers dialled the host, the others were dialled by it.
    init(_ number: Int, code: String, address: String, entropy: UInt8 = 1) throws {
        self.number = number
        self.address = address
        self.entropy = entropy
        name = "Guest \(number)"
        let (one, two) = number % 2 == 1 ? (peer(number), peer(0)) : (peer(0), peer(number))
        channel = CodeChannel(
            session: [UInt8](repeating: UInt8(number), count: 32), client: one, server: two)
        proof = CodeProof(
            try RoomCode(code), channel: channel, me: peer(number), host: peer(0),
            entropy: [UInt8](repeating: entropy, count: 32))
    }

    var id: PeerID { peer(number) }

    var proving: RoomHost.Input {
        .proving(
            id, .join, name: name, .only,
            CodeOffer(
                share: proof.share, channel: channel, address: address,
                entropy: [UInt8](repeating: entropy ^ 0x55, count: 32)))
    }

    /// The tag for the share that is among the host's actions; `nil` when there is none.
    mutating func tag(_ actions: [RoomHost.Action]) -> [UInt8]? {
        for case .send(.code(.share(let room, .only, let share)), id) in actions {
            return proof.confirm(hostShare: share, room: room)
        }
        return nil
    }

    /// Why the host denied it something; `nil` when it did not.
    func refusal(_ actions: [RoomHost.Action]) -> RoomRefusal? {
        for case .send(.denied(_, let refusal), id) in actions { return refusal }
        return nil
    }
}

extension HostTable {
    /// One whole try; `nil` when the guest is in.
    fileprivate mutating func attempt(_ guest: Guest) -> RoomRefusal? {
        var guest = guest
        let actions = feed(guest.proving)
        guard let tag = guest.tag(actions) else { return guest.refusal(actions) }
        return guest.refusal(feed(.confirming(guest.id, tag: tag)))
    }
}

/// Exact actions of a host whose room has a code.
struct RoomHostCodeTests {
    @Test func `without a code nobody comes in, and it is said whom to ask`() throws {
        var room = try HostTable(code: "K7PX")
        let actions = room.feed(.entering(peer(1), .join, name: "Bob", .only))
        let refusal = RoomRefusal(.codeNeeded, "Attic wants a code: ask Ann for it (4 characters)")
        #expect(actions == [.send(.denied(.only, refusal), to: peer(1)), .arm(nil)])
        #expect(room.state.taken == 1)
    }

    @Test(arguments: [1, 2])
    func `the right code lets in, and the host shows that it knows it`(number: Int) throws {
        var room = try HostTable(code: "K7PX")
        var guest = try Guest(number, code: "K7PX", address: "a")
        let first = room.feed(guest.proving)
        let reply = guest.tag(first)
        let tag = try #require(reply)
        #expect(first.count == 2)
        #expect(room.host.isTrying(guest.id))
        #expect(room.state.taken == 1)
        let second = room.feed(.confirming(guest.id, tag: tag))
        let state = room.state
        guard case .send(.code(.admitted(roomID, 1, let answer)), guest.id) = second[3] else {
            return #expect(Bool(false), "\(second)")
        }
        #expect(guest.proof.isHosts(answer))
        #expect(
            second == [
                .notice(.seatTaken(seat: 1)), .notice(.updated), .advertise,
                .send(.code(.admitted(room: roomID, seat: 1, tag: answer)), to: guest.id),
                .send(.state(state, left: []), to: guest.id), .arm(nil),
            ])
        #expect(state.code?.text == "K7PX")
        #expect(!room.host.isTrying(guest.id))
    }

    @Test func `a wrong code is told with what is left, and shows no tag of the host's`() throws {
        var room = try HostTable(code: "K7PX")
        for left in [4, 3, 2, 1] {
            let refusal = try room.attempt(Guest(1, code: "K7PZ", address: "a"))
            let tries = left == 1 ? "1 try" : "\(left) tries"
            #expect(
                refusal
                    == RoomRefusal(
                        .wrongCode,
                        "That code is not right for Attic. \(tries) left, then one a minute. "
                            + "Ask Ann to read it again (4 characters)"))
        }
        let last = try room.attempt(Guest(1, code: "K7PZ", address: "a"))
        #expect(last?.message.contains("From now on one try a minute is possible.") == true)
        #expect(room.state.taken == 1)
    }

    @Test func `after five wrong ones an address waits a minute, others do not`() throws {
        var room = try HostTable(code: "K7PX")
        for _ in 0..<5 {
            #expect(try room.attempt(Guest(1, code: "K7PZ", address: "a"))?.reason == .wrongCode)
        }
        room.now = second(1)
        let refusal = try room.attempt(Guest(1, code: "K7PX", address: "a"))
        #expect(
            refusal
                == RoomRefusal(
                    .tooManyTries,
                    "Too many wrong codes for Attic came from your address. Try again in 59 s"))
        // Another peer there has to wait as well, one elsewhere does not.
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "a"))?.reason == .tooManyTries)
        #expect(try room.attempt(Guest(3, code: "K7PX", address: "b")) == nil)
        room.now = second(59)
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a"))?.reason == .tooManyTries)
        room.now = second(60)
        #expect(try room.attempt(Guest(1, code: "K7PZ", address: "a"))?.reason == .wrongCode)
        room.now = second(119)
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a"))?.reason == .tooManyTries)
        room.now = second(120)
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a")) == nil)
    }

    @Test func `whoever vanishes after the host's share has used a try`() throws {
        var room = try HostTable(code: "K7PX")
        for number in 1...5 {
            var guest = try Guest(number, code: "K7PX", address: "a")
            let reply = guest.tag(room.feed(guest.proving))
            let tag = try #require(reply)
            #expect(
                room.feed(number % 2 == 0 ? .linkLost(guest.id) : .gone(guest.id, reason: "left")) == [
                    .arm(nil)
                ])
            #expect(guest.refusal(room.feed(.confirming(guest.id, tag: tag)))?.reason == .wrongCode)
        }
        #expect(try room.attempt(Guest(6, code: "K7PX", address: "a"))?.reason == .tooManyTries)
        #expect(try room.attempt(Guest(6, code: "K7PX", address: "b")) == nil)
    }

    @Test func `beginning anew uses the first try up, and only the newest can be confirmed`() throws {
        var room = try HostTable(code: "K7PX")
        var first = try Guest(1, code: "K7PX", address: "a")
        let reply = first.tag(room.feed(first.proving))
        let tag = try #require(reply)
        var again = try Guest(1, code: "K7PX", address: "a", entropy: 9)
        let newReply = again.tag(room.feed(again.proving))
        let newTag = try #require(newReply)
        #expect(first.refusal(room.feed(.confirming(first.id, tag: tag)))?.reason == .wrongCode)
        #expect(again.refusal(room.feed(.confirming(first.id, tag: newTag)))?.reason == .wrongCode)
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a")) == nil)
        for _ in 0..<3 {
            #expect(try room.attempt(Guest(2, code: "K7PZ", address: "a"))?.reason == .wrongCode)
        }
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "a"))?.reason == .tooManyTries)
    }

    @Test func `several try at the same time, each for itself`() throws {
        var room = try HostTable(code: "K7PX")
        var guests = try (1...5).map { try Guest($0, code: $0 == 3 ? "K7PZ" : "K7PX", address: "a") }
        var tags: [[UInt8]] = []
        for index in guests.indices {
            let reply = guests[index].tag(room.feed(guests[index].proving))
            tags.append(try #require(reply))
        }
        #expect(try room.attempt(Guest(6, code: "K7PX", address: "a"))?.reason == .tooManyTries)
        let reasons = guests.indices.reversed().map { index in
            guests[index].refusal(room.feed(.confirming(guests[index].id, tag: tags[index])))?.reason
        }
        #expect(reasons == [nil, nil, .wrongCode, nil, .roomFull])
        #expect(room.names == ["Ann", "Guest 5", "Guest 4", "Guest 2"])
    }

    @Test func `somebody else's tag is a wrong code`() throws {
        var room = try HostTable(code: "K7PX")
        var honest = try Guest(1, code: "K7PX", address: "a")
        var other = try Guest(2, code: "K7PZ", address: "b")
        let reply = honest.tag(room.feed(honest.proving))
        let tag = try #require(reply)
        let otherReply = other.tag(room.feed(other.proving))
        _ = try #require(otherReply)
        #expect(other.refusal(room.feed(.confirming(other.id, tag: tag)))?.reason == .wrongCode)
        #expect(honest.refusal(room.feed(.confirming(honest.id, tag: tag))) == nil)
    }

    @Test func `a room that could not be entered says so before any code is tried`() throws {
        var room = try HostTable(seats: 2, code: "K7PX")
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a")) == nil)
        for _ in 0..<7 {
            #expect(try room.attempt(Guest(2, code: "K7PZ", address: "a"))?.reason == .roomFull)
        }
        #expect(room.enter(2, "Cid") == .roomFull)
        room.ask(0, .kick(seat: 1, ban: true))
        room.ask(0, .lock(true))
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "a"))?.reason == .roomLocked)
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a"))?.reason == .banned)
        room.ask(0, .lock(false))
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "a")) == nil)
    }

    @Test func `a member comes back without a code, and a code it gives does not count`() throws {
        var room = try HostTable(code: "K7PX")
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a")) == nil)
        room.feed(.linkLost(peer(1)))
        #expect(room.state.seats[1]?.away == true)
        #expect(room.enter(1, "Other") == nil)
        #expect(room.state.seats[1]?.away == false)
        for _ in 0..<7 {
            #expect(
                try room.attempt(Guest(1, code: "K7PZ", address: "a"))?.message.contains("You have a seat")
                    == true)
        }
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a")) == nil)
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "a")) == nil)
        // Who lost its seat needs the code again.
        room.feed(.linkLost(peer(1)))
        room.now = second(30)
        room.feed(.deadlinePassed)
        #expect(room.enter(1, "Bob") == .codeNeeded)
    }

    @Test func `a room without a code refuses one, and a closed room everything`() throws {
        var open = try HostTable()
        #expect(
            try open.attempt(Guest(1, code: "K7PX", address: "a"))
                == RoomRefusal(.wrongCode, "Attic has no code: join it without one"))
        var room = try HostTable(code: "K7PX")
        let guest = try Guest(1, code: "K7PX", address: "a")
        room.feed(guest.proving)
        room.feed(.close(reason: "host-closed"))
        #expect(room.feed(.confirming(guest.id, tag: [])).count == 1)
        #expect(room.attempt(guest)?.reason == .roomClosed)
        #expect(room.feed(.newCode(try RoomCode("BBBB"))).isEmpty)
    }

    @Test func `a share that is none is refused and counts nothing`() throws {
        var room = try HostTable(code: "K7PX")
        let channel = CodeChannel(session: [], client: peer(1), server: peer(0))
        for _ in 0..<7 {
            let actions = room.feed(
                .proving(
                    peer(1), .join, name: "Bob", .only,
                    CodeOffer(
                        share: [UInt8](repeating: 0, count: 32), channel: channel, address: "a",
                        entropy: [UInt8](repeating: 1, count: 32))))
            guard case .send(.denied(.only, let refusal), peer(1)) = actions[0] else {
                return #expect(Bool(false), "\(actions)")
            }
            #expect(refusal.reason == .badParams)
        }
        #expect(try room.attempt(Guest(1, code: "K7PX", address: "a")) == nil)
    }

    // MARK: Another code

    /// A room with one member, in which all tries but `spare` are used up, five an address.
    private func exhausted(spare: Int = 0) throws -> HostTable {
        var room = try HostTable(code: "K7PX")
        #expect(try room.attempt(Guest(99, code: "K7PX", address: "member")) == nil)
        for number in 0..<Limits.codeTriesMax - spare {
            let refusal = try room.attempt(Guest(1 + number % 7, code: "K7PZ", address: "\(number / 5)"))
            #expect(refusal?.reason == .wrongCode)
        }
        return room
    }

    @Test func `the hundredth wrong code changes the code, and everybody in the room learns it`() throws {
        var room = try exhausted(spare: 1)
        var guest = try Guest(1, code: "K7PZ", address: "last")
        let reply = guest.tag(room.feed(guest.proving))
        let tag = try #require(reply)
        let actions = room.feed(.confirming(guest.id, tag: tag))
        #expect(actions.contains(.makeCode))
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "new"))?.reason == .tooManyTries)
        let code = try RoomCode("BBBB")
        let renewed = room.feed(.newCode(code))
        #expect(
            renewed == [
                .notice(.codeReplaced), .send(.state(room.state, left: []), to: peer(99)), .notice(.updated),
                .advertise, .arm(nil),
            ])
        #expect(room.state.code == code)
        #expect(try room.attempt(Guest(2, code: "K7PX", address: "new"))?.reason == .wrongCode)
        #expect(try room.attempt(Guest(2, code: "BBBB", address: "new")) == nil)
        // Whoever had to wait still has to.
        #expect(try room.attempt(Guest(3, code: "BBBB", address: "0"))?.reason == .tooManyTries)
        // Nobody asked for this one.
        #expect(room.feed(.newCode(try RoomCode("CCCC"))) == [.arm(nil)])
        #expect(room.state.code == code)
    }

    @Test func `the hundredth try may be the right one`() throws {
        var room = try exhausted(spare: 1)
        var guest = try Guest(1, code: "K7PX", address: "last")
        let proving = room.feed(guest.proving)
        #expect(!proving.contains(.makeCode))
        let reply = guest.tag(proving)
        let tag = try #require(reply)
        let actions = room.feed(.confirming(guest.id, tag: tag))
        #expect(guest.refusal(actions) == nil)
        #expect(!actions.contains(.makeCode))
        #expect(room.state.code?.text == "K7PX")
    }

    @Test func `a hundredth try that hangs keeps nobody out`() throws {
        for vanishes in [true, false] {
            var room = try exhausted(spare: 1)
            var guest = try Guest(1, code: "K7PX", address: "last")
            let reply = guest.tag(room.feed(guest.proving))
            let tag = try #require(reply)
            let second = try Guest(2, code: "K7PX", address: "new")
            let actions = room.feed(vanishes ? .linkLost(guest.id) : second.proving)
            #expect(actions.contains(.makeCode))
            room.feed(.newCode(try RoomCode("BBBB")))
            let late = guest.refusal(room.feed(.confirming(guest.id, tag: tag)))
            #expect(
                late
                    == RoomRefusal(
                        .wrongCode,
                        "The code of Attic is another now. Ask Ann to read it again (4 characters)"))
            #expect(try room.attempt(Guest(2, code: "BBBB", address: "new")) == nil)
        }
    }

    // MARK: By seed

    /// Many guests try right and wrong codes, vanish and leave: nobody sits who did not confirm the code that
    /// was the room's then, no address gets more shares than it may, and no code more than the limit in all.
    @Test(arguments: UInt64(1)...30)
    func `no order of tries gives more of them than are allowed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var room = try HostTable(code: "K7PX")
        var trying: [Int: (tag: [UInt8], isRight: Bool, address: String)] = [:]
        var shares: [String: [Tick]] = [:]
        var sinceCode = 0
        var codes = 0
        for step in 0..<250 {
            room.now = room.now + .milliseconds(Int.random(in: 0...4_000, using: &random))
            let number = Int.random(in: 1...12, using: &random)
            let taken = room.state.taken
            var actions: [RoomHost.Action]
            var mayEnter = false
            switch Int.random(in: 0..<10, using: &random) {
            case 0...5:
                let isRight = random.next() % 8 == 0
                let code = isRight ? room.state.code?.text ?? "" : "ZZZZ"
                let address = "\(number % 4)"
                var guest = try Guest(number, code: code, address: address, entropy: UInt8(step))
                let isMember = room.state.seat(of: guest.id) != nil
                trying[number] = nil
                actions = room.feed(guest.proving)
                guard let tag = guest.tag(actions) else { break }
                trying[number] = (tag, isRight, address)
                if !isMember {
                    shares[address, default: []].append(room.now)
                    sinceCode += 1
                }
            case 6, 7:
                let attempt = trying.removeValue(forKey: number)
                mayEnter = attempt?.isRight ?? false
                let isMember = room.state.seat(of: peer(number)) != nil
                actions = room.feed(.confirming(peer(number), tag: attempt?.tag ?? []))
                if mayEnter, !isMember, let address = attempt?.address {
                    shares[address]?.removeLast()
                    sinceCode -= 1
                }
            case 8:
                trying[number] = nil
                actions = room.feed(.linkLost(peer(number)))
            default:
                trying[number] = nil
                actions = room.feed(.gone(peer(number), reason: "left"))
            }
            #expect(mayEnter || room.state.taken <= taken, "seed \(seed), step \(step)")
            #expect(sinceCode <= Limits.codeTriesMax, "seed \(seed), step \(step)")
            for (address, times) in shares {
                let minutes = times.last.map { ($0 - second(0)).nanoseconds / 60_000_000_000 } ?? 0
                #expect(times.count <= 6 + Int(minutes), "seed \(seed), address \(address)")
            }
            if actions.contains(.makeCode) {
                codes += 1
                sinceCode = 0
                trying = [:]
                room.feed(
                    .newCode(try #require(RoomCode(entropy: [UInt8](repeating: UInt8(codes), count: 16)))))
            }
        }
        #expect(shares.values.contains { $0.count >= 5 })
    }
}
