import Foundation
import ParlorCrypto
import ParlorGames
import ParlorSim
import Testing

@testable import ParlorProtocol

@Suite struct LogGoldenTests {
    /// A match to keep: its setup and the seed that everything in it follows from.
    struct Kept: Sendable {
        let file: String
        let setup: SimTable.Setup
        let seed: UInt64
        let trouble: Trouble

        /// What goes wrong.
        enum Trouble: Sendable {
            case none
            /// Seat 1 is away for a while, seat 3 for good, and seat 2 leaves.
            case guests
            /// The host is away for a while, and whoever took over is gone for good later.
            case host
        }

        init(
            _ file: String, game: String, seats: Int, _ options: [Value.Member] = [],
            bots: [BotSkill] = [], seed: UInt64, _ trouble: Trouble = .none
        ) {
            self.file = file
            self.seed = seed
            self.trouble = trouble
            var setup = SimTable.Setup(game: game, seats: seats)
            setup.options = options
            setup.realSignatures = true
            setup.bots = bots
            self.setup = setup
        }

        /// Plays it.
        func play() throws -> SimTable {
            var table = try SimTable(setup, seed: seed)
            switch trouble {
            case .none: break
            case .guests:
                table.vanish(1, afterMilliseconds: 3_000)
                table.vanish(3, afterMilliseconds: 3_500)
                table.comeBack(1, afterMilliseconds: 7_000)
                _ = table.run(forSeconds: 9)
                table.leave(2)
            case .host:
                table.isolate(0, afterMilliseconds: 3_000)
                table.comeBack(0, afterMilliseconds: 7_000)
                table.vanish(1, afterMilliseconds: 12_000)
            }
            let isOver = table.run(forSeconds: 3_600)
            #expect(isOver)
            return table
        }

        /// The log as it was kept; played anew only when the golden files are written.
        func text() throws -> String {
            guard Golden.isWriting else { return try Golden.text("\(file).log") }
            let table = try play()
            let text = LogText.write(table.machines[trouble == .host ? 2 : 0].log)
            for machine in table.machines where !table.gone.contains(machine.seat) {
                #expect(LogText.write(machine.log) == text)
            }
            return text
        }

        /// The secrets of the seats: those kept with the log, or those that its table takes from its seed in
        /// this order.
        func secrets() throws -> [(identity: [UInt8], secret: [UInt8])] {
            guard Golden.isWriting else { return try Golden.secrets(of: file) }
            var random = SeededGenerator(seed: seed)
            _ = random.bytes(setup.seats * 32 + 32)
            let identities = (0..<setup.seats).map { _ in random.bytes(32) }
            return identities.map { ($0, random.bytes(32)) }
        }
    }

    static let kept = [
        Kept("snap", game: "snap", seats: 3, [.init("max_flips", 20)], seed: 3),
        Kept(
            "snap-troubled", game: "snap", seats: 4, [.init("max_flips", 24), .init("grace_s", 10)], seed: 2,
            .guests),
        Kept(
            "snap-handed-over", game: "snap", seats: 3, [.init("max_flips", 40), .init("grace_s", 10)],
            seed: 6, .host),
        Kept("snap-bots", game: "snap", seats: 1, [.init("max_flips", 20)], bots: [.easy, .hard], seed: 7),
        Kept(
            "snap-taken-over", game: "snap", seats: 3, [.init("max_flips", 60), .init("grace_s", 10)],
            bots: [.normal], seed: 8, .host),
        Kept(
            "hangman-taken-over", game: "hangman", seats: 3, [.init("grace_s", 10)], bots: [.normal], seed: 9,
            .host),
        Kept("hangman", game: "hangman", seats: 2, seed: 5),
        Kept(
            "hangman-together", game: "hangman", seats: 3, [.init("mode", "together"), .init("turn_s", 20)],
            seed: 4),
        Kept("hangman-alone", game: "hangman", seats: 1, seed: 1),
        Kept("tictactoe", game: "tictactoe", seats: 2, seed: 10),
        Kept("tictactoe-bot", game: "tictactoe", seats: 1, bots: [.hard], seed: 11),
        Kept("story", game: "story", seats: 3, seed: 12),
        Kept(
            "story-troubled", game: "story", seats: 4, [.init("grace_s", 10), .init("turn_s", 20)], seed: 13,
            .guests),
        Kept("lucky", game: "lucky", seats: 1, [.init("level", "easy")], seed: 14),
    ]

    @Test func `the golden logs read as they did when they were kept`() throws {
        var vectors: [GoldenVector] = []
        for kept in Self.kept {
            let text = try kept.text()
            let secrets = try kept.secrets()
            try Golden.checkText("\(kept.file).log", text)
            let log = try LogText.read(text, words: { _ in kept.setup.words }, signing: .ed25519)
            let match = log.match
            for (seat, secret) in secrets.enumerated() {
                let vault = SeatVault(seat: seat, match: match, secret: secret.secret)
                #expect(vault.chainEnd == log.state.seats[seat].chainEnd)
            }
            let outcomes = try #require(log.state.outcomes)
            #expect(outcomes.count == kept.setup.seats + kept.setup.bots.count)
            vectors.append(
                GoldenVector(
                    name: kept.file, kind: "log", bytes: Hash.blake2b256(Array(text.utf8)),
                    meaning: [
                        "file": .string("\(kept.file).log"), "match": Meaning.of(match.bytes),
                        "entries": .int(log.entries.count), "head": Meaning.of(log.head),
                        "draw": .array(
                            log.state.draw.rounds.map { round in
                                .array(round.map { [.int($0.seat), .int($0.number)] })
                            }),
                        "first": .int(try #require(log.state.draw.first)),
                        "outcomes": .array(outcomes.map { .string($0.rawValue) }),
                        "states": .array(try states(of: log, words: kept.setup.words)),
                        "words": .array(kept.setup.words.words.map { .string($0) }),
                        "secrets": .array(
                            secrets.map {
                                ["identity": Meaning.of($0.identity), "secret": Meaning.of($0.secret)]
                            }),
                    ]))
        }
        try Golden.check("logs", vectors)
    }

    /// The hash of the state after every entry.
    private func states(of log: MatchLog, words: WordList) throws -> [Value] {
        var again = MatchLog(log.genesis, words: words, signing: .ed25519)
        return try log.entries.map { entry in
            try again.append(entry)
            return Meaning.of(again.state.hash)
        }
    }

    @Test(arguments: kept)
    func `a table plays the same match twice`(kept: Kept) throws {
        #expect(try kept.play().machines[0].log.head == kept.play().machines[0].log.head)
    }

    /// The shortest log there is with an author that is not the sequencer: too few are left to begin.
    private func shortLog() throws -> MatchLog {
        let rules = try #require(Catalog.rules("snap")).declaration
        let genesis = Genesis(
            nonce: (0..<16).map { $0 }, room: try Cast.room(), game: "snap", rules: 1,
            options: try GameOptions(rules),
            seats: [.init(peer: Cast.ann.peer, name: "A"), .init(peer: Cast.bob.peer, name: "B")],
            words: nil)
        var log = MatchLog(genesis, words: WordList([]), signing: .ed25519)
        func append(_ author: Author, _ signer: Signer, _ body: EntryBody) throws {
            let proposal = Proposal(
                match: log.match, author: author, counter: 0, seenIndex: log.entries.count - 1,
                seenHash: log.head,
                body: body, signer: signer)
            try log.append(
                Entry(
                    index: log.entries.count, previous: log.head, time: 40, proposal: proposal,
                    signer: Cast.ann))
        }
        try append(.seat(1), Cast.bob, .leave)
        try append(.sequencer, Cast.ann, .end(outcomes: [], alone: false, stateHash: log.state.hash))
        return log
    }

    @Test func `a short log with any one byte changed is refused, and it says where`() throws {
        let log = try shortLog()
        let text = LogText.write(log)
        let bytes = Array(text.utf8)
        #expect(throws: Never.self) { try LogText.read(text, words: { _ in nil }, signing: .ed25519) }
        let lineStarts = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        for place in bytes.indices {
            let line = (lineStarts.lastIndex { $0 <= place } ?? 0)
            for flip: UInt8 in [0x01, 0x20] {
                var changed = bytes
                changed[place] ^= flip
                let fault = #expect(throws: LogTextFault.self) {
                    try LogText.read(
                        String(decoding: changed, as: UTF8.self), words: { _ in nil }, signing: .ed25519)
                }
                // A change of the genesis shows at the latest in the first entry, any other in its own line.
                let least = line < 2 ? -1 : line - 2
                let most = line < 2 ? 0 : line - 2
                let index = fault?.index ?? .min
                #expect((least...most).contains(index), "byte \(place), line \(line): entry \(index)")
            }
        }
    }

    @Test func `a log cut off or with something after its end is refused`() throws {
        let log = try shortLog()
        let text = LogText.write(log)
        let lines = text.split(separator: "\n")
        let cut = lines.dropLast().joined(separator: "\n") + "\n"
        let read = { (text: String) throws(LogTextFault) in
            try LogText.read(text, words: { _ in nil }, signing: .ed25519)
        }
        #expect(throws: LogTextFault.self) { try read(cut) }
        #expect(throws: LogTextFault.self) { try read(text + "\n") }
        #expect(throws: LogTextFault.self) { try read(text + lines[3] + "\n") }
        #expect(throws: LogTextFault.self) { try read(String(text.dropLast())) }
        #expect(throws: LogTextFault.self) { try read(text.replacingOccurrences(of: "\n", with: "\r\n")) }
        let upper = text.replacingOccurrences(
            of: String(lines[2]), with: "entry " + lines[2].dropFirst(6).uppercased())
        let fault = #expect(throws: LogTextFault.self) { try read(upper) }
        #expect(fault?.index == 0)
    }
}
