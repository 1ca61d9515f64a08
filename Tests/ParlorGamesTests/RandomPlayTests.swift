import Foundation
import Testing

@testable import ParlorGames

/// How many times the usual number of matches is played: `PARLOR_MATCHES=10 swift test --filter RandomPlay`.
private let scale = ProcessInfo.processInfo.environment["PARLOR_MATCHES"].flatMap { Int($0) } ?? 1

@Suite("Random play")
struct RandomPlayTests {
    @Test(arguments: 0..<8) func `snap always ends with its 52 cards`(part: Int) throws {
        for index in 0..<600 * scale {
            let seed = UInt64(part * 10_000_000 + index)
            let flips = index % 100 == 0 ? 200 : 10 + index % 10
            var match = try RandomPlay<Snap>(
                seed: seed, options: [.init("max_flips", .int(flips)), .init("turn_s", .int(index % 7))])
            if let broken = match.play(randomSteps: 20 + index % 100, check: Self.missing) {
                Issue.record("seed \(seed): \(broken)")
            }
        }
    }

    @Test(arguments: 0..<8) func `hangman always ends with scores that add up`(part: Int) throws {
        for index in 0..<25 * scale {
            let seed = UInt64(5_000_000 + part * 10_000_000 + index)
            var match = try RandomPlay<Hangman>(
                seed: seed,
                options: [
                    .init("rounds", .int(index % 20 == 0 ? 2 : 1)), .init("turn_s", .int(index % 7)),
                    .init("mode", index % 2 == 0 ? "race" : "together"),
                    .init("any_word", .bool(index % 3 == 0)),
                ])
            if let broken = match.play(randomSteps: 20 + index % 100, check: Self.wrongScore) {
                Issue.record("seed \(seed): \(broken)")
            }
        }
    }

    @Test(arguments: 0..<4) func `tic tac toe, story and lucky always end`(part: Int) throws {
        for index in 0..<150 * scale {
            let seed = UInt64(9_000_000 + part * 10_000_000 + index)
            let time: [Value.Member] = [.init("turn_s", .int(index % 7))]
            var toe = try RandomPlay<TicTacToe>(seed: seed, options: time)
            let brokenToe = toe.play(randomSteps: 5 + index % 20) { game in
                let crosses = game.board.cells.count { $0 == .cross }
                let noughts = game.board.cells.count { $0 == .nought }
                return (0...1).contains(crosses - noughts) ? nil : "\(crosses) X and \(noughts) O"
            }
            if let brokenToe { Issue.record("seed \(seed): \(brokenToe)") }
            var story = try RandomPlay<Story>(seed: seed, options: time)
            let brokenStory = story.play(randomSteps: 20 + index % 100) { game in
                let written = game.parts.reduce(Story.beginning.utf8.count) { $0 + 1 + $1.bytes.count }
                return written == game.bytes && game.bytes <= Story.bytesMost ? nil : "\(game.bytes) bytes"
            }
            if let brokenStory { Issue.record("seed \(seed): \(brokenStory)") }
            let level = LuckyLevel.allCases[index % 3].rawValue
            var lucky = try RandomPlay<Lucky>(seed: seed, options: [.init("level", .string(level))])
            let brokenLucky = lucky.play(randomSteps: 20) { game in
                game.table.score == game.table.safe.count ? nil : "a score that is not"
            }
            if let brokenLucky { Issue.record("seed \(seed): \(brokenLucky)") }
        }
    }

    /// What is wrong with the pack; `nil` when every card is where it can be.
    private static func missing(_ game: Snap) -> String? {
        var seen: UInt64 = 0
        var count = 0
        for index in 0...PileID.pool.index {
            let pile = PileID(index: index)
            for depth in 0..<game.piles.count(pile) {
                count += 1
                let card = game.piles[pile, depth]
                guard card.isKnown else { continue }
                let bit: UInt64 = 1 << UInt64(card.number)
                guard seen & bit == 0 else { return "a card twice" }
                seen |= bit
            }
        }
        let isEmptied = game.holders.isEmpty
        if count != 52 && !isEmptied { return "\(count) cards" }
        return seen & game.unseen.bits == 0 && (seen | game.unseen.bits).nonzeroBitCount == 52 || isEmptied
            ? nil : "cards known and unseen at once"
    }

    /// What is wrong with the points; `nil` when they are what the boards say.
    private static func wrongScore(_ game: Hangman) -> String? {
        guard game.scores.allSatisfy({ $0 >= 0 }) else { return "points below zero: \(game.scores)" }
        guard let round = game.played else { return game.scores.allSatisfy { $0 == 0 } ? nil : "points" }
        for board in round.boards {
            guard (0...round.length).contains(board.found) else { return "found \(board.found)" }
            guard (0...Hangman.badMost).contains(board.bad) else { return "bad \(board.bad)" }
            if let seat = board.seat {
                guard board.score <= game.scores[seat] else { return "a board above its seat's points" }
                continue
            }
            guard board.found == board.letters(among: 64).count(where: { $0 != nil }) else {
                return "\(board.found) found and other letters open"
            }
            let called = (0..<game.attendance.seats).map { round.points(of: $0) }
            guard zip(called, game.scores).allSatisfy({ $0 <= $1 || round.reveal?.fault != nil }) else {
                return "guesses worth \(called), points \(game.scores)"
            }
            guard board.score >= called.reduce(0, +) || round.reveal?.fault != nil else {
                return "a board below its guesses"
            }
        }
        return nil
    }
}
