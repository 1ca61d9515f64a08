internal import ParlorControl

/// One option: what the parser takes, what help prints and what completion offers.
struct OptionSpec: Sendable {
    /// The long form with its dashes.
    let name: String
    /// A one-letter form with its dash, if there is one.
    var short: String?
    /// The placeholder of its value; `nil` for a switch.
    var value: String?
    var repeats = false
    /// The values to complete, when they can be listed.
    var choices: [String] = []
    let summary: String

    /// A switch.
    init(_ name: String, short: String? = nil, _ summary: String) {
        self.name = name
        self.short = short
        self.summary = summary
    }

    /// An option with a value.
    init(
        _ name: String, _ value: String, repeats: Bool = false, choices: [String] = [], _ summary: String
    ) {
        self.name = name
        self.value = value
        self.repeats = repeats
        self.choices = choices
        self.summary = summary
    }

    /// `--wait S` as it stands in a usage line.
    var usage: String { value.map { "\(name) \($0)" } ?? name }
}

/// One verb of `parlor`: the row that parser, help and completion read.
struct Command: Sendable {
    let name: String
    let summary: String
    /// What stands after the verb beside options, as in `GAME` or `[ROOM]`.
    var operands = ""
    /// How many words may stand there.
    var words: ClosedRange<Int> = 0...0
    /// The words to complete there, when they can be listed.
    var choices: [String] = []
    var options: [OptionSpec] = []
    /// Sentences that the summary has no room for.
    var details: [String] = []
    /// Two command lines that work.
    let examples: [String]
    let run: @Sendable (Context) throws(CommandFailure) -> Int32

    var usage: String {
        var parts = ["parlor", name]
        if !operands.isEmpty { parts.append(operands) }
        parts += options.map { "[\($0.usage)]" + ($0.repeats ? "…" : "") }
        return parts.joined(separator: " ")
    }
}

/// The options every verb takes.
enum GlobalOptions {
    static let all: [OptionSpec] = [
        OptionSpec("--home", "DIR", "keep everything of this peer in DIR (also PARLOR_HOME)"),
        OptionSpec("--socket", "PATH", "talk to the daemon at this control socket; never starts one"),
        OptionSpec("--json", "print exactly one JSON value (one a line where output goes on)"),
        OptionSpec("--plain", "text for screen readers and scripts: no drawings"),
        OptionSpec("--ascii", "draw with ASCII only"),
        OptionSpec("--no-input", "never ask and never stay to play"),
        OptionSpec("--timeout", "S", "give up after S seconds"),
        OptionSpec("--quiet", short: "-q", "print no talk, only data and errors"),
        OptionSpec("--verbose", short: "-v", "say more about what is done"),
        OptionSpec("--no-start", "do not start the daemon when none answers"),
        OptionSpec("--help", short: "-h", "explain the verb"),
    ]
}

/// A command line, taken apart and checked against the table.
struct Invocation {
    let command: Command
    /// Options by their long names; a switch has one empty value.
    let values: [String: [String]]
    /// What stood after the verb beside options.
    let words: [String]

    func has(_ name: String) -> Bool { values[name] != nil }

    func value(_ name: String) -> String? { values[name]?.last }

    func list(_ name: String) -> [String] { values[name] ?? [] }

    /// The value as a whole number of at least 0.
    func number(_ name: String) throws(CommandFailure) -> Int? {
        guard let text = value(name) else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw .usage(
                "\(name) needs a whole number, not '\(CleanText.line(text))'. Usage: \(command.usage)")
        }
        return number
    }

    /// The value in seconds, as whole milliseconds.
    func milliseconds(_ name: String) throws(CommandFailure) -> Int? {
        guard let text = value(name) else { return nil }
        let secondsMax = 86_400.0
        guard let seconds = Double(text), seconds >= 0, seconds <= secondsMax else {
            let said = CleanText.line(text)
            throw .usage(
                "\(name) needs seconds between 0 and \(Int(secondsMax)), not '\(said)'. Usage: "
                    + "\(command.usage)"
            )
        }
        return Int((seconds * 1000).rounded())
    }
}
