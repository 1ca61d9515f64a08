public import ParlorControl
internal import ParlorGames
public import ParlorProtocol

extension EntryInfo {
    /// An entry of a log.
    public init(_ entry: Entry) {
        self.init(
            index: entry.index, time: entry.time, author: entry.proposal.author.number,
            kind: entry.proposal.body.word, body: JSON(entry.proposal.body), prev: Hex.encode(entry.previous),
            hash: Hex.encode(entry.hash))
    }
}

extension JSON {
    /// What an entry says.
    public init(_ body: EntryBody) {
        switch body {
        case .chain(let end, let boxKey, let vault):
            self = ["end": .hex(end), "box_key": .hex(boxKey), "vault": .hex(vault)]
        case .commit(let round, let commitment):
            self = ["round": .int(round), "commitment": .hex(commitment)]
        case .reveal(let round, let nonce): self = ["round": .int(round), "nonce": .hex(nonce)]
        case .move(let datum): self = ["move": JSON(datum)]
        case .leave, .expire: self = [:]
        case .draw(let draw, let seats, let links):
            self = [
                "draw": .int(draw), "seats": .array(seats.map { .int($0) }),
                "links": .array(links.map { .hex($0) }),
            ]
        case .open(let draw, let links, let revealAt):
            let links = links.map {
                JSON.object([Member("seat", .int($0.seat)), Member("link", .hex($0.link))])
            }
            self = ["draw": .int(draw), "links": .array(links), "reveal_at": .int(revealAt)]
        case .judge(let calls):
            self = [
                "calls": .array(
                    calls.map {
                        [
                            "arrival": .int($0.arrival), "delay_ms": .int($0.delay),
                            "error_ms": .int($0.error),
                        ]
                    })
            ]
        case .away(let seat), .back(let seat): self = ["seat": .int(seat)]
        case .left(let seat, let reason): self = ["seat": .int(seat), "reason": .string("\(reason)")]
        case .withheld(let draw, let seat): self = ["draw": .int(draw), "seat": .int(seat)]
        case .sequencer(let seat, let epoch, let clock, let votes):
            self = [
                "seat": .int(seat), "epoch": .int(epoch), "clock": .int(clock),
                "votes": .array(votes.map { .int($0.seat) }),
            ]
        case .driver(let seat, let peer, let end, let boxKey, let vault):
            self = [
                "seat": .int(seat), "peer": .string("\(peer)"), "end": .hex(end), "box_key": .hex(boxKey),
                "vault": .hex(vault),
            ]
        case .fault(let seat, let kind, let evidence):
            self = [
                "seat": .int(seat), "fault": .string(kind.word),
                "evidence": .array(evidence.map { .string(Hex.encode($0)) }),
            ]
        case .end(let outcomes, let alone, let stateHash):
            self = [
                "outcomes": .array(outcomes.map { .string($0.rawValue) }), "alone": .bool(alone),
                "state_hash": .hex(stateHash),
            ]
        }
    }

    private init(_ datum: Datum) {
        switch datum {
        case .none: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .bytes(let bytes): self = .hex(bytes)
        case .text(let text): self = .string(text)
        case .list(let elements): self = .array(elements.map { JSON($0) })
        }
    }

    private static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes)) }
}
