/// One setting: the table that the reader, the messages and `Config/parlor.conf` go by.
public struct SettingDeclaration: Sendable {
    /// The section it stands in: `network`.
    public let section: String
    /// Its name in the section: `port`.
    public let key: String
    /// What it may be set to, for messages: `a number from 1 to 65535`.
    public let possible: String
    /// An example value that the setting takes, for the commented line of the settings file.
    public let example: String
    /// What holds where it is not set, for people.
    public let defaultText: String
    /// What it does, in one line.
    public let help: String
    /// Whether it may stand in a file more than once.
    public let repeats: Bool
    /// Takes a value over into the settings; `false` if it is not a possible one.
    let store: @Sendable (String, inout Settings) -> Bool

    /// Letters (graphemes) of the longest player's name.
    public static let nameLettersMax = 32
    /// Bytes of the longest player's name, UTF-8.
    public static let nameBytesMax = 128

    /// Every setting there is, in the order of the settings file.
    public static let all: [SettingDeclaration] = [listen, port, backend, name, words]

    private static let listen = SettingDeclaration(
        section: "network", key: "listen", possible: ListenAddress.possible, example: "127.0.0.1",
        defaultText: "all interfaces", help: "Address to listen on; may be given several times.",
        repeats: true
    ) { text, settings in
        guard let address = ListenAddress(text) else { return false }
        settings.listen.append(address)
        return true
    }

    private static let port = SettingDeclaration(
        section: "network", key: "port", possible: "a number from 1 to 65535", example: "27720",
        defaultText: "27720, or the next free one",
        help: "TCP and UDP port; the daemon does not start if another program has it.", repeats: false
    ) { text, settings in
        guard let port = ListenAddress.port(text) else { return false }
        settings.port = port
        return true
    }

    private static let backend = SettingDeclaration(
        section: "discovery", key: "backend",
        possible: "one of " + DiscoveryChoice.allCases.map(\.rawValue).joined(separator: ", "),
        example: "auto",
        defaultText: "auto",
        help:
            "How rooms are found: avahi (the system's), embedded (Parlor itself), off; auto: what is there.",
        repeats: false
    ) { text, settings in
        guard let backend = DiscoveryChoice(rawValue: text) else { return false }
        settings.discovery = backend
        return true
    }

    private static let name = SettingDeclaration(
        section: "profile", key: "name",
        possible: "a name of 1 to \(nameLettersMax) letters without control characters", example: "Ada",
        defaultText: "the login name", help: "What other players see you as.", repeats: false
    ) { text, settings in
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPlain, (1...nameLettersMax).contains(text.count), text.utf8.count <= nameBytesMax else {
            return false
        }
        settings.name = text
        return true
    }

    private static let words = SettingDeclaration(
        section: "games", key: "words", possible: "the path of a file, beginning with /",
        example: "/usr/share/dict/words",
        defaultText: "/usr/share/dict/words",
        help: "The list that words=system plays Hangman with: UTF-8, one word a line.", repeats: false
    ) { text, settings in
        guard text.hasPrefix("/"), !text.contains("\0") else { return false }
        settings.words = text
        return true
    }
}
