import ParlorStore
import Testing

@testable import ParlorDaemon

struct OptionsTests {
    @Test func `every option is read, with a space or an equals sign`() throws {
        let options = try DaemonOptions([
            "--home", "/h", "--config=/c", "--name", "Ada", "--listen", "127.0.0.1", "--listen=[::1]:27720",
            "--discovery", "off", "--on-demand", "--faults",
        ])
        #expect(options.home == "/h")
        #expect(options.settingsFile == "/c")
        #expect(options.name == "Ada")
        #expect(options.listen.map(\.description) == ["127.0.0.1", "[::1]:27720"])
        #expect(options.discovery == .off)
        #expect(options.isOnDemand)
        #expect(options.allowsFaults)
        #expect(!(try DaemonOptions([]).allowsFaults))
    }

    @Test(arguments: [
        (["--frobnicate"], "--frobnicate"), (["--home"], "--home needs a value"),
        (["--listen", "nowhere"], "nowhere"),
        (["--discovery", "magic"], "magic"),
        (["--listen", "127.0.0.1:1", "--listen", "127.0.0.2:2"], "one port"),
    ])
    func `what is not understood is named`(arguments: [String], part: String) {
        let error = #expect(throws: UsageError.self) { try DaemonOptions(arguments) }
        #expect(error?.message.contains(part) ?? false, "\(error?.message ?? "none")")
    }

    @Test func `help and version are texts to print`() throws {
        #expect(try DaemonOptions(["--help"]).text?.contains("examples:") ?? false)
        #expect(try DaemonOptions(["--version"]).text == "parlord \(Daemon.version)")
    }
}
