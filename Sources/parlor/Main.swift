internal import Glibc
internal import ParlorTerminal

@main
enum Main {
    static func main() {
        exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
