internal import Glibc
internal import ParlorDaemon

@main
enum Main {
    static func main() { exit(DaemonProcess.run(Array(CommandLine.arguments.dropFirst()))) }
}
