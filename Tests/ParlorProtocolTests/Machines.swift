import ParlorGames
import Testing

@testable import ParlorProtocol

/// Machines of all seats; the test says which messages arrive.
struct Machines {
    let table: LogTable
    var machines: [MatchMachine]
    var now = second(0)
    /// On their way, in order.
    var sent: [(message: MatchMessage, from: Int, to: Int)] = []
    var replies: [(id: UInt64, result: Result<Int, MatchRefusal>)] = []
    var notices: [[MatchNotice]]
    /// What each seat has on its disk.
    var records: [MatchRecord]

    init(_ game: String = "snap", seats: Int = 2, bots: Int = 0, seed: UInt64 = 1) throws {
        table = try LogTable(game, seats: seats, bots: bots, seed: seed)
        notices = Array(repeating: [], count: seats)
        records = Array(repeating: MatchRecord(table.genesis), count: seats)
        machines = []
        for seat in 0..<seats { machines.append(machine(seat, secret: 10 + seat)) }
    }

    func machine(_ seat: Int, secret: Int, isNew: Bool = true) -> MatchMachine {
        MatchMachine(
            table.genesis, seat: seat, words: WordList(["apple", "garden"]), signer: table.signers[seat],
            signing: .standIn, identity: table.identities[seat],
            secret: [UInt8](repeating: UInt8(secret), count: 32), isNew: isNew, now: now)
    }

    /// The machine of a seat whose process ended, from what it had stored.
    func restored(_ seat: Int) throws(LogFault) -> MatchMachine {
        try MatchMachine(
            records[seat], seat: seat, words: WordList(["apple", "garden"]), signer: table.signers[seat],
            signing: .standIn, identity: table.identities[seat],
            secret: [UInt8](repeating: 77, count: 32), now: now)
    }

    /// Feeds a machine; returns what it wants done, but for what it wants stored.
    @discardableResult
    mutating func feed(_ seat: Int, _ input: MatchMachine.Input) -> [MatchMachine.Action] {
        let actions = machines[seat].handle(input, at: now)
        for action in actions {
            switch action {
            case .send(let message, let to): sent.append((message, seat, to))
            case .broadcast(let message):
                for to in machines.indices where to != seat { sent.append((message, seat, to)) }
            case .reply(let id, let result): replies.append((id.rawValue, result))
            case .notice(let notice): notices[seat].append(notice)
            case .store(let step): records[seat].apply(step)
            case .arm: break
            }
        }
        return actions.filter { if case .store = $0 { false } else { true } }
    }

    /// Delivers everything that is on its way and what follows of it, but for what the test holds back.
    mutating func settle(holding isHeld: (MatchMessage, Int, Int) -> Bool = { _, _, _ in false }) {
        var held: [(message: MatchMessage, from: Int, to: Int)] = []
        while !sent.isEmpty {
            let next = sent.removeFirst()
            if isHeld(next.message, next.from, next.to) {
                held.append(next)
            } else {
                feed(next.to, .received(next.message, from: next.from))
            }
        }
        sent = held
    }

    mutating func begin() {
        for seat in machines.indices { feed(seat, .begin) }
        settle()
    }

    /// Lets time pass for all.
    mutating func pass(milliseconds: Int) {
        now = now + .milliseconds(milliseconds)
        for seat in machines.indices { feed(seat, .deadlinePassed) }
        settle()
    }

    var first: Int { machines[0].accepted.draw.first ?? 0 }
    func answers(_ id: UInt64) -> [Result<Int, MatchRefusal>] { replies.filter { $0.id == id }.map(\.result) }

    /// A proposal of a seat as its machine would make it.
    func proposal(_ body: EntryBody, by seat: Int, counter: Int = 100) -> Proposal {
        let log = machines[seat].log
        return Proposal(
            match: log.match, author: .seat(seat), counter: counter, seenIndex: log.entries.count - 1,
            seenHash: log.head, body: body, signer: table.signers[seat])
    }

    /// The next entry as the host would make it.
    func entry(_ body: EntryBody, time: Int = 0, counter: Int = 100) -> Entry {
        let log = machines[0].log
        let proposal = Proposal(
            match: log.match, author: .sequencer, counter: counter, seenIndex: log.entries.count - 1,
            seenHash: log.head, body: body, signer: table.signers[0])
        return Entry(
            index: log.entries.count, previous: log.head, time: max(time, log.entries.last?.time ?? 0),
            proposal: proposal, signer: table.signers[0])
    }
}
