/// Completion scripts, made from the table of verbs.
enum Completion {
    static let shells = ["bash", "zsh", "fish"]

    static func script(for shell: String, _ commands: [Command]) throws(CommandFailure) -> String {
        switch shell {
        case "bash": bash(commands)
        case "zsh": zsh(commands)
        case "fish": fish(commands)
        default:
            throw .usage(
                "No completion for '\(CleanText.line(shell))'. Shells: \(shells.joined(separator: ", ")).")
        }
    }

    private static func words(_ command: Command) -> String {
        let names = (command.options + GlobalOptions.all).flatMap {
            [$0.name] + ($0.short.map { [$0] } ?? [])
        }
        return (command.choices + names).joined(separator: " ")
    }

    /// `case` branches for the values of options, by the option before the cursor.
    private static func valueCases(_ commands: [Command], _ form: (String) -> String) -> [String] {
        var lines: [String] = []
        var seen: Set<String> = []
        for spec in commands.flatMap(\.options) where !spec.choices.isEmpty && seen.insert(spec.name).inserted
        {
            lines.append("        \(spec.name)) \(form(spec.choices.joined(separator: " "))); return ;;")
        }
        lines.append("        --home|--socket) \(form("")); return ;;")
        return lines
    }

    private static func bash(_ commands: [Command]) -> String {
        var lines = [
            "# bash completion for parlor", "_parlor() {",
            "    local word=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\" verb= i",
            "    for ((i = 1; i < COMP_CWORD; i++)); do", "        case \"${COMP_WORDS[i]}\" in",
            "        --home|--socket|--timeout) ((i++)) ;;", "        -*) ;;",
            "        *) verb=\"${COMP_WORDS[i]}\"; break ;;", "        esac", "    done",
            "    case \"$previous\" in",
        ]
        lines += valueCases(commands) { list in
            list.isEmpty
                ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                : "COMPREPLY=($(compgen -W '\(list)' -- \"$word\"))"
        }
        lines += ["    esac", "    case \"$verb\" in"]
        let verbs = commands.map(\.name) + GlobalOptions.all.map(\.name)
        lines.append(
            "        '') COMPREPLY=($(compgen -W '\(verbs.joined(separator: " "))' -- \"$word\")) ;;")
        for command in commands {
            lines.append(
                "        \(command.name)) COMPREPLY=($(compgen -W '\(words(command))' -- \"$word\")) ;;")
        }
        lines += ["    esac", "}", "complete -F _parlor parlor"]
        return lines.joined(separator: "\n")
    }

    private static func zsh(_ commands: [Command]) -> String {
        var lines = [
            "#compdef parlor", "# zsh completion for parlor", "_parlor() {",
            "    local verb= previous=\"${words[CURRENT-1]}\" i", "    local -a verbs",
            "    for ((i = 2; i < CURRENT; i++)); do", "        case \"${words[i]}\" in",
            "        --home|--socket|--timeout) ((i++)) ;;", "        -*) ;;",
            "        *) verb=\"${words[i]}\"; break ;;", "        esac", "    done",
            "    case \"$previous\" in",
        ]
        lines += valueCases(commands) { $0.isEmpty ? "_files" : "compadd -- \($0)" }
        lines += ["    esac", "    case \"$verb\" in", "        '')", "            verbs=("]
        lines += commands.map { "                '\($0.name):\(quoted($0.summary))'" }
        lines += ["            )", "            _describe verb verbs", "            ;;"]
        lines += commands.map { "        \($0.name)) compadd -- \(words($0)) ;;" }
        lines += [
            "    esac", "}",
            "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _parlor \"$@\"; else compdef "
                + "_parlor parlor; fi",
        ]
        return lines.joined(separator: "\n")
    }

    private static func fish(_ commands: [Command]) -> String {
        var lines = ["# fish completion for parlor", "complete -c parlor -f"]
        for spec in GlobalOptions.all { lines.append(fish(spec, condition: nil)) }
        for command in commands {
            lines.append(
                "complete -c parlor -n __fish_use_subcommand -a \(command.name) -d "
                    + "'\(quoted(command.summary))'"
            )
            let condition = "__fish_seen_subcommand_from \(command.name)"
            if !command.choices.isEmpty {
                lines.append(
                    "complete -c parlor -n '\(condition)' -a '\(command.choices.joined(separator: " "))'")
            }
            lines += command.options.map { fish($0, condition: condition) }
        }
        return lines.joined(separator: "\n")
    }

    private static func fish(_ spec: OptionSpec, condition: String?) -> String {
        var line = "complete -c parlor"
        if let condition { line += " -n '\(condition)'" }
        line += " -l \(spec.name.dropFirst(2))"
        if let short = spec.short { line += " -s \(short.dropFirst())" }
        if spec.value != nil { line += " -r" }
        if !spec.choices.isEmpty { line += " -a '\(spec.choices.joined(separator: " "))'" }
        return line + " -d '\(quoted(spec.summary))'"
    }

    private static func quoted(_ text: String) -> String { text.split(separator: "'").joined(separator: "’") }
}
