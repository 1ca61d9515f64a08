internal import ParlorSim

/// What the program is asked to do.
struct Options: Sendable {
    static let usage = """
        usage: parlor-sim [--matches N] [--seed S] [--jobs J] [--game G] [--kind K] [--bots yes]
                          [--trace FILE]
               parlor-sim --replay SEED [--game G] [--kind K] [--bots yes] [--trace FILE]
               parlor-sim --fairness PAIRS [--seed S] [--jobs J]

        Plays whole matches in virtual time, with everything that may go wrong, and checks what must hold.
        All of a match follows from its seed (and from --game, --kind and --bots, where they are given).

          --matches N   how many matches (1000)
          --seed S      the seed of the first; the others follow it (1)
          --jobs J      how many at once (1)
          --game G      snap, hangman, tictactoe or story; one of the first two otherwise
          --kind K      what goes wrong; any of these otherwise:
                        \(kinds(0..<9))
                        \(kinds(9..<16))
                        \(kinds(16..<21))
                        \(kinds(21..<words.count))
          --bots yes    bots in every match that has a seat for one; in some otherwise
          --replay SEED plays this one match and writes what happened, line by line
          --fairness PAIRS plays Snap until so many pairs were called, for each of some distances, lies and
                        bots, and prints who won them; ends with 1 where equals did not win 45 to 55 %
          --trace FILE  writes that to a file; without --replay, that of the first match that fails

        Prints the rate and the matches of each kind. Ends with 1 when something did not hold, and says the
        seed, what it was, and how to see it again.
        """

    /// The games of at least two seats.
    private static let games = ["snap", "hangman", "tictactoe", "story"]

    var matches = 1_000
    var seed: UInt64 = 1
    var jobs = 1
    var game: String?
    var kind: SimScript.Kind?
    var lie: SimLie?
    var withBots = false
    var trace: String?
    var replay: UInt64?
    var fairness: Int?

    /// Why the arguments are none.
    struct Fault: Error {
        let message: String
    }

    /// Every kind as it is written on the command line.
    private static var words: [String] {
        SimScript.Kind.allCases.map(\.rawValue) + SimLie.allCases.map { "lie-\($0.rawValue)" }
    }

    private static func kinds(_ range: Range<Int>) -> String { words[range].joined(separator: " ") }

    init(_ arguments: [String]) throws(Fault) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Fault(message: "'\(name)' needs a value") }
            switch name {
            case "--matches": matches = try Self.number(value, of: name, 1...100_000_000)
            case "--jobs": jobs = try Self.number(value, of: name, 1...64)
            case "--seed": seed = try Self.seed(value, of: name)
            case "--replay": replay = try Self.seed(value, of: name)
            case "--game":
                guard Self.games.contains(value) else {
                    let games = Self.games.joined(separator: ", ")
                    throw Fault(message: "there is no game '\(value)': \(games)")
                }
                game = value
            case "--kind": try setKind(value)
            case "--bots":
                guard ["yes", "no"].contains(value) else { throw Fault(message: "'--bots' takes yes or no") }
                withBots = value == "yes"
            case "--fairness": fairness = try Self.number(value, of: name, 10...1_000_000)
            case "--trace": trace = value
            default: throw Fault(message: "there is no option '\(name)'")
            }
        }
    }

    private mutating func setKind(_ word: String) throws(Fault) {
        if word.hasPrefix("lie-"), let lie = SimLie(rawValue: String(word.dropFirst(4))) {
            kind = .lie
            self.lie = lie
        } else if let kind = SimScript.Kind(rawValue: word) {
            self.kind = kind
        } else {
            throw Fault(message: "there is no kind '\(word)': \(Self.words.joined(separator: ", "))")
        }
    }

    private static func number(_ text: String, of name: String, _ range: ClosedRange<Int>) throws(Fault)
        -> Int
    {
        guard let number = Int(text), range.contains(number) else {
            throw Fault(message: "'\(name)' takes \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func seed(_ text: String, of name: String) throws(Fault) -> UInt64 {
        guard let seed = UInt64(text) else { throw Fault(message: "'\(name)' takes a whole number") }
        return seed
    }

    /// The script of a seed.
    func script(_ seed: UInt64) -> SimScript {
        SimScript(seed: seed, game: game, kind: kind, lie: lie, withBots: withBots)
    }

    /// The command that plays a seed again.
    func command(_ seed: UInt64) -> String {
        var words = ["parlor-sim", "--replay", "\(seed)"]
        if let game { words += ["--game", game] }
        if let kind { words += ["--kind", lie.map { "lie-\($0.rawValue)" } ?? kind.rawValue] }
        if withBots { words += ["--bots", "yes"] }
        return words.joined(separator: " ")
    }
}
