import ParlorCrypto
import ParlorGames
import Testing

@testable import ParlorProtocol

/// What a text or bytes may look like where they were written down by mistake.
enum Spelling {
    private static let base64 = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// A word in small and capital letters, as UTF-8 (which is also how CBOR has it), UTF-16, hex, base64.
    static func all(of word: String) -> [[UInt8]] {
        [word.lowercased(), word.uppercased(), word.prefix(1).uppercased() + word.dropFirst()].flatMap {
            text -> [[UInt8]] in
            let wide = text.utf16.flatMap {
                [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
            }
            let apart = Array(text.map { String($0) }.joined(separator: " ").utf8)
            return all(of: Array(text.utf8)) + [wide, Array(wide.dropFirst()), apart]
        }
    }

    /// Bytes as they are, in hex, and in base64 wherever they begin.
    static func all(of bytes: [UInt8]) -> [[UInt8]] {
        let hex = bytes.hex
        return [bytes, Array(hex.utf8), Array(hex.uppercased().utf8)]
            + (0..<3).map { base64(bytes, skip: $0) }
    }

    /// Base64 of bytes that begin `skip` bytes after a multiple of three, without the digits that also
    /// depend on what stands beside them.
    private static func base64(_ bytes: [UInt8], skip: Int) -> [UInt8] {
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let start = (6 - skip * 8 % 6) % 6
        return stride(from: start, through: bits.count - 6, by: 6).map { place in
            base64[Int(bits[place..<place + 6].reduce(0) { $0 << 1 | $1 })]
        }
    }
}

/// Messages that can be searched quickly: by four bytes, where they stand.
struct Haystack {
    private var messages: [[UInt8]] = []
    private var places: [UInt32: [(message: Int, offset: Int)]] = [:]

    /// Takes one message more.
    mutating func add(_ message: [UInt8]) {
        let number = messages.count
        messages.append(message)
        var four: UInt32 = 0
        for (offset, byte) in message.enumerated() {
            four = four << 8 | UInt32(byte)
            if offset >= 3 { places[four, default: []].append((number, offset - 3)) }
        }
    }

    /// The first message that has any of the spellings, each of which has at least four bytes.
    func first(_ spellings: [[UInt8]]) -> Int? { spellings.compactMap(first).min() }

    private func first(_ spelling: [UInt8]) -> Int? {
        precondition(spelling.count >= 4, "\(spelling) is too short to be looked for")
        let four = spelling.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return places[four]?.first { message, offset in
            messages[message].dropFirst(offset).starts(with: spelling)
        }?.message
    }
}

/// Secrets are in nothing that leaves a machine before their time; see "Who can read what" in PROTOCOL.md.
struct SecrecyTests {
    /// Machines of all seats with everything that they ever sent.
    private struct Tapped {
        var machines: Machines
        /// What was sent, in order, each message once.
        private var sent = Haystack()
        private var known: Set<[UInt8]> = []
        private(set) var requests: UInt64 = 0

        init(_ game: String, seats: Int, seed: UInt64) throws {
            machines = try Machines(game, seats: seats, seed: seed)
            for seat in machines.machines.indices { machines.feed(seat, .begin) }
            settle()
        }

        mutating func settle() {
            var sent: [[UInt8]] = []
            machines.settle { message, _, _ in
                sent.append(message.cbor.encoded())
                return false
            }
            for message in sent where known.insert(message).inserted { self.sent.add(message) }
        }

        mutating func pass(milliseconds: Int) {
            machines.now = machines.now + .milliseconds(milliseconds)
            for seat in machines.machines.indices { machines.feed(seat, .deadlinePassed) }
            settle()
        }

        mutating func act(_ seat: Int, _ action: Value) {
            requests += 1
            machines.feed(seat, .act(RequestID(rawValue: requests), action))
            settle()
        }

        var state: MatchState { machines.machines[0].accepted }

        func view(_ seat: Int?) -> Value? {
            let machine = machines.machines[seat ?? 0]
            return machine.accepted.game?.view(
                for: seat, secrets: seat == nil ? nil : machine.secrets, at: machine.time(at: machines.now))
        }

        /// The secrets of each seat, as the machines were made with them.
        var vaults: [SeatVault] {
            machines.machines.indices.map { seat in
                SeatVault(
                    seat: seat, match: machines.table.genesis.match,
                    secret: [UInt8](repeating: UInt8(10 + seat), count: 32))
            }
        }

        /// The first message that has any of the spellings.
        func first(_ spellings: [[UInt8]]) -> Int? { sent.first(spellings) }
        var count: Int { known.count }
    }

    private func occur(_ spellings: [[UInt8]], in bytes: [UInt8]) -> Bool {
        var haystack = Haystack()
        haystack.add(bytes)
        return haystack.first(spellings) != nil
    }

    @Test func `the search finds what is there, however it is written`() {
        let spellings = Spelling.all(of: "garden")
        for text in ["my garden", "GARDEN", "Garden", "67617264656e", "67617264656E", "g a r d e n"] {
            #expect(occur(spellings, in: Array(text.utf8)), "\(text)")
        }
        // Of `garden`, `xgarden` and `xxgarden`, with something after it.
        for text in ["Z2FyZGVuLg==", "eGdhcmRlbi4=", "eHhnYXJkZW4u"] {
            #expect(occur(spellings, in: Array(text.utf8)), "\(text)")
        }
        #expect(!occur(spellings, in: Array("my gardem, gar den, Z2FyZGVt".utf8)))
    }

    // MARK: Hangman

    /// A round of three seats in which the word is set and letters are being guessed.
    private func guessing() throws -> (table: Tapped, setter: Int, guessers: [Int]) {
        var table = try Tapped("hangman", seats: 3, seed: 3)
        let setter = try #require(table.view(nil)?["setter"]?.number)
        table.act(setter, ["do": "word", "word": "garden"])
        let guessers = (0..<3).filter { $0 != setter }
        for letter in ["g", "x", "a"] { table.act(guessers[0], guess(letter)) }
        for letter in ["z", "n"] { table.act(guessers[1], guess(letter)) }
        table.act(guessers[1], ["do": "solve", "word": "apples"])
        return (table, setter, guessers)
    }

    private func guess(_ letter: String) -> Value { ["do": "guess", "letter": .string(letter)] }

    @Test func `the word is in nothing that is sent or logged before it is opened`() throws {
        var (table, setter, guessers) = try guessing()
        let spellings = Spelling.all(of: "garden")
        #expect(table.state.game?.view(for: nil, secrets: nil, at: 0)["reveal"] == .null)
        #expect(table.first(spellings) == nil)
        let log = Array(LogText.write(table.machines.machines[setter].log).utf8)
        #expect(!occur(spellings, in: log))
        // The controls: the setter sees its word, and at the end of the round everybody does.
        #expect(table.view(setter)?["word"]?.text?.lowercased() == "garden")
        let before = table.count
        for guesser in guessers {
            for letter in ["g", "a", "r", "d", "e", "n"] { table.act(guesser, guess(letter)) }
        }
        let opened = try #require(table.first(spellings))
        #expect(opened >= before)
        #expect(table.view(guessers[0])?["reveal"]?["word"]?.text?.lowercased() == "garden")
    }

    @Test func `a guesser sees the letters that it opened, and a watcher none`() throws {
        let (table, _, guessers) = try guessing()
        func mask(_ seat: Int?) throws -> String {
            let view = try #require(table.view(seat))
            let boards = view["boards"]?.elements ?? []
            let own = boards.first { $0["seat"] == seat.map { .int($0) } ?? .null }?["mask"]?.text
            return (own ?? view["mask"]?.text ?? "?").filter { $0 != " " }
        }
        #expect(try mask(guessers[0]) == "GA____")
        #expect(try mask(guessers[1]) == "_____N")
        #expect(try mask(nil) == "______")
        // Of the others everybody knows how many are right and wrong, not which.
        for seat in [guessers[1], nil] {
            let view = try #require(table.view(seat))
            let board = view["boards"]?.elements?.first { $0["seat"] == .int(guessers[0]) }
            #expect(board?["found"] == 2 && board?["bad"] == 1)
            #expect(board?["mask"] == nil && board?["wrong"]?.elements?.isEmpty == true)
        }
    }

    @Test func `what is sealed in the log opens for those alone for whom it is`() throws {
        let (table, setter, guessers) = try guessing()
        let (state, vaults) = (table.state, table.vaults)
        var counts: [String: Int] = [:]
        for entry in table.machines.machines[0].log.entries {
            guard case .move(let datum) = entry.proposal.body, case .seat(let author) = entry.proposal.author,
                let move = HangmanMoves.sealed(datum)
            else { continue }
            counts[move.what, default: 0] += 1
            // The two whose keys made it: who wrote it, and for whom it is.
            let readers: Set<Int> =
                switch move.what {
                case "word": [setter]
                case "guess": [author, setter]
                default: [setter, move.guesser ?? -1]
                }
            for seat in 0..<3 {
                let secrets = vaults[seat].secrets(boxKeys: state.boxKeys)
                let opens = (0..<3).contains { secrets.open(move.bytes, $0) != nil }
                #expect(opens == readers.contains(seat), "\(move.what) of seat \(author) for seat \(seat)")
            }
        }
        #expect(counts == ["word": 1, "guess": 6, "answer": 6])
        #expect(guessers.count == 2)
    }

    // MARK: Cards, nonces and secrets

    @Test(arguments: 2...4)
    func `a link or nonce is sent when it is due and not a moment before`(seats: Int) throws {
        var table = try Tapped("snap", seats: seats, seed: UInt64(seats))
        for _ in 0..<12 {
            table.pass(milliseconds: 1_500)
            guard let flipper = table.state.game?.turn.first else { continue }
            table.act(flipper, ["do": "flip"])
        }
        let draws = table.state.lastDraw
        #expect(draws >= 8)
        let vaults = table.vaults
        let log = table.machines.machines[0].log
        for draw in 1...draws {
            let entry = try #require(
                log.entries.first {
                    if case .draw(let number, _, _) = $0.proposal.body { number == draw } else { false }
                })
            let begun = try #require(table.first([entry.encoded]))
            for seat in 0..<seats {
                let shown = try #require(table.first(Spelling.all(of: vaults[seat].link(draw))))
                // The sequencer's own stands in the entry itself; the others wait until it is accepted.
                #expect(seat == 0 ? shown == begun : shown > begun, "draw \(draw), seat \(seat)")
            }
        }
        // Of later cards nothing is anywhere, however many links one has.
        for draw in (draws + 1)...(draws + 40) {
            for vault in vaults { #expect(table.first(Spelling.all(of: vault.link(draw))) == nil) }
        }
        try expectNoncesInTime(table, vaults, log)
        for seat in 0..<seats {
            let secret = [UInt8](repeating: UInt8(10 + seat), count: 32)
            #expect(table.first(Spelling.all(of: secret)) == nil)
            #expect(table.first(Spelling.all(of: table.machines.table.identities[seat])) == nil)
        }
    }

    private func expectNoncesInTime(_ table: Tapped, _ vaults: [SeatVault], _ log: MatchLog) throws {
        for round in 0..<log.state.draw.rounds.count {
            let commits = log.entries.filter {
                if case .commit(let number, _) = $0.proposal.body { number == round } else { false }
            }
            let last = try #require(commits.last)
            let committed = try #require(table.first([last.encoded]))
            for number in log.state.draw.rounds[round] {
                let shown = try #require(
                    table.first(Spelling.all(of: vaults[number.seat].nonce(round: round))))
                #expect(shown > committed, "round \(round), seat \(number.seat)")
            }
        }
    }

    @Test func `no view shows a card before its moment`() throws {
        var table = try Tapped("snap", seats: 3, seed: 5)
        for index in table.machines.machines.indices { table.machines.machines[index].delay = 60 }
        var isHidden = 0
        for _ in 0..<6 {
            table.pass(milliseconds: 1_500)
            let flipper = try #require(table.state.game?.turn.first)
            let before = table.view(nil)?["seats"]?.elements?[flipper]["top"]
            table.act(flipper, ["do": "flip"])
            for seat in [0, 1, 2, nil] {
                let view = try #require(table.view(seat))
                let machine = table.machines.machines[seat ?? 0]
                let reveal = try #require(view["reveal_at"]?.number)
                guard machine.time(at: table.machines.now) < reveal else { continue }
                isHidden += 1
                #expect(view["seats"]?.elements?[flipper]["top"] == before)
            }
        }
        #expect(isHidden > 0, "every card showed at once, so nothing was tested")
    }
}

/// The sealed parts of what Hangman logs, by PROTOCOL.md.
private enum HangmanMoves {
    static func sealed(_ datum: Datum) -> (what: String, bytes: [UInt8], guesser: Int?)? {
        guard let parts = datum.elements, let tag = parts.first?.number else { return nil }
        switch (tag, parts.count) {
        case (0, 6): return parts[4].octets.map { ("word", $0, nil) }
        case (1, 5): return parts[4].octets.map { ("guess", $0, nil) }
        case (2, 9): return parts[8].octets.map { ("answer", $0, parts[2].number) }
        default: return nil
        }
    }
}
