import ParlorCrypto
import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

/// What an entry that is refused leaves of itself: nothing.
struct RefusedEntryTests {
    /// What a state holds, but for the game, which its hash covers.
    private struct Seen: Equatable {
        let hash: [UInt8]
        let seats: [MatchState.Seat]
        let boxKeys: [[UInt8]]
        let former: [[[UInt8]]]
        let draw: Draw
        let openDraw: MatchState.OpenDraw?
        let numbers: [Int]

        init(_ state: MatchState) {
            hash = state.hash
            seats = state.seats
            boxKeys = state.boxKeys
            former = state.formerBoxKeys
            draw = state.draw
            openDraw = state.openDraw
            numbers = [state.sequencer, state.epoch, state.sequencerCounter, state.lastDraw]
        }
    }

    @Test(arguments: [("snap", UInt64(1)), ("snap", 2), ("hangman", 3), ("hangman", 4)])
    func `a refused entry leaves the state as it was`(game: String, seed: UInt64) throws {
        var setup = SimTable.Setup(game: game, seats: 3)
        setup.bots = [.normal]
        if game == "snap" { setup.options = [.init("max_flips", 12)] }
        var table = try SimTable(setup, seed: seed)
        table.vanish(2, afterMilliseconds: 3_000)
        table.comeBack(2, afterMilliseconds: 9_000)
        let hasEnded = table.run(forSeconds: 1_800)
        #expect(hasEnded)
        let entries = table.machines[0].log.entries
        let bodies = entries.map(\.proposal.body)
        var random = SeededGenerator(seed: seed)
        var state = MatchState(table.machines[0].log.genesis, words: setup.words)
        var refused = 0
        for entry in entries {
            let before = Seen(state)
            for body in try bodies.shuffled(using: &random).prefix(6) + others(state, &random) {
                let time = entry.time + [0, 0, 0, 11_000].randomElement(using: &random)!
                for author in [Author.sequencer, .seat(Int.random(in: 0...3, using: &random))] {
                    var copy = state
                    do {
                        try copy.apply(body, by: author, at: time)
                    } catch {
                        refused += 1
                        try #require(
                            Seen(copy) == before, "seed \(seed), entry \(entry.index): \(body) by \(author)")
                    }
                }
            }
            try state.apply(entry.proposal.body, by: entry.proposal.author, at: entry.time)
            state.count(entry.proposal)
        }
        #expect(refused > 5 * entries.count)
    }

    /// Bodies that no log of an undisturbed match has, and openings of whatever draw is on.
    private func others(_ state: MatchState, _ random: inout SeededGenerator) throws -> [EntryBody] {
        let seat = Int.random(in: -1...4, using: &random)
        let links = (state.openDraw?.seats ?? [0, 1]).map { SeatLink(seat: $0, link: random.bytes(32)) }
        let draw = state.openDraw?.draw ?? state.lastDraw + 1
        return [
            .away(seat: seat), .back(seat: seat), .left(seat: seat, reason: .grace), .expire,
            .open(draw: 0, links: [], revealAt: 0), .open(draw: draw, links: links, revealAt: 0),
            .withheld(draw: draw, seat: seat), .judge([CallBounds(arrival: 0, delay: 0, error: 0)]),
            .sequencer(seat: seat, epoch: state.epoch + 1, clock: 0, votes: []),
            .end(outcomes: [], alone: Bool.random(using: &random), stateHash: state.hash),
            .move(.list([.int(1), .int(0), .int(0)])), .move(.none),
        ]
    }
}
