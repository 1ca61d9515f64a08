internal import ParlorGames
internal import ParlorProtocol

/// Words for what happens in a simulated match, for people.
enum SimTrace {
    /// Seconds with three places.
    static func time(_ duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        let fraction = String(milliseconds % 1_000)
        let padded = String(repeating: "0", count: 3 - fraction.count) + fraction
        let text = "\(milliseconds / 1_000).\(padded)"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }

    /// The first digits of a hash.
    static func short(_ hash: [UInt8]) -> String {
        hash.prefix(3).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }.joined()
    }

    static func describe(_ message: MatchMessage) -> String {
        switch message {
        case .genesis: "genesis"
        case .propose(let proposal): "propose \(describe(proposal)), counter \(proposal.counter)"
        case .refuse(let counter, let refusal): "refuse counter \(counter): \(refusal.message)"
        case .entries(let entries):
            "entries "
                + entries.map { "\($0.index) \(short($0.hash)) \(describe($0.proposal))" }.joined(
                    separator: ", ")
        case .stored(let index, let hash, _, let accepted, let epoch):
            "stored \(index) \(short(hash)), \(accepted) accepted, epoch \(epoch)"
        case .link(let draw, let link): "link of seat \(link.seat) for draw \(draw)"
        case .want(let index): "want from \(index)"
        case .ask(let epoch): "asks for votes for epoch \(epoch)"
        case .vote(let vote, let accepted):
            "votes for seat \(vote.candidate) in epoch \(vote.epoch), has \(vote.length) entries, "
                + "the last of epoch \(vote.lastEpoch), \(accepted) accepted"
        case .hearing(let hearing):
            "hears \(hearing.seats), follows \(hearing.isLeaderless ? "nobody" : "the sequencer")"
                + (hearing.draw == 0 ? "" : ", has links of \(hearing.links) for draw \(hearing.draw)")
        case .promised(let epoch): "has promised epoch \(epoch)"
        case .clock(let epoch, let zero): "epoch \(epoch) counts from \(zero) microseconds"
        }
    }

    static func describe(_ proposal: Proposal) -> String {
        let author = proposal.author.number < 0 ? "sequencer" : "seat \(proposal.author.number)"
        return "\(describe(proposal.body)) by \(author)"
    }

    static func describe(_ entry: Entry) -> String {
        "\(short(entry.hash)) \(describe(entry.proposal)) at \(entry.time) ms"
    }

    static func describe(_ body: EntryBody) -> String {
        switch body {
        case .chain, .leave, .expire: body.word
        case .commit(let round, _), .reveal(let round, _): "\(body.word) of round \(round)"
        case .move(let datum): "move \(datum)"
        case .draw(let draw, let seats, _): "draw \(draw) of seats \(seats)"
        case .open(let draw, _, let revealAt): "open \(draw) at \(revealAt)"
        case .judge(let calls):
            "judge "
                + calls.map { "came at \($0.arrival), delay \($0.delay), error \($0.error)" }
                .joined(separator: "; ")
        case .away(let seat), .back(let seat): "\(body.word) seat \(seat)"
        case .left(let seat, let reason): "left seat \(seat), \(reason)"
        case .withheld(let draw, let seat): "withheld draw \(draw) seat \(seat)"
        case .sequencer(let seat, let epoch, _, let votes):
            "sequencer seat \(seat), epoch \(epoch), votes of \(votes.map(\.seat))"
        case .driver(let seat, _, _, _, _): "driver of bot \(seat)"
        case .fault(let seat, let kind, _): "fault of seat \(seat): \(kind.word)"
        case .end(let outcomes, let alone, _):
            "end\(alone ? " alone" : "") \(outcomes.map(\.rawValue).joined(separator: ", "))"
        }
    }

    static func describe(_ deed: SimScript.Deed) -> String {
        switch deed {
        case .stall(let seat, let length): "seat \(seat) stalls for \(length) ms"
        case .cut(let seat, let length): "seat \(seat) is cut off \(describe(length))"
        case .crash(let seat, let wait):
            "seat \(seat) is killed, \(wait.map { "back after \($0) ms" } ?? "for good")"
        case .fresh(let seat, let wait): "seat \(seat) loses its machine, a new one comes after \(wait) ms"
        case .doze(let seat, let length): "seat \(seat) sleeps for \(length) ms"
        case .leave(let seat): "seat \(seat) leaves"
        case .kick(let seat): "the host removes seat \(seat)"
        case .split(let seats, let length): "seats \(seats) are parted from the others \(describe(length))"
        }
    }

    private static func describe(_ length: Int?) -> String { length.map { "for \($0) ms" } ?? "for good" }
}
