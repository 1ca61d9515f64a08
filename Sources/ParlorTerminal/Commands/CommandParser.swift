internal import ParlorControl

/// What a command line asks for.
enum CommandLineMeaning {
    case run(Invocation)
    case help(Command?)
}

/// Reads a command line by the table.
struct CommandParser {
    let commands: [Command]

    /// What stands for the verb when there is none.
    private let defaultVerb = "status"

    /// Reads the words after the program's name.
    func parse(_ arguments: [String]) throws(CommandFailure) -> CommandLineMeaning {
        var command: Command?
        var values: [String: [String]] = [:]
        var words: [String] = []
        var rest = arguments[...]
        var optionsEnded = false
        while let argument = rest.popFirst() {
            if optionsEnded || !argument.hasPrefix("-") || argument == "-" {
                if command == nil {
                    command = try verb(argument)
                } else {
                    words.append(argument)
                }
            } else if argument == "--" {
                optionsEnded = true
            } else {
                let (spec, value) = try option(argument, of: command, rest: &rest)
                if !spec.repeats, values[spec.name] != nil, spec.value != nil {
                    throw .usage("\(spec.name) is given twice; one is enough.")
                }
                values[spec.name, default: []].append(value)
            }
        }
        if values["--help"] != nil { return .help(command) }
        let chosen = if let command { command } else { try verb(defaultVerb) }
        try check(words, of: chosen)
        return .run(Invocation(command: chosen, values: values, words: words))
    }

    /// Whether a command line that could not be read asked for JSON: errors are due there too.
    static func wantsJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains("--json")
    }

    private func verb(_ name: String) throws(CommandFailure) -> Command {
        if let found = commands.first(where: { $0.name == name }) { return found }
        let said = CleanText.line(name)
        throw .usage("There is no verb '\(said)'.\(meant(name, commands.map(\.name))) All verbs: parlor help")
    }

    private func option(
        _ argument: String, of command: Command?, rest: inout ArraySlice<String>
    ) throws(CommandFailure) -> (OptionSpec, String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isLong = argument.hasPrefix("--")
        let name = isLong ? String(parts[0]) : argument
        let known = (command?.options ?? []) + GlobalOptions.all
        guard let spec = known.first(where: { $0.name == name || $0.short == name }) else {
            let owner = command.map { "parlor \($0.name)" } ?? "parlor"
            let all = known.map(\.name)
            throw .usage(
                "\(owner) has no option '\(CleanText.line(name))'.\(meant(name, all)) "
                    + "See: \(owner) -h. A word that starts with a dash goes after --")
        }
        guard let placeholder = spec.value else {
            guard parts.count == 1 || !isLong else { throw .usage("\(spec.name) takes no value.") }
            return (spec, "")
        }
        if isLong, parts.count == 2 { return (spec, String(parts[1])) }
        guard let value = rest.popFirst() else {
            throw .usage("\(spec.name) needs a value: \(spec.name) \(placeholder)")
        }
        return (spec, value)
    }

    private func check(_ words: [String], of command: Command) throws(CommandFailure) {
        if words.count < command.words.lowerBound {
            throw .usage("parlor \(command.name) needs \(command.operands). Usage: \(command.usage)")
        }
        if words.count > command.words.upperBound {
            let extra = CleanText.line(words[command.words.upperBound])
            throw .usage(
                "parlor \(command.name) does not know what '\(extra)' is for. Usage: \(command.usage)")
        }
    }

    /// ` Did you mean 'x'?` when a name is close.
    private func meant(_ word: String, _ names: [String]) -> String {
        let near = names.map { ($0, Self.distance(word, $0)) }.filter { $0.1 <= 2 }.min { $0.1 < $1.1 }
        return near.map { " Did you mean '\($0.0)'?" } ?? ""
    }

    /// How many letters must be put in, left out or changed.
    static func distance(_ one: String, _ other: String) -> Int {
        let lengthMax = 40
        let a = Array(one.prefix(lengthMax))
        let b = Array(other.prefix(lengthMax))
        var row = Array(0...b.count)
        for i in a.indices {
            var diagonal = row[0]
            row[0] = i + 1
            for j in b.indices {
                let changed = diagonal + (a[i] == b[j] ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
