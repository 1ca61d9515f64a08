import ParlorCrypto
import ParlorGames
import ParlorSim

@testable import ParlorProtocol

/// A log that a test writes: everybody's keys and secrets are at hand.
struct LogTable {
    let genesis: Genesis
    let signers: [Signer]
    let vaults: [SeatVault]
    let identities: [[UInt8]]
    var log: MatchLog
    var time = 0
    private var counters: [Author: Int] = [:]

    /// Bots sit after the people; seat 0 drives them.
    init(
        _ game: String = "snap", seats: Int = 2, bots: Int = 0, options: [Value.Member] = [], seed: UInt64 = 1
    ) throws {
        guard let declaration = Catalog.rules(game)?.declaration else {
            preconditionFailure("no game \(game)")
        }
        var random = SeededGenerator(seed: seed)
        let signers = (1...seats).map { Signer(standInFor: peer($0)) }
        let words = WordList(["apple", "garden"])
        genesis = Genesis(
            nonce: random.bytes(16), room: roomID, game: game, rules: declaration.rules,
            options: try GameOptions(declaration, given: options),
            seats: signers.enumerated().map { .init(peer: $1.peer, name: "player \($0)") }
                + (0..<bots).map { .init(peer: peer(1), name: "bot \($0)", bot: true) },
            words: words.identity(Hash.blake2b256))
        self.signers = signers
        let match = genesis.match
        let people = (0..<seats).map { SeatVault(seat: $0, match: match, secret: random.bytes(32)) }
        vaults =
            people
            + (0..<bots).map { number in
                let secret = people[0].secret(ofBot: seats + number, epoch: 0)
                return SeatVault(seat: seats + number, match: match, secret: secret)
            }
        let identities = (0..<seats).map { _ in random.bytes(32) }
        self.identities = identities + (0..<bots).map { _ in identities[0] }
        log = MatchLog(genesis, words: words, signing: .standIn)
    }

    var state: MatchState { log.state }

    /// Who signs for an author.
    func signer(_ author: Author) -> Signer {
        guard case .seat(let seat) = author else { return signers[state.sequencer] }
        guard state.seats.indices.contains(seat) else { return signers[signers.count - 1] }
        return signers[state.seats[seat].driver]
    }

    /// A proposal of the next counter.
    mutating func proposal(_ body: EntryBody, by author: Author) -> Proposal {
        counters[
            author, default: log.state.counter(of: author) == .max ? -1 : log.state.counter(of: author)] += 1
        return Proposal(
            match: genesis.match, author: author, counter: counters[author] ?? 0,
            seenIndex: log.entries.count - 1, seenHash: log.head, body: body, signer: signer(author))
    }

    func entry(_ proposal: Proposal, at time: Int? = nil, signer: Signer? = nil) -> Entry {
        Entry(
            index: log.entries.count, previous: log.head, time: time ?? self.time, proposal: proposal,
            signer: signer ?? signers[state.sequencer])
    }

    /// Appends what an author says at this table's time.
    mutating func append(_ body: EntryBody, by author: Author = .sequencer) throws(LogFault) {
        let proposal = proposal(body, by: author)
        let isAlone = if case .end(_, true, _) = body { true } else { false }
        try log.append(entry(proposal, signer: isAlone ? signer(author) : nil))
    }

    /// The rule that an author breaks by saying something; the log must stay what it was.
    mutating func fault(_ body: EntryBody, by author: Author = .sequencer) -> LogFault? {
        let (hash, head) = (state.hash, log.head)
        do { try append(body, by: author) } catch {
            precondition(state.hash == hash && log.head == head, "a refused entry left a trace")
            return error
        }
        return nil
    }

    func chain(_ seat: Int) -> EntryBody {
        let vault = vaults[seat]
        return .chain(
            end: vault.chainEnd, boxKey: vault.boxPublicKey, vault: vault.sealed(identity: identities[seat]))
    }

    func commit(_ seat: Int, nonce: [UInt8]? = nil) -> EntryBody {
        let round = state.draw.round
        return .commit(
            round: round,
            commitment: Draw.commitment(
                match: genesis.match, round: round, seat: seat,
                nonce: nonce ?? vaults[seat].nonce(round: round)))
    }

    func reveal(_ seat: Int) -> EntryBody {
        .reveal(round: state.draw.round, nonce: vaults[seat].nonce(round: state.draw.round))
    }

    mutating func chains() throws(LogFault) {
        for seat in state.remaining { try append(chain(seat), by: .seat(seat)) }
    }

    /// Lets the seats draw until the game is on.
    mutating func drawOut() throws(LogFault) {
        while state.phase == .drawing {
            for seat in state.draw.owing where !state.draw.isRevealing {
                try append(commit(seat), by: .seat(seat))
            }
            for seat in state.draw.owing where state.draw.isRevealing {
                try append(reveal(seat), by: .seat(seat))
            }
        }
    }

    /// Begins the joint draw that is needed.
    func beginDraw() -> EntryBody {
        let draw = state.lastDraw + 1
        let seats = state.need.map { state.drawSeats(for: $0) } ?? []
        let driven = seats.filter { state.seats[$0].driver == state.sequencer }
        return .draw(draw: draw, seats: seats, links: driven.map { vaults[$0].link(draw) })
    }

    func link(_ seat: Int) -> SeatLink { SeatLink(seat: seat, link: vaults[seat].link(state.lastDraw)) }

    static let flip = EntryBody.move(.list([.int(0)]))

    /// A Snap table whose first player has flipped: a draw is needed.
    static func flipped(
        seats: Int = 3, bots: Int = 0, options: [Value.Member] = [], seed: UInt64 = 1
    ) throws -> LogTable {
        var table = try LogTable(seats: seats, bots: bots, options: options, seed: seed)
        try table.chains()
        try table.drawOut()
        try table.append(flip, by: .seat(table.state.draw.first ?? 0))
        return table
    }
}

extension Author {
    static let host = Author.seat(0)
    static let guest = Author.seat(1)
}
