import Foundation
import Testing

@testable import ParlorStore

private func parse(_ text: String) -> (settings: Settings, problems: [SettingProblem]) {
    Settings.parse(Array(text.utf8))
}

/// The settings file that is installed.
private let sampleFile = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Config/parlor.conf")

@Suite struct SettingsTests {
    @Test func `an empty text gives the defaults`() {
        let (settings, problems) = parse("")
        #expect(settings == Settings() && problems.isEmpty)
        #expect(
            settings.listen.isEmpty && settings.port == nil && settings.discovery == .auto
                && settings.name == nil)
    }

    @Test func `every setting is read`() {
        let (settings, problems) = parse(
            """
            # comment
            [network]
            listen = 127.0.0.1
            listen: [::1]:27725 ; the other one
            port=27725
            [discovery]
              backend = off
            [profile]
            name = Ada Lovelace #1
            [network]
            listen = fe80::1%eth0
            """)
        #expect(problems.isEmpty)
        #expect(settings.listen.map(\.description) == ["127.0.0.1", "[::1]:27725", "fe80::1%eth0"])
        #expect(settings.port == 27725 && settings.discovery == .off && settings.name == "Ada Lovelace #1")
    }

    @Test func `a byte order mark and carriage returns change nothing`() {
        let (settings, problems) = parse("\u{FEFF}[network]\r\nport = 4000\r\n[profile]\r\nname = Bea\r\n")
        #expect(problems.isEmpty && settings.port == 4000 && settings.name == "Bea")
    }

    @Test func `every wrong line is reported with its number and skipped`() {
        let (settings, problems) = parse(
            """
            port = 1
            [network]
            nonsense
            prot = 4
            port = 70000
            port = 7000
            port = 7001
            backend = off
            [discvery]
            backend = avahi
            [profile
            name = Eve
            [discovery]
            backend = bonjour
            name
            """)
        #expect(settings.port == 7000 && settings.discovery == .auto && settings.name == nil)
        #expect(
            problems == [
                SettingProblem(line: 1, message: "port stands before any section, such as [network]"),
                SettingProblem(line: 3, message: "is neither \"[section]\" nor \"name = value\""),
                SettingProblem(
                    line: 4, message: "there is no setting prot in [network], perhaps you mean port"),
                SettingProblem(
                    line: 5, message: "port cannot be \"70000\"; possible is a number from 1 to 65535"),
                SettingProblem(line: 7, message: "port is set in line 6 already; this line is skipped"),
                SettingProblem(line: 8, message: "backend belongs in section [discovery], not in [network]"),
                SettingProblem(
                    line: 9,
                    message:
                        "there is no section [discvery], perhaps you mean discovery; its settings are skipped"
                ),
                SettingProblem(
                    line: 11, message: "the section's name has no closing \"]\"; its settings are skipped"),
                SettingProblem(
                    line: 14,
                    message: "backend cannot be \"bonjour\"; possible is one of auto, avahi, embedded, off"),
                SettingProblem(line: 15, message: "is neither \"[section]\" nor \"name = value\""),
            ])
    }

    @Test func `an unlikely name is answered with those there are`() {
        let problems = parse("[network]\nqwertz = 1\n[mouse]\n").problems
        #expect(
            problems.first?.message == "there is no setting qwertz in [network], possible is listen, port")
        #expect(
            problems.last?.message
                == "there is no section [mouse], possible is network, discovery, profile, games; "
                + "its settings are skipped"
        )
    }

    @Test func `a line that is too long is one problem, not two settings`() {
        let long = String(repeating: "x", count: 183)
        let (settings, problems) = parse("[profile]\nname = \(long)x\nname = Ada")
        #expect(settings.name == "Ada")
        #expect(problems == [SettingProblem(line: 2, message: "is longer than 190 bytes")])
        #expect(parse("[profile]\nname = \(long)").problems.first?.message.contains("name cannot be") == true)
    }

    @Test func `an indented line is a line of its own`() {
        let (settings, problems) = parse("[network]\nlisten = ::1\n    port = 5\n")
        #expect(settings.port == 5 && settings.listen.count == 1 && problems.isEmpty)
    }

    @Test(arguments: ["name =", "name = ", "name = \u{7}", "name = \(String(repeating: "é", count: 33))"])
    func `a name that nobody could show is refused`(line: String) {
        let (settings, problems) = parse("[profile]\n\(line)\n")
        #expect(settings.name == nil && problems.count == 1 && problems.first?.line == 2)
    }

    @Test(arguments: [[0x6E, 0x3D, 0xFF], [0x6E, 0x3D, 0x00, 0x41]] as [[UInt8]])
    func `bytes that are not text are reported`(line: [UInt8]) {
        let problems = Settings.parse(Array("[profile]\n".utf8) + line).problems
        #expect(problems == [SettingProblem(line: 2, message: "is not UTF-8 text")])
    }

    @Test(arguments: UInt64(1)...200)
    func `no bytes trap`(seed: UInt64) {
        var state = seed
        let alphabet = Array("[]=:;# \t\r\n\u{0}portnameék".utf8)
        let text = (0..<300).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return alphabet[Int(state >> 33) % alphabet.count]
        }
        let lines = Settings.parse(text).problems.map(\.line)
        #expect(lines == lines.sorted() && Set(lines).count == lines.count)
    }

    @Test func `the installed file lists every setting and parses as it is and with each switched on`() throws
    {
        let text = try String(contentsOf: sampleFile, encoding: .utf8)
        let (settings, problems) = parse(text)
        #expect(settings == Settings() && problems.isEmpty)
        var section = ""
        var found: [String] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { section = String(line.dropFirst().dropLast()) }
            for setting in SettingDeclaration.all where line == "#\(setting.key) = \(setting.example)" {
                #expect(setting.section == section)
                found.append(setting.key)
            }
        }
        #expect(found == SettingDeclaration.all.map(\.key))
        for setting in SettingDeclaration.all {
            #expect(text.contains("\n# \(setting.help)\n# Possible: \(setting.possible). "))
            #expect(text.contains(". Default: \(setting.defaultText).\n#\(setting.key) = "))
        }
        let switchedOn = text.replacing(/\n#(\w+ = )/) { "\n" + $0.output.1 }
        #expect(parse(switchedOn).problems.isEmpty)
        #expect(parse(switchedOn).settings.name == "Ada")
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1", nil), ("127.0.0.1:27720", "127.0.0.1", 27720), ("::", "::", nil),
            ("[::1]", "::1", nil), ("[::1]:1", "::1", 1), ("[fe80::1%lo]:65535", "fe80::1%lo", 65535),
        ] as [(String, String, Int?)])
    func `an address is read`(text: String, host: String, port: Int?) {
        let address = ListenAddress(text)
        #expect(address?.host == host && address?.port == port)
        #expect(address.flatMap { ListenAddress($0.description) } == address)
    }

    @Test(arguments: [
        "", "localhost", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:+5", "1.2.3", "[::1",
        "[::1]x",
        "[::1]:", "::1%", "[127.0.0.1]:5", "::g", ":5",
    ])
    func `what is no address is refused`(text: String) { #expect(ListenAddress(text) == nil) }

    @Test(arguments: [
        ("port", "port", 0), ("prot", "port", 1), ("Listen", "listen", 0), ("", "abc", 3),
        ("kitten", "sitting", 3),
    ])
    func `likeness counts edits`(left: String, right: String, edits: Int) {
        #expect(Likeness.distance(left, right) == edits)
        #expect(Likeness.distance(right, left) == edits)
    }
}
