import ParlorGames
import ParlorProtocol

/// What golden bytes mean, as the golden files write it.
enum Meaning {
    /// An item, each part tagged with its type.
    static func of(_ item: CBOR) -> Value {
        switch item {
        case .null: ["null": true]
        case .bool(let truth): ["bool": .bool(truth)]
        case .int(let number): ["int": .int(number)]
        case .bytes(let bytes): ["bytes": of(bytes)]
        case .text(let text): ["text": .string(text)]
        case .array(let items): ["array": .array(items.map { of($0) })]
        case .map(let entries): ["map": .array(entries.map { [.int($0.key), of($0.value)] })]
        }
    }

    /// Bytes, as hexadecimal digits.
    static func of(_ bytes: [UInt8]) -> Value { .string(hex(bytes)) }

    /// Bytes or nothing.
    static func of(_ bytes: [UInt8]?) -> Value { bytes.map { of($0) } ?? .null }

    // MARK: Match log

    static func of(_ genesis: Genesis) -> Value {
        [
            "hash": of(genesis.hash), "match": of(genesis.match.bytes), "nonce": of(genesis.nonce),
            "room": of(genesis.room.bytes), "game": .string(genesis.game), "rules": .int(genesis.rules),
            "options": of(genesis.options),
            "seats": .array(
                genesis.seats.map {
                    ["peer": of($0.peer.bytes), "name": .string($0.name), "bot": .bool($0.bot)]
                }),
            "words": of(genesis.words),
        ]
    }

    static func of(_ options: GameOptions) -> Value {
        .array(options.values.map { [.string($0.name), $0.value] })
    }

    static func of(_ body: EntryBody) -> Value {
        let says = Value.Member("says", .string(body.word))
        switch body {
        case .chain(let end, let boxKey, let vault):
            return .object([
                says, .init("end", of(end)), .init("boxKey", of(boxKey)), .init("vault", of(vault)),
            ])
        case .commit(let round, let commitment):
            return .object([says, .init("round", .int(round)), .init("commitment", of(commitment))])
        case .reveal(let round, let nonce):
            return .object([says, .init("round", .int(round)), .init("nonce", of(nonce))])
        case .move(let datum): return .object([says, .init("move", of(CBOR(datum)))])
        case .leave, .expire: return .object([says])
        case .draw(let draw, let seats, let links):
            return .object([
                says, .init("draw", .int(draw)), .init("seats", .array(seats.map { .int($0) })),
                .init("links", .array(links.map { of($0) })),
            ])
        case .driver(let seat, let peer, let end, let boxKey, let vault):
            return .object([
                says, .init("seat", .int(seat)), .init("peer", of(peer.bytes)), .init("end", of(end)),
                .init("boxKey", of(boxKey)), .init("vault", of(vault)),
            ])
        case .open(let draw, let links, let revealAt):
            return .object([
                says, .init("draw", .int(draw)),
                .init("links", .array(links.map { [.int($0.seat), of($0.link)] })),
                .init("revealAt", .int(revealAt)),
            ])
        case .judge(let calls):
            return .object([
                says,
                .init(
                    "calls", .array(calls.map { [.int($0.arrival), .int($0.delay), .int($0.error)] })),
            ])
        case .away(let seat), .back(let seat): return .object([says, .init("seat", .int(seat))])
        case .left(let seat, let reason):
            return .object([says, .init("seat", .int(seat)), .init("reason", .int(reason.rawValue))])
        case .withheld(let draw, let seat):
            return .object([says, .init("draw", .int(draw)), .init("seat", .int(seat))])
        case .sequencer(let seat, let epoch, let clock, let votes):
            return .object([
                says, .init("seat", .int(seat)), .init("epoch", .int(epoch)), .init("clock", .int(clock)),
                .init("votes", .array(votes.map { of($0) })),
            ])
        case .fault(let seat, let kind, let evidence):
            return .object([
                says, .init("seat", .int(seat)), .init("kind", .int(kind.rawValue)),
                .init("evidence", .array(evidence.map { of($0) })),
            ])
        case .end(let outcomes, let alone, let stateHash):
            return .object([
                says, .init("outcomes", .array(outcomes.map { .string($0.rawValue) })),
                .init("alone", .bool(alone)), .init("stateHash", of(stateHash)),
            ])
        }
    }

    static func of(_ vote: Vote) -> Value {
        [
            "seat": .int(vote.seat), "epoch": .int(vote.epoch), "candidate": .int(vote.candidate),
            "lastEpoch": .int(vote.lastEpoch), "length": .int(vote.length), "signature": of(vote.signature),
        ]
    }

    static func of(_ proposal: Proposal) -> Value {
        [
            "match": of(proposal.match.bytes), "author": .int(proposal.author.number),
            "counter": .int(proposal.counter), "seenIndex": .int(proposal.seenIndex),
            "seenHash": of(proposal.seenHash), "body": of(proposal.body), "signature": of(proposal.signature),
        ]
    }

    static func of(_ entry: Entry) -> Value {
        [
            "index": .int(entry.index), "previous": of(entry.previous), "time": .int(entry.time),
            "proposal": of(entry.proposal), "signature": of(entry.signature), "hash": of(entry.hash),
        ]
    }

    static func of(_ message: MatchMessage) -> Value {
        switch message {
        case .genesis(let bytes): ["message": "genesis", "genesis": of(bytes)]
        case .propose(let proposal): ["message": "propose", "proposal": of(proposal)]
        case .refuse(let counter, let refusal):
            [
                "message": "refuse", "counter": .int(counter), "reason": .string(refusal.reason.rawValue),
                "text": .string(refusal.message),
            ]
        case .entries(let entries): ["message": "entries", "entries": .array(entries.map { of($0) })]
        case .stored(let index, let hash, let stateHash, let accepted, let epoch):
            [
                "message": "stored", "index": .int(index), "hash": of(hash), "stateHash": of(stateHash),
                "accepted": .int(accepted), "epoch": .int(epoch),
            ]
        case .link(let draw, let link):
            ["message": "link", "draw": .int(draw), "seat": .int(link.seat), "link": of(link.link)]
        case .want(let index): ["message": "want", "from": .int(index)]
        case .ask(let epoch): ["message": "ask", "epoch": .int(epoch)]
        case .vote(let vote, let accepted):
            ["message": "vote", "vote": of(vote), "accepted": .int(accepted)]
        case .hearing(let hearing):
            [
                "message": "hearing", "seats": .array(hearing.seats.map { .int($0) }),
                "draw": .int(hearing.draw), "links": .array(hearing.links.map { .int($0) }),
                "leaderless": .bool(hearing.isLeaderless),
            ]
        case .promised(let epoch): ["message": "promised", "epoch": .int(epoch)]
        case .clock(let epoch, let zero): ["message": "clock", "epoch": .int(epoch), "zero": .int(zero)]
        }
    }

    // MARK: Room

    static func of(_ reference: RoomReference) -> Value {
        switch reference {
        case .only: .null
        case .id(let id): ["id": of(id.bytes)]
        case .name(let name): ["name": .string(name)]
        }
    }

    static func of(_ state: RoomState) -> Value {
        let seats = state.seats.map { player -> Value in
            guard let player else { return .null }
            return [
                "peer": of(player.peer.bytes), "name": .string(player.name), "ready": .bool(player.ready),
                "away": .bool(player.away), "wins": .int(player.wins), "rematch": .bool(player.rematch),
                "endpoints": of(player.endpoints),
                "bot": player.bot.map { .string($0.rawValue) } ?? .null,
            ]
        }
        return [
            "id": of(state.id.bytes), "name": .string(state.name), "game": .string(state.game),
            "options": of(state.options), "seats": .array(seats), "phase": .int(state.phase.rawValue),
            "locked": .bool(state.locked), "hidden": .bool(state.hidden),
            "banned": .array(state.banned.map { of($0.bytes) }), "match": of(state.match?.bytes),
            "epoch": .int(state.epoch), "hostSeat": .int(state.hostSeat),
            "code": state.code.map { .string($0.text) } ?? .null,
            "watchers": .array(
                state.watchers.map { ["peer": of($0.peer.bytes), "name": .string($0.name)] }),
            "watchable": .bool(state.watchable),
            "words": state.words.map {
                ["hash": of($0.hash), "count": .int($0.count), "bytes": .int($0.bytes)]
            } ?? .null,
        ]
    }

    static func of(_ endpoints: [Endpoint]) -> Value {
        .array(endpoints.map { [of($0.address), .int(Int($0.port))] })
    }

    static func of(_ body: ChannelBody) -> Value {
        switch body {
        case .reliable(let lane, let stream, let number, let data):
            [
                "says": "reliable", "lane": .int(Int(lane.rawValue)), "stream": .int(stream),
                "number": .int(number), "data": of(data),
            ]
        case .unreliable(let number, let key, let milliseconds, let data):
            [
                "says": "unreliable", "number": .int(number), "key": key.map { .int(Int($0)) } ?? .null,
                "milliseconds": .int(milliseconds), "data": of(data),
            ]
        case .acknowledge(let lane, let stream, let number, let life):
            [
                "says": "acknowledge", "lane": .int(Int(lane.rawValue)), "stream": .int(stream),
                "number": .int(number), "life": .int(life),
            ]
        }
    }

    static func of(_ request: RoomRequest) -> Value {
        switch request {
        case .ready(let ready): ["wants": "ready", "ready": .bool(ready)]
        case .start: ["wants": "start"]
        case .rematch: ["wants": "rematch"]
        case .lock(let locked): ["wants": "lock", "locked": .bool(locked)]
        case .kick(let seat, let ban): ["wants": "kick", "seat": .int(seat), "ban": .bool(ban)]
        case .say(let text): ["wants": "say", "text": .string(text)]
        case .leave: ["wants": "leave"]
        case .watchers(let allowed): ["wants": "watchers", "allowed": .bool(allowed)]
        case .kickWatcher(let peer, let ban):
            ["wants": "kick-watcher", "peer": of(peer.bytes), "ban": .bool(ban)]
        case .addBot(let seat, let skill):
            ["wants": "add-bot", "seat": of(seat: seat), "level": .string(skill.rawValue)]
        case .removeBot(let seat): ["wants": "remove-bot", "seat": of(seat: seat)]
        case .takeWords(let hash): ["wants": "take-words", "hash": of(hash)]
        }
    }

    private static func of(seat: Int?) -> Value { seat.map { .int($0) } ?? .null }

    private static func of(_ refusal: RoomRefusal) -> Value {
        ["reason": .string(refusal.reason.rawValue), "text": .string(refusal.message)]
    }

    private static func of(_ message: WordsMessage, _ room: RoomID) -> Value {
        switch message {
        case .want(let hash, let from):
            ["message": "want-words", "room": of(room.bytes), "hash": of(hash), "from": .int(from)]
        case .piece(let hash, let from, let data):
            [
                "message": "words", "room": of(room.bytes), "hash": of(hash), "from": .int(from),
                "data": of(data),
            ]
        }
    }

    private static func of(_ message: CodeMessage) -> Value {
        switch message {
        case .prove(let room, let purpose, let name, let share):
            [
                "message": "prove", "room": of(room), "purpose": .int(purpose.rawValue),
                "name": .string(name), "share": of(share),
            ]
        case .share(let room, let reference, let share):
            [
                "message": "share", "room": of(room.bytes), "reference": of(reference),
                "share": of(share),
            ]
        case .confirm(let room, let tag):
            ["message": "confirm", "room": of(room.bytes), "tag": of(tag)]
        case .admitted(let room, let seat, let tag):
            ["message": "admitted", "room": of(room.bytes), "seat": of(seat: seat), "tag": of(tag)]
        }
    }

    private static func of(_ message: KnockMessage) -> Value {
        switch message {
        case .ask(let number, let port):
            ["message": "knock", "number": .int(number), "port": .int(Int(port))]
        case .answer(let number, let outcome, let endpoint):
            [
                "message": "knocked", "number": .int(number), "outcome": .int(outcome.rawValue),
                "endpoint": .array([of(endpoint.address), .int(Int(endpoint.port))]),
            ]
        }
    }

    static func of(_ message: RoomMessage) -> Value {
        switch message {
        case .enter(let room, let purpose, let name, let endpoints):
            [
                "message": "enter", "room": of(room), "purpose": .int(purpose.rawValue),
                "name": .string(name), "endpoints": of(endpoints),
            ]
        case .entered(let room, let seat):
            ["message": "entered", "room": of(room.bytes), "seat": of(seat: seat)]
        case .denied(let room, let refusal):
            ["message": "denied", "room": of(room), "refusal": of(refusal)]
        case .state(let state, let left):
            [
                "message": "state", "room": of(state.id.bytes), "state": of(state),
                "left": .array(left.map { [.int($0.seat), of($0.peer.bytes), .string($0.reason)] }),
            ]
        case .request(let room, let number, let request):
            [
                "message": "request", "room": of(room.bytes), "number": .int(number),
                "request": of(request),
            ]
        case .reply(let room, let number, let refusal):
            [
                "message": "reply", "room": of(room.bytes), "number": .int(number),
                "refusal": refusal.map { of($0) } ?? .null,
            ]
        case .closed(let room, let reason):
            ["message": "closed", "room": of(room.bytes), "reason": .string(reason)]
        case .say(let room, let from, let text):
            ["message": "say", "room": of(room.bytes), "from": of(from.bytes), "text": .string(text)]
        case .match(let room, let match, let message):
            [
                "message": "match", "room": of(room.bytes), "match": of(match.bytes), "inner": of(message),
            ]
        case .relay(let room, let match, let seat, let message):
            [
                "message": "relay", "room": of(room.bytes), "match": of(match.bytes), "seat": .int(seat),
                "inner": of(message),
            ]
        case .relayed(let room, let match, let seat, let message):
            [
                "message": "relayed", "room": of(room.bytes), "match": of(match.bytes), "seat": .int(seat),
                "inner": of(message),
            ]
        case .channel(let room, let body):
            ["message": "channel", "room": of(room.bytes), "body": of(body)]
        case .channelRelay(let room, let peer, let body):
            ["message": "channel-relay", "room": of(room.bytes), "peer": of(peer.bytes), "body": of(body)]
        case .channelRelayed(let room, let peer, let body):
            [
                "message": "channel-relayed", "room": of(room.bytes), "peer": of(peer.bytes),
                "body": of(body),
            ]
        case .code(let message): of(message)
        case .elsewhere(let room, let host, let endpoints):
            [
                "message": "elsewhere", "room": of(room.bytes), "host": of(host.bytes),
                "endpoints": of(endpoints),
            ]
        case .words(let room, let message): of(message, room)
        case .hail(let room, let sender, let receiver, let isAnswer):
            [
                "message": "hail", "room": of(room.bytes), "from": of(sender.bytes), "to": of(receiver.bytes),
                "answer": .bool(isAnswer),
            ]
        case .knock(let message): of(message)
        case .turns(let message): of(message)
        }
    }

    static func of(_ message: TurnMessage) -> Value {
        switch message {
        case .heads(let heads):
            [
                "message": "turn-heads",
                "heads": .array(
                    heads.map { head in
                        [
                            "match": of(head.match.bytes), "digest": of(head.digest),
                            "seats": .array(head.seats.map { $0.map { of($0.bytes) } ?? .null }),
                        ]
                    }),
            ]
        case .want(let match, let has, let isAnswer):
            [
                "message": "turn-want", "match": of(match.bytes), "has": .array(has.map { of($0) }),
                "answer": .bool(isAnswer),
            ]
        case .items(let match, let genesis, let items):
            [
                "message": "turn-items", "match": of(match.bytes), "genesis": genesis.map { of($0) } ?? .null,
                "items": .array(items.map { of($0) }),
            ]
        }
    }
}
