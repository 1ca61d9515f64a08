import ParlorCrypto
import Testing

@testable import ParlorGames
@testable import ParlorProtocol

/// What a dishonest seat or sequencer can make of a joint draw: nothing but to discard one value a seat,
/// which the log names.
struct WithholdingTests {
    /// Three seats of Snap whose first player has flipped; seat 0 is the sequencer.
    private let seats = 3

    /// What a dishonest seat may do with its link of each draw.
    private enum Choice: CaseIterable {
        case give
        case withhold
    }

    /// One way through some draws.
    private struct Path {
        var table: LogTable
        var withheld = 0
        /// Whether the seat had a say in the newest draw.
        var hadChoice = false
        /// The card of the newest draw, as its place among those unseen before it; `nil` for none.
        var value: Int?
    }

    /// The value of a draw by its definition, with the links of these seats.
    private func value(_ table: LogTable, draw: Int, seats: [Int]) throws -> Int {
        Chance.choose(
            among: try unseen(table).nonzeroBitCount, match: table.genesis.match.bytes, draw: draw,
            links: seats.map { SeatLink(seat: $0, link: table.vaults[$0].link(draw)) },
            hash: Hash.blake2b256)
    }

    /// The cards that were never turned, one bit each.
    private func unseen(_ table: LogTable) throws -> UInt64 {
        try #require(table.state.game as? Snap).unseen.bits
    }

    /// The beginnings of the next draw: a seat that is away may come back before it, or not.
    private func beginnings(of path: Path, by seat: Int) throws -> [Path] {
        var starts = [path]
        if path.table.state.seats[seat].status == .away {
            starts.append(path)
            try starts[1].table.append(.back(seat: seat))
        }
        var begun: [Path] = []
        for var start in starts {
            let flipper = try #require(start.table.state.game?.turn.first)
            // Where everybody waits for its card there is no draw before it comes back.
            guard start.table.state.seats[flipper].status == .active else { continue }
            start.table.time += 1_000
            try start.table.append(LogTable.flip, by: .seat(flipper))
            start.table.time = max(start.table.time, start.table.state.need?.notBefore ?? 0)
            try start.table.append(start.table.beginDraw())
            begun.append(start)
        }
        return begun
    }

    /// All that a seat can make of a draw that has begun: one way for each choice it has.
    private func continuations(of start: Path, by seat: Int) throws -> [Path] {
        let open = try #require(start.table.state.openDraw)
        let before = try unseen(start.table)
        return try (open.seats.contains(seat) ? Choice.allCases : [.give]).map { choice in
            var path = start
            path.hadChoice = open.seats.contains(seat)
            path.value = nil
            if choice == .withhold {
                path.table.time += Limits.linkMilliseconds
                try path.table.append(.withheld(draw: open.draw, seat: seat))
                path.withheld += 1
            }
            // A flip of the seat that has just gone away is taken back: this draw turns no card.
            guard let goesOn = path.table.state.openDraw else { return path }
            let links = goesOn.seats.filter { $0 != 0 }.map(path.table.link)
            try path.table.append(.open(draw: open.draw, links: links, revealAt: path.table.time))
            let card = before ^ (try unseen(path.table))
            #expect(card.nonzeroBitCount == 1)
            path.value = (before & (card - 1)).nonzeroBitCount
            return path
        }
    }

    @Test(arguments: 1...2, UInt64(1)...3)
    func `a seat that withholds reaches two values of a draw, and the second time it has left`(
        seat: Int, seed: UInt64
    ) throws {
        var table = try LogTable(seats: seats, seed: seed)
        try table.chains()
        try table.drawOut()
        var paths = [Path(table: table)]
        for _ in 1...5 {
            var next: [Path] = []
            for start in try paths.flatMap({ try beginnings(of: $0, by: seat) }) {
                let open = try #require(start.table.state.openDraw)
                let given = try value(start.table, draw: open.draw, seats: open.seats)
                let without = try value(start.table, draw: open.draw, seats: open.seats.filter { $0 != seat })
                let reached = try continuations(of: start, by: seat)
                // With its link, and where it has a say without it: two values, and no third.
                #expect(reached.map(\.hadChoice) == (open.seats.contains(seat) ? [true, true] : [false]))
                #expect(reached[0].value == given)
                for other in reached.dropFirst() { #expect(other.value ?? without == without) }
                if !open.seats.contains(seat) { #expect(given == without) }
                next += reached
            }
            for path in next {
                #expect(path.withheld <= Limits.withheldMax)
                let status = path.table.state.seats[seat].status
                #expect((status == .left) == (path.withheld == Limits.withheldMax))
                // Each discarded value stands in the log with the seat's name.
                let named = path.table.log.entries.count {
                    $0.proposal.body.word == "withheld" && $0.proposal.body.cbor.array?.last?.int == seat
                }
                #expect(named == path.withheld)
            }
            paths = next
        }
        let gone = paths.filter { $0.withheld == Limits.withheldMax }
        #expect(!gone.isEmpty && paths.contains { $0.withheld == 0 })
        for var path in gone {
            // It has no say in any later draw, and no way back.
            #expect(path.table.fault(.back(seat: seat)) != nil)
            #expect(path.table.fault(.withheld(draw: path.table.state.lastDraw + 1, seat: seat)) != nil)
        }
    }

    /// A draw that has begun.
    private func begun() throws -> LogTable {
        var table = try LogTable.flipped()
        table.time = table.state.need?.notBefore ?? 0
        try table.append(table.beginDraw())
        return table
    }

    /// The card that an opening turns, as its bit.
    private func turned(_ table: LogTable, links: [SeatLink], revealAt: Int? = nil) throws -> UInt64 {
        var table = table
        let before = try unseen(table)
        let draw = try #require(table.state.openDraw).draw
        try table.append(.open(draw: draw, links: links, revealAt: revealAt ?? table.time))
        return before ^ (try unseen(table))
    }

    @Test func `neither the order of answers nor the time of opening changes the card`() throws {
        let table = try begun()
        let links = [1, 2].map(table.link)
        let card = try turned(table, links: links)
        for order in [links, links.reversed()] {
            for wait in [0, 1, 1_999, 2_000, 60_000] {
                for show in [0, 1, Limits.revealDelayMilliseconds] {
                    var later = table
                    later.time += wait
                    #expect(try turned(later, links: order, revealAt: later.time + show) == card)
                }
            }
        }
    }

    @Test func `once the draw is in the log its sequencer can do no more than anybody else`() throws {
        let table = try begun()
        let links = [1, 2].map(table.link)
        let card = try turned(table, links: links)
        // Another link of its own, or another seat's that does not fit its chain.
        let draw = try #require(table.state.openDraw).draw
        let other = SeatLink(seat: 0, link: table.vaults[0].link(draw + 1))
        let forged = SeatLink(seat: 1, link: [UInt8](repeating: 7, count: 32))
        let later = SeatLink(seat: 1, link: table.vaults[1].link(draw + 1))
        let refused: [[SeatLink]] = [
            [], [links[0]], [links[1]], links + [other], links + [table.link(0)], links + [links[1]],
            [forged, links[1]], [later, links[1]],
        ]
        var trial = table
        for links in refused {
            #expect(trial.fault(.open(draw: draw, links: links, revealAt: trial.time)) != nil)
        }
        // The draw once more, the next one at once, or another number of this one.
        for number in [draw, draw + 1, draw - 1] {
            let seats = [0, 1, 2]
            #expect(
                trial.fault(.draw(draw: number, seats: seats, links: [trial.vaults[0].link(number)])) != nil)
            if number != draw {
                #expect(trial.fault(.open(draw: number, links: links, revealAt: trial.time)) != nil)
            }
        }
        // A seat that has still time is not to be blamed.
        trial.time += Limits.linkMilliseconds - 1
        #expect(trial.fault(.withheld(draw: draw, seat: 1)) != nil)
        trial.time += 1
        #expect(trial.fault(.withheld(draw: draw, seat: 0)) != nil, "its own link is in the log already")
        // And when it goes away or leaves itself, its link is in the draw all the same.
        for body in [EntryBody.away(seat: 0), .left(seat: 0, reason: .kicked)] {
            var gone = table
            try gone.append(body)
            #expect(try turned(gone, links: links) == card, "\(body.word)")
        }
    }

    @Test func `with all links but one, every value is as possible as before`() throws {
        let table = try begun()
        var counts = Array(repeating: 0, count: Card.count)
        // Whatever the others' links are, it is the last one that decides.
        for last in 0..<(20 * Card.count) {
            let bytes = Hash.blake2b256([
                UInt8(truncatingIfNeeded: last), UInt8(truncatingIfNeeded: last >> 8),
            ])
            let links = [0, 1].map(table.link) + [SeatLink(seat: 2, link: bytes)]
            counts[
                Chance.choose(
                    among: Card.count, match: table.genesis.match.bytes, draw: 1, links: links,
                    hash: Hash.blake2b256)] += 1
        }
        #expect(Fairness.isUniform(counts), "\(counts)")
    }
}
