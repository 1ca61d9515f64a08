internal import Glibc
internal import ParlorControl

/// The `parlor` program.
public enum Program {
    /// Runs one command line and returns the exit code.
    ///
    /// Called once by the executable, with the words after the program's name. Ends the process with 130
    /// when the terminal interrupts a command that does not ask first.
    public static func run(_ arguments: [String]) -> Int32 {
        Interrupts.endAtOnce()
        do {
            switch try CommandParser(commands: CommandTable.all).parse(arguments) {
            case .run(let invocation):
                let code = try invocation.command.run(Context(invocation))
                // What went wrong before says more than that the output is cut.
                if code == 0 { try Output.check() }
                return code
            case .help(let command):
                for line in command.map(Help.lines(for:)) ?? Help.overview { Output.line(line) }
                try Output.check()
                return 0
            }
        } catch {
            if CommandParser.wantsJSON(arguments) { Output.line(error.json.encodedText) }
            Output.error("parlor: \(error.message)")
            return error.exitCode
        }
    }
}
