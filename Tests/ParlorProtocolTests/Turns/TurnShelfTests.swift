import ParlorGames
import Testing

@testable import ParlorProtocol

/// A peer with a shelf and a disk, of which a crash leaves the disk.
private struct TurnPeer {
    let signer: Signer
    var shelf: TurnShelf
    private var disk: [MatchID: (genesis: TurnGenesis, items: [TurnItem])] = [:]
    /// Received, and not on disk yet.
    private var pending: [(genesis: TurnGenesis, items: [TurnItem])] = []
    private var met: Set<PeerID> = []

    init(_ number: Int) {
        signer = turnSigner(number)
        shelf = TurnShelf(me: signer.peer, signing: .standIn)
    }

    var me: PeerID { signer.peer }

    private mutating func flush() {
        for (genesis, items) in pending {
            disk[genesis.match, default: (genesis, [])].items += items
        }
        pending = []
    }

    /// Signs, has it on disk, and only then says it.
    @discardableResult
    mutating func write(_ genesis: TurnGenesis, _ bodies: [TurnItem.Body] = [], time: Int = 1) -> [TurnItem] {
        let items = bodies.map { TurnItem(match: genesis.match, body: $0, time: time, signer: signer) }
        flush()
        disk[genesis.match, default: (genesis, [])].items += items
        shelf.add(genesis, items)
        return items
    }

    mutating func note(_ action: TurnShelf.Action) {
        switch action {
        case .keep(let match, let items, _):
            if let genesis = shelf.copy(match)?.match.genesis { pending.append((genesis, items)) }
        case .drop(let match): disk[match] = nil
        case .send, .asked: break
        }
    }

    mutating func metPeer(_ peer: PeerID) { met.insert(peer) }

    /// Ends without a word, and starts again with what is on disk.
    mutating func crash() {
        pending = []
        shelf = TurnShelf(me: me, signing: .standIn)
        for peer in met { shelf.restore(met: peer) }
        for (genesis, items) in disk.values.sorted(by: { $0.genesis.match < $1.genesis.match }) {
            shelf.restore(genesis, items, isRemoved: false)
        }
    }
}

/// Peers that meet, lose each other in the middle of a word, and crash.
private struct TurnWorld {
    var peers: [TurnPeer]
    var random: Seeded
    var now = Tick(nanoseconds: 1)
    private var moves = 0

    init(_ count: Int, seed: UInt64) {
        peers = (0..<count).map { TurnPeer($0) }
        random = Seeded(seed: seed)
    }

    func index(_ peer: PeerID) -> Int { peers.firstIndex { $0.me == peer } ?? 0 }

    /// Two peers come into each other's sight; after so many messages the link is cut.
    mutating func meet(_ one: Int, _ other: Int, messagesMax: Int = .max) {
        now = now + .seconds(61)
        var wire: [(from: Int, to: Int, TurnMessage)] = []
        for (me, them) in [(one, other), (other, one)] {
            peers[me].metPeer(peers[them].me)
            let actions = peers[me].shelf.up(peers[them].me, at: now)
            take(actions, of: me, into: &wire)
        }
        var count = 0
        while !wire.isEmpty, count < messagesMax {
            // Either direction keeps its order; which one is next is chance.
            let isOther = Bool.random(using: &random)
            let place = wire.firstIndex { ($0.from == one) == isOther } ?? 0
            let (from, to, message) = wire.remove(at: place)
            let actions = peers[to].shelf.received(message, from: peers[from].me, at: now)
            take(actions, of: to, into: &wire)
            count += 1
            #expect(count < 100_000, "two peers never stop talking")
            if count >= 100_000 { return }
        }
        peers[one].shelf.down(peers[other].me)
        peers[other].shelf.down(peers[one].me)
    }

    private mutating func take(
        _ actions: [TurnShelf.Action], of me: Int, into wire: inout [(from: Int, to: Int, TurnMessage)]
    ) {
        for action in actions {
            peers[me].note(action)
            switch action {
            case .send(let peer, let message): wire.append((me, index(peer), message))
            case .asked(let match, let take, let peer):
                guard let copy = peers[me].shelf.copy(match),
                    let grant = TurnActs(copy, me: peers[me].me).grant(take)
                else { continue }
                peers[me].write(copy.match.genesis, [grant])
                let told = peers[me].shelf.tell(match, to: peer, at: now)
                self.take(told, of: me, into: &wire)
            case .keep, .drop: break
            }
        }
    }

    /// Has a peer do something in one of its matches, as its player could.
    mutating func act(_ me: Int) {
        let own = peers[me].shelf.own
        guard let copy = own.randomElement(using: &random) else { return }
        let acts = TurnActs(copy, me: peers[me].me)
        moves += 1
        var body: TurnItem.Body?
        switch Int.random(in: 0..<20, using: &random) {
        case 0: body = try? acts.quit()
        case 1: body = try? acts.decline()
        case 2: body = try? acts.accept(name: "N\(me)")
        case 3: body = try? acts.remind()
        case 4: body = try? acts.skip(waited: 1_000)
        default:
            guard let legal = acts.legal.randomElement(using: &random) else { return }
            let isStory = legal["do"]?.text == "append"
            let text = Value.string("word \(moves) of \(me)")
            body = try? acts.play(isStory ? ["do": "append", "text": text] : legal)
        }
        if let body { peers[me].write(copy.match.genesis, [body], time: moves) }
    }

    mutating func ask(_ me: Int) {
        guard let offer = peers[me].shelf.offers.randomElement(using: &random),
            let body = try? TurnActs(offer, me: peers[me].me).take(name: "N\(me)")
        else { return }
        peers[me].write(offer.match.genesis, [body])
    }

    mutating func begin(_ number: Int) {
        let creator = Int.random(in: 0..<peers.count, using: &random)
        let isStory = Bool.random(using: &random)
        let others = (0..<peers.count).filter { $0 != creator }.shuffled(using: &random)
            .prefix(isStory ? Int.random(in: 1...3, using: &random) : 1)
        var seats = ([creator] + others).map { TurnGenesis.Seat(peer: peers[$0].me, name: "N\($0)") }
        if random.oneIn(3) { seats[seats.count - 1] = TurnGenesis.Seat() }
        let genesis = TurnGenesis(
            nonce: random.bytes(16), game: isStory ? "story" : "tictactoe", rules: 1, seats: seats,
            turnSeconds: random.oneIn(2) ? 60 : 0, time: number, signer: peers[creator].signer)
        peers[creator].write(genesis)
    }
}

@Suite struct TurnShelfTests {
    @Test(arguments: UInt64(1)...8)
    func `peers that meet hold the same, whatever was lost and whoever crashed`(seed: UInt64) {
        var world = TurnWorld(5, seed: seed)
        for number in 0..<50 { world.begin(number) }
        for _ in 0..<400 {
            let one = Int.random(in: 0..<5, using: &world.random)
            let other = (one + Int.random(in: 1..<5, using: &world.random)) % 5
            switch Int.random(in: 0..<10, using: &world.random) {
            case 0..<5: world.act(one)
            case 5: world.ask(one)
            case 6: world.peers[one].crash()
            case 7:
                let count = Int.random(in: 0..<40, using: &world.random)
                world.meet(one, other, messagesMax: count)
            default:
                world.meet(one, other)
                expectSame(world.peers[one].shelf, world.peers[other].shelf)
            }
        }
        for _ in 0..<3 { for one in 0..<5 { for other in 0..<one { world.meet(one, other) } } }
        for one in world.peers {
            for other in world.peers { expectSame(one.shelf, other.shelf) }
            for copy in one.shelf.own {
                #expect(copy.state.doubles.isEmpty, "nobody signed a turn twice")
                for case let holder? in copy.match.holders {
                    #expect(world.peers[world.index(holder)].shelf.copy(copy.match.genesis.match) != nil)
                }
            }
            #expect(one.shelf.unreached.isEmpty)
        }
        let steps = world.peers.flatMap { $0.shelf.own }.reduce(0) { $0 + $1.state.steps.count }
        #expect(steps > 100, "the matches went on")
    }

    private func expectSame(_ one: TurnShelf, _ other: TurnShelf) {
        for match in one.all {
            guard let copy = other.copy(match.genesis.match) else { continue }
            #expect(copy.match.items == match.items)
            #expect(copy.match.digest == match.digest)
            #expect(copy.state.head == TurnState(match).head)
        }
    }

    @Test(arguments: UInt64(1)...20)
    func `merging in any order and in any portions gives the same bytes`(seed: UInt64) throws {
        var random = Seeded(seed: seed)
        var desk = TurnDesk("story", named: 2, open: 2)
        let takes = [2, 3, 4].map { player in
            TurnItem(
                match: desk.match.genesis.match, body: .take(seat: 2, name: "P\(player)"), time: 5,
                signer: desk.signers[player])
        }
        var items: [TurnItem] = takes.map { take in desk.sign(0, .grant(take: take.encoded)) }
        for step in 0..<40 {
            let player = Int.random(in: 0..<5, using: &random)
            let text = String(repeating: "long \(step) ", count: random.oneIn(3) ? 200 : 1)
            let body: TurnItem.Body =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: .quit(after: Int.random(in: 0..<3, using: &random))
                case 1: .accept(name: "N\(step)")
                case 2: .skip(parent: desk.state.head, seat: 0)
                default: .move(parent: desk.state.head, seat: player, .list([.int(0), .text(text)]))
                }
            items.append(desk.sign(player, body))
        }
        var whole = TurnMatch(desk.match.genesis)
        whole.merge(items)
        for _ in 0..<5 {
            var copies = [TurnMatch(whole.genesis), TurnMatch(whole.genesis)]
            for item in (items + items).shuffled(using: &random) {
                copies[random.oneIn(2) ? 0 : 1].merge([item])
            }
            copies[0].merge(copies[1].items)
            // What one copy refused for want of a grant comes again, as it does from peers.
            copies[0].merge(items)
            #expect(copies[0].items.map(\.encoded) == whole.items.map(\.encoded))
            #expect(copies[0].byteCount <= Limits.turnMatchBytesMax)
        }
    }

    @Test func `a courier carries a turn between two that never meet`() throws {
        var world = TurnWorld(4, seed: 1)
        let seats = [0, 1].map { TurnGenesis.Seat(peer: world.peers[$0].me, name: "N\($0)") }
        let genesis = TurnGenesis(
            nonce: [UInt8](repeating: 1, count: 16), game: "tictactoe", rules: 1, seats: seats, time: 1,
            signer: world.peers[0].signer)
        world.peers[0].write(
            genesis, [.move(parent: genesis.hash, seat: 0, .list([.int(0), .int(5)]))])
        world.meet(0, 2)
        #expect(world.peers[2].shelf.carried.count == 1)
        world.meet(2, 3)
        #expect(world.peers[3].shelf.carried.count == 0, "it has met nobody with a seat")
        world.meet(2, 1)
        let copy = try #require(world.peers[1].shelf.copy(genesis.match))
        #expect(copy.state.turn == 1 && copy.state.steps.count == 1)
        let body = try TurnActs(copy, me: world.peers[1].me).play(["do": "place", "cell": 1])
        world.peers[1].write(genesis, [body])
        world.meet(1, 2)
        world.meet(2, 0)
        #expect(world.peers[0].shelf.copy(genesis.match)?.state.turn == 0)
    }

    @Test func `of too many matches for others those unchanged for longest go`() throws {
        var shelf = TurnShelf(me: turnSigner(0).peer, signing: .standIn)
        let friend = turnSigner(1)
        _ = shelf.up(friend.peer, at: Tick(nanoseconds: 1))
        var dropped: [MatchID] = []
        var all: [MatchID] = []
        for number in 0..<Limits.turnCarriedMax + 3 {
            let nonce = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
            let genesis = TurnGenesis(
                nonce: nonce, game: "tictactoe", rules: 1,
                seats: [TurnGenesis.Seat(peer: friend.peer, name: ""), TurnGenesis.Seat()], time: 1,
                signer: friend)
            all.append(genesis.match)
            let message = TurnMessage.items(genesis.match, genesis: genesis.encoded, [])
            for case .drop(let match) in shelf.received(
                message, from: friend.peer, at: Tick(nanoseconds: 1))
            {
                dropped.append(match)
            }
        }
        #expect(dropped == Array(all.prefix(3)))
        #expect(shelf.carried.count == Limits.turnCarriedMax)
    }

    @Test func `what is forged is not stored`() throws {
        var world = TurnWorld(3, seed: 1)
        var desk = TurnDesk("tictactoe", named: 2)
        let good = try desk.place(0, 5)
        _ = world.peers[2].shelf.up(world.peers[0].me, at: world.now)
        var bad = good.encoded
        bad[bad.count - 1] ^= 1
        var badGenesis = desk.match.genesis.encoded
        badGenesis[badGenesis.count - 1] ^= 1
        let id = desk.match.genesis.match
        for message in [
            TurnMessage.items(id, genesis: badGenesis, [good.encoded]),
            .items(id, genesis: nil, [good.encoded]),
            .items(desk.match.genesis.match, genesis: desk.match.genesis.encoded, [bad]),
        ] {
            _ = world.peers[2].shelf.received(message, from: world.peers[0].me, at: world.now)
            #expect(world.peers[2].shelf.copy(id)?.match.items.isEmpty ?? true)
        }
        let message = TurnMessage.items(id, genesis: nil, [bad, good.encoded])
        _ = world.peers[2].shelf.received(message, from: world.peers[0].me, at: world.now)
        #expect(world.peers[2].shelf.copy(id)?.match.items == [good])
    }

    @Test func `a pair talks once a minute on changes, and at once on sight`() throws {
        var shelf = TurnShelf(me: turnSigner(0).peer, signing: .standIn)
        var desk = TurnDesk("story", named: 2)
        let other = desk.signers[1].peer
        let start = Tick(nanoseconds: 5)
        shelf.add(desk.match.genesis)
        #expect(shelf.tell(desk.match.genesis.match, at: start).isEmpty)
        #expect(shelf.unreached == [other])
        #expect(shelf.up(other, at: start).count == 1)
        let move = try desk.append(0, "a")
        shelf.add(desk.match.genesis, [move])
        #expect(shelf.tell(desk.match.genesis.match, at: start + .seconds(59)).isEmpty)
        #expect(shelf.deadline == start + Limits.turnSyncInterval)
        #expect(shelf.timePassed(at: start + .seconds(60)).count == 1)
        #expect(shelf.timePassed(at: start + .seconds(61)).isEmpty)
        // Who has a seat is told again until it has the same.
        #expect(shelf.timePassed(at: start + .seconds(120)).count == 1)
        let same = TurnMessage.heads([TurnMessage.Head(desk.match)])
        #expect(shelf.received(same, from: other, at: start + .seconds(121)).isEmpty)
        #expect(shelf.timePassed(at: start + .seconds(300)).isEmpty)
        #expect(shelf.deadline == nil)
    }

    @Test func `who begins an exchange is told what is new, once`() throws {
        var shelf = TurnShelf(me: turnSigner(0).peer, signing: .standIn)
        let desk = TurnDesk("story", named: 2)
        let match = desk.match.genesis.match
        let other = desk.signers[1].peer
        let start = Tick(nanoseconds: 5)
        _ = shelf.up(other, at: start)
        shelf.add(desk.match.genesis)
        #expect(shelf.tell(match, at: start).isEmpty)
        func heads(at moment: Tick) -> [MatchID] {
            shelf.received(.heads([]), from: other, at: moment).flatMap { action in
                if case .send(other, .heads(let heads)) = action { heads.map(\.match) } else { [MatchID]() }
            }
        }
        #expect(heads(at: start + .milliseconds(999)).isEmpty, "part of the exchange on sight")
        #expect(heads(at: start + .seconds(3)) == [match])
        #expect(heads(at: start + .milliseconds(3_001)).isEmpty, "the answer to an answer")
        #expect(heads(at: start + .seconds(5)) == [match], "until it says that it knows")
    }
}
