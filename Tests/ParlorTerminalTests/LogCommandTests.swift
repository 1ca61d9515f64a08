import Foundation
import ParlorControl
import ParlorGames
import ParlorProtocol
import ParlorSim
import ParlorViews
import Testing

@testable import ParlorTerminal

/// What is said of logs, shown of matches, and done with files.
struct LogCommandTests {
    /// A match that programs of chance played with real signatures.
    static func played(
        _ game: String = "snap", seats: Int = 2, _ options: [Value.Member] = [.init("max_flips", 12)],
        seed: UInt64 = 4, leaver: Int? = nil
    ) throws -> MatchLog {
        var setup = SimTable.Setup(game: game, seats: seats)
        setup.options = options
        setup.words = .builtin
        setup.realSignatures = true
        var table = try SimTable(setup, seed: seed)
        if let leaver { table.leave(leaver, afterMilliseconds: 1_500) }
        let isOver = table.run(forSeconds: 900)
        #expect(isOver)
        return table.machines[0].log
    }

    private func verdict(_ text: String) -> VerifyInfo { VerifyInfo(text: text, kept: { _ in nil }) }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func `a log that holds is told with seats and outcomes`() throws {
        let log = try Self.played()
        let found = verdict(LogText.write(log))
        #expect(found.valid && found.verdict == .complete && found.index == nil && found.rule == nil)
        #expect(found.match == "\(log.match)" && found.game == "snap")
        let said = VerdictText.lines(found)
        #expect(said[0] == "Valid and complete: all \(log.entries.count) entries of snap hold.")
        #expect(said.count == 3 && said[1].hasPrefix("  Seat 1  player 0  "))
    }

    @Test func `a log without its end is incomplete, not damaged`() throws {
        let log = try Self.played()
        let cut = lines(LogText.write(log)).dropLast(2).joined(separator: "\n") + "\n"
        let found = verdict(cut)
        let count = log.entries.count - 1
        #expect(!found.valid && found.verdict == .incomplete)
        #expect(found.entries == count && found.index == count && found.rule == "incomplete")
        #expect(
            VerdictText.headline(found)
                == "Incomplete: all \(count) entries of snap hold, but the end of the match is missing.")
        // Cut within a line, more than the end is missing.
        #expect(verdict(String(cut.dropLast(9))).verdict == .damaged)
    }

    @Test func `the first fault is told with entry, rule and author`() throws {
        let log = try Self.played()
        var text = lines(LogText.write(log))
        let place = try #require(log.entries.lastIndex { $0.proposal.author == .seat(1) })
        // The last byte of the entry belongs to the sequencer's signature.
        text[place + 2] = text[place + 2].dropLast() + (text[place + 2].hasSuffix("0") ? "1" : "0")
        let found = verdict(text.joined(separator: "\n"))
        #expect(found.verdict == .damaged && found.index == place && found.entries == place)
        #expect(found.rule == "signature" && found.author == 1 && found.sequencer == 0)
        #expect(
            VerdictText.lines(found)[1]
                == "Entry \(place) is by seat 2 (player 1), ordered by seat 1 (player 0). "
                + "The \(place) before it hold.")
        text[place + 2] = "entry 00"
        let unread = verdict(text.joined(separator: "\n"))
        #expect(unread.rule == "malformed" && unread.author == nil && unread.index == place)
    }

    @Test func `logs of newer programs are said to be so`() throws {
        let text = LogText.write(try Self.played())
        for (newer, word) in [("parlor-log 2", "newer"), ("parlor-log 02", "no Parlor log")] {
            let found = verdict(text.replacingOccurrences(of: "parlor-log 1", with: newer))
            #expect(!found.valid && found.index == -1 && found.seats == nil)
            #expect(found.problem?.contains(word) == true)
            #expect((found.verdict == .newer) == (word == "newer"))
        }
        // The number after the genesis' array head, and the rules after the game's name.
        let version = verdict(text.replacingOccurrences(of: "genesis 8801", with: "genesis 8802"))
        #expect(version.verdict == .newer && version.rule == "version")
        let rules = verdict(text.replacingOccurrences(of: "64736e617001", with: "64736e617002"))
        #expect(rules.verdict == .newer && rules.problem?.contains("rules 2") == true)
        let game = verdict(text.replacingOccurrences(of: "64736e6170", with: "64736e6171"))
        #expect(game.verdict == .newer && game.problem?.contains("'snaq'") == true)
    }

    // MARK: Replay

    private func moments(_ log: MatchLog) throws -> [ReplayScript.Moment] {
        var again = MatchLog(log.genesis, words: .builtin, signing: .ed25519)
        var script = ReplayScript(plain: true)
        var moments: [ReplayScript.Moment] = []
        for entry in log.entries {
            try again.append(entry)
            moments += script.next(again)
        }
        return moments + script.finish()
    }

    @Test(arguments: [2, 3, 4])
    func `a Snap match is replayed card by card and never backwards`(seats: Int) throws {
        let log = try Self.played(seats: seats, [.init("max_flips", 15)], seed: UInt64(seats))
        let moments = try moments(log)
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0.time <= $1.time })
        let said = moments.flatMap(\.lines)
        let flips = log.state.game?.view(for: nil, secrets: nil, at: .max)["flips"]
        #expect(flips == .int(said.count { $0.contains(" flipped: ") }))
        #expect(said.first?.hasPrefix("The draw: player 0 ") == true)
        #expect(said.last?.hasPrefix("The match is over: ") == true)
        #expect(!said.contains { $0.hasSuffix("'s turn.") || $0.hasPrefix("You") || $0.hasPrefix("Waiting") })
        // No card is told before the moment at which it showed.
        for moment in moments {
            let reveal = moment.match.view["reveal_at"]?.integer ?? 0
            if moment.lines.contains(where: { $0.contains(" flipped: ") }) { #expect(moment.time >= reveal) }
        }
    }

    @Test func `a Hangman match is replayed without the word before its time`() throws {
        let log = try Self.played("hangman", seats: 2, [], seed: 5)
        var isTold = false
        var words: [String] = []
        for line in try moments(log).flatMap(\.lines) {
            if line.hasPrefix("The word was: ") {
                words.append(String(line.dropFirst(14)))
                isTold = true
            }
        }
        #expect(isTold)
        var digest = MatchDigest(plain: true)
        var again = MatchLog(log.genesis, words: .builtin, signing: .ed25519)
        for entry in log.entries {
            try again.append(entry)
            digest.next(again)
        }
        let found = verdict(LogText.write(log))
        #expect(digest.lines(nil, found).contains("Words: \(words.joined(separator: ", "))."))
    }

    @Test func `who leaves is told`() throws {
        let log = try Self.played(seats: 3, [.init("max_flips", 40)], leaver: 2)
        #expect(try moments(log).flatMap(\.lines).contains("player 2 left."))
    }

    // MARK: The program

    @Test func `a file is verified and replayed without a daemon, whatever its size`() throws {
        let house = try FakeHouse()
        defer { house.close() }
        let log = try Self.played()
        let text = LogText.write(log)
        let path = house.folder.appendingPathComponent("match.log").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let whole = try house.run("verify", path)
        #expect(whole.code == 0 && whole.output.hasPrefix("Valid and complete: "))
        let json = try house.run("verify", "-", "--json", input: text)
        #expect(try JSON(parsing: json.output) == JSON(encoding: verdict(text)))
        let bad = try house.run("verify", "-", input: text + "x")
        #expect(bad.code == 1 && bad.output.hasPrefix("Not valid: entry \(log.entries.count): malformed"))
        // Far more than a line of the control socket, and never in memory at once.
        let long = String(repeating: "entry 00", count: 1_000_000)
        let refused = try house.run("verify", "-", input: text + long)
        #expect(refused.code == 1 && refused.output.contains("too long"))
        let replayed = try house.run("replay", path, "--fast")
        #expect(replayed.code == 0 && replayed.output.hasPrefix("Snap: player 0, player 1\nThe draw: "))
        let lines = try house.run("replay", path, "--fast", "--json").output.split(separator: "\n")
        #expect(lines.count >= log.entries.count)
        #expect(try JSON(parsing: String(lines[0])).decode(MatchInfo.self).entries == 1)
        for wrong in [["--speed", "0"], ["--speed", "x"], ["--speed", "2", "--fast"], ["--speed", "nan"]] {
            let arguments = ["replay", path] + wrong
            let ran = try Ran.program(house.parlor, arguments, environment: ["PARLOR_HOME": house.home])
            #expect(ran.code == 2, "\(wrong)")
        }
        #expect(!FileManager.default.fileExists(atPath: house.home + "/run"), "a daemon was started")
    }

    @Test func `a damaged file is replayed as far as it holds`() throws {
        let house = try FakeHouse()
        defer { house.close() }
        var text = lines(LogText.write(try Self.played()))
        text.remove(at: text.count - 4)
        let ran = try house.run("replay", "-", "--fast", input: text.joined(separator: "\n"))
        #expect(ran.code == 1 && ran.output.contains("The draw: "))
        #expect(ran.errors.hasPrefix("parlor: Not valid: entry \(text.count - 5): chain: "))
        let cut = text.prefix(12).joined(separator: "\n") + "\n"
        let part = try house.run("replay", "-", "--fast", input: cut)
        #expect(part.code == 0 && part.errors.hasPrefix("Incomplete: all 10 entries of snap hold"))
    }

    @Test func `IDs are shown as long as needed to tell them apart`() {
        #expect(SummaryText.digits(toTellApart: []) == 8)
        #expect(SummaryText.digits(toTellApart: ["00112233445566", "10112233445566"]) == 8)
        #expect(SummaryText.digits(toTellApart: ["0011223344aa66", "0011223344ab66"]) == 12)
        #expect(SummaryText.digits(toTellApart: ["00112233", "00112233"]) == 8)
        #expect(LocalTime.span(59_999) == "59 s")
        #expect(LocalTime.span(192_000) == "3 min 12 s")
        #expect(LocalTime.span(3_600_000) == "1 h 0 min")
    }
}
