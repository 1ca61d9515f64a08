import Foundation
import ParlorControl
import ParlorGames
import Testing

@testable import ParlorTerminal

struct CommandTableTests {
    @Test func `every documented verb is there once`() {
        let names = CommandTable.all.map(\.name)
        let wanted = """
            host list join play ready start leave rematch kick lock bot say view act matches show
            replay export verify status doctor events rpc profile
            daemon help version completion turn
            """.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(Set(wanted).isSubset(of: names))
        #expect(Set(names).count == names.count)
    }

    @Test(arguments: CommandTable.all.map(\.name))
    func `-h explains a verb with two examples that parse`(name: String) throws {
        let parser = CommandParser(commands: CommandTable.all)
        guard case .help(let command?) = try parser.parse([name, "-h"]) else {
            Issue.record("no help")
            return
        }
        let lines = Help.lines(for: command)
        #expect(lines[0].hasPrefix("Usage: parlor \(name)"))
        let start = try #require(lines.firstIndex(of: "Examples:"))
        let examples = lines[(start + 1)...]
        #expect(examples.count == 2)
        for example in examples {
            let words = Self.shellWords(example)
            #expect(words.first == "parlor")
            guard
                case .run(let invocation) = try parser.parse(
                    Array(words.dropFirst().prefix { !">|".contains($0) }))
            else {
                Issue.record("\(example) does not run")
                return
            }
            #expect(invocation.command.name == name)
        }
        for option in command.options {
            #expect(lines.contains { $0.contains(option.usage) && $0.contains(option.summary) })
        }
    }

    /// Words as a shell splits them, for single quotes only.
    private static func shellWords(_ line: String) -> [String] {
        var words: [String] = []
        for (index, part) in line.split(separator: "'", omittingEmptySubsequences: false).enumerated() {
            if index % 2 == 1 {
                words.append(String(part))
            } else {
                words += part.split(separator: " ").map(String.init)
            }
        }
        return words
    }

    @Test func `help names every verb and topic`() throws {
        let overview = Help.overview.joined(separator: "\n")
        for command in CommandTable.all { #expect(overview.contains("  \(command.name) ")) }
        for topic in Help.topics {
            #expect(overview.contains(topic.name))
            #expect(try !Help.lines(on: topic.name).isEmpty)
        }
        #expect(throws: CommandFailure.self) { try Help.lines(on: "nonsense") }
    }

    @Test func `no line of help is wider than a terminal of 100 columns but for usage`() throws {
        for command in CommandTable.all {
            for line in Help.lines(for: command) where !line.hasPrefix("Usage:") {
                #expect(line.count <= 100 || line.hasPrefix("WORDS:"), "\(line)")
            }
        }
    }
}

struct CommandParserTests {
    private let parser = CommandParser(commands: CommandTable.all)

    private func run(_ arguments: String...) throws -> Invocation? {
        guard case .run(let invocation) = try parser.parse(arguments) else { return nil }
        return invocation
    }

    private func message(_ arguments: String...) -> String? {
        do {
            _ = try parser.parse(arguments)
            return nil
        } catch {
            #expect(error.exitCode == 2)
            return error.message
        }
    }

    @Test func `options stand anywhere, with a space or an equals sign`() throws {
        let one = try run("--home", "/h", "host", "--set", "a=1", "snap", "--set=b=c", "-q", "--json")
        #expect(one?.command.name == "host")
        #expect(one?.words == ["snap"])
        #expect(one?.value("--home") == "/h")
        #expect(one?.list("--set") == ["a=1", "b=c"])
        #expect(one?.has("--quiet") == true && one?.has("--json") == true)
    }

    @Test func `after two dashes all is words`() throws {
        #expect(try run("say", "--", "--json", "-h")?.words == ["--json", "-h"])
        #expect(CommandParser.wantsJSON(["say", "--", "--json"]) == false)
    }

    @Test func `no verb is status`() throws {
        #expect(try run("--json")?.command.name == "status")
    }

    @Test func `mistakes are named with what to do`() {
        #expect(message("joni") == "There is no verb 'joni'. Did you mean 'join'? All verbs: parlor help")
        #expect(
            message("list", "--al")
                == "parlor list has no option '--al'. Did you mean '--all'? See: parlor list -h. "
                + "A word that starts with a dash goes after --")
        #expect(message("list", "--wait") == "--wait needs a value: --wait S")
        #expect(message("list", "--all=yes") == "--all takes no value.")
        #expect(message("list", "x")?.contains("does not know what 'x' is for") == true)
        #expect(
            message("host")?.hasPrefix("parlor host needs GAME. Usage: parlor host GAME [--name R]") == true)
        #expect(message("join", "--code", "a", "--code", "b") == "--code is given twice; one is enough.")
        #expect(message("\u{1B}[31m\u{202E}x") == "There is no verb '[31mx'. All verbs: parlor help")
    }

    @Test func `numbers and seconds are checked`() throws {
        let good = try run("list", "--wait", "1.5")
        #expect(try good?.milliseconds("--wait") == 1500)
        for text in ["x", "-1", "nan", "inf", "1e9", ""] {
            let bad = try run("list", "--wait", text)
            #expect(throws: CommandFailure.self) { try bad?.milliseconds("--wait") }
        }
        #expect(throws: CommandFailure.self) { try run("host", "snap", "--seats", "two")?.number("--seats") }
    }
}

struct HostOptionsTests {
    private func params(_ arguments: String...) throws -> String {
        guard
            case .run(let invocation) = try CommandParser(commands: CommandTable.all).parse(
                ["host"] + arguments)
        else { return "" }
        return try JSON(encoding: HostOptions.params(invocation)).encodedText
    }

    @Test func `all that is given is passed on`() throws {
        #expect(try params("snap") == #"{"game":"snap"}"#)
        #expect(
            try params(
                "snap", "--name", "K", "--seats", "3", "--bots", "2:hard", "--private", "--hidden", "--set",
                "turn_s=30",
                "--set", "watchers=false", "--set", "mode=race")
                == #"{"game":"snap","name":"K","seats":3,"bots":2,"bot_level":"hard","#
                + #""private":true,"hidden":true,"#
                + #""options":{"turn_s":30,"watchers":false,"mode":"race"}}"#)
        #expect(
            try params("snap", "--bots", "1", "--code", "K7PX") == #"{"game":"snap","bots":1,"code":"K7PX"}"#)
    }

    @Test(arguments: [
        ["--bots", "x"], ["--bots", "2:best"], ["--set", "a"], ["--set", "=1"], ["--code", "A", "--private"],
    ])
    func `what makes no sense is a mistake of usage`(more: [String]) {
        let error = #expect(throws: CommandFailure.self) {
            guard
                case .run(let invocation) = try CommandParser(commands: CommandTable.all).parse(
                    ["host", "snap"] + more)
            else { return }
            _ = try HostOptions.params(invocation)
        }
        #expect(error?.exitCode == 2)
    }
}

struct ActWordsTests {
    @Test(arguments: [
        ("flip", #"{"do":"flip"}"#), ("snap", #"{"do":"snap"}"#),
        ("guess e", #"{"do":"guess","letter":"e"}"#),
        ("word garden", #"{"do":"word","word":"garden"}"#),
        ("solve ice cream", #"{"do":"solve","word":"ice cream"}"#),
        ("place 5", #"{"do":"place","cell":5}"#),
        ("append and then it rained", #"{"do":"append","text":"and then it rained"}"#),
        (#"{"do":"snap","at":12}"#, #"{"do":"snap","at":12}"#),
    ])
    func `words become actions`(text: String, json: String) throws {
        #expect(try ActWords.action(text.split(separator: " ").map(String.init)).encodedText == json)
    }

    @Test(arguments: ["dance", "flip now", "guess", "place five", "{do"])
    func `other words are a mistake of usage`(text: String) {
        let error = #expect(throws: CommandFailure.self) {
            try ActWords.action(text.split(separator: " ").map(String.init))
        }
        #expect(error?.exitCode == 2)
    }
}

extension ActWordsTests {
    @Test func `a word that is no action is answered with those of the game that is played`() {
        func message(_ game: String?) -> String? {
            #expect(throws: CommandFailure.self) { try ActWords.action(["dance"], game: game) }?.message
        }
        #expect(
            message("snap")
                == "'dance' is no action of Snap. Actions: flip, snap, pool, or JSON; see parlor view --json")
        #expect(message("hangman")?.contains("guess LETTER, word WORD, solve WORD, or") == true)
        #expect(message("hangman")?.contains("flip") == false)
        #expect(message(nil)?.contains("flip, snap, pool, guess LETTER") == true)
        #expect(ActWords.isKnown(["flip"]) && ActWords.isKnown(["{}"]) && !ActWords.isKnown(["dance"]))
    }
}

struct CompletionTests {
    @Test(arguments: Completion.shells)
    func `scripts offer every verb and option`(shell: String) throws {
        let script = try Completion.script(for: shell, CommandTable.all)
        for command in CommandTable.all {
            #expect(script.contains(command.name))
            for option in command.options { #expect(script.contains(option.name.dropFirst(2))) }
        }
    }

    @Test(arguments: [
        ("parlor jo", "join"), ("parlor --home /h daemon re", "restart"),
        ("parlor list --game han", "hangman"),
        ("parlor host --det", "--detach"),
    ])
    func `bash completes a word`(line: String, wanted: String) throws {
        let words = line.split(separator: " ")
        let script = """
            \(try Completion.script(for: "bash", CommandTable.all))
            COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); _parlor; echo "${COMPREPLY[*]}"
            """
        let result = try Ran.program("/bin/bash", ["-c", script])
        #expect(result.errors == "")
        #expect(result.output == wanted + "\n")
    }

    @Test func `an unknown shell is a mistake of usage`() {
        #expect(throws: CommandFailure.self) { try Completion.script(for: "tcsh", CommandTable.all) }
    }

    @Test func `the help on games has each option with its range and its standard value`() throws {
        let text = try Help.lines(on: "games").joined(separator: "\n")
        /// What is said of an option: from its name to the next one.
        func entry(_ name: String, after game: String) throws -> String {
            let start = try #require(text.range(of: game)).upperBound
            let from = try #require(text[start...].range(of: " \(name)="), "\(name) of \(game)").lowerBound
            let rest = text[text.index(after: from)...]
            let own = try #require(rest.range(of: "=")).upperBound
            let end = rest[own...].range(of: "=")?.lowerBound ?? rest.endIndex
            return rest[..<end].split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        for game in Catalog.declarations {
            for option in game.options {
                let isCommon = Catalog.declarations.allSatisfy {
                    $0.options.contains { $0.name == option.name }
                }
                let said = try entry(option.name, after: isCommon ? "\nall " : "\(game.id) ")
                #expect(said.contains(option.possible), "\(game.id): \(said)")
                let standard =
                    switch option.standard {
                    case .int(let number): option.name == "turn_s" ? " \(number)" : "\(number)"
                    case .bool(let truth): "(\(truth))"
                    case .string(let word): "(\(word))"
                    default: "?"
                    }
                #expect(said.contains(standard), "\(game.id): \(said)")
            }
        }
    }

    @Test func `help fits a terminal of 80 columns`() {
        let pages = [Help.overview] + Help.topics.map(\.lines)
        for line in pages.joined() { #expect(line.count < 80, "\(line)") }
    }
}
