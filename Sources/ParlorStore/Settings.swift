/// How rooms are advertised and found.
public enum DiscoveryChoice: String, Hashable, Sendable, CaseIterable {
    /// The system's Avahi where it answers, else the one inside the program.
    case auto
    /// The system's Avahi daemon.
    case avahi
    /// The Avahi library inside the program.
    case embedded
    /// None; rooms are joined by address.
    case off
}

/// What a person has set in `parlor.conf`; everything has a default.
public struct Settings: Hashable, Sendable {
    /// Addresses to listen on, in the order given; empty: all interfaces.
    public var listen: [ListenAddress] = []
    /// The TCP and UDP port, 1-65535; `nil`: 27720 or a free one after it.
    public var port: Int?
    /// How rooms are advertised and found.
    public var discovery = DiscoveryChoice.auto
    /// The player's name; `nil`: the login name.
    public var name: String?

    /// The system's list of words, one a line.
    public var words = "/usr/share/dict/words"

    /// The most a settings file may hold, bytes.
    public static let fileBytesMax = 65_536

    /// Makes settings that are all default.
    public init() {}

    /// Reads the settings of a file's text.
    ///
    /// Lines that are wrong are skipped, and every one of them is reported.
    /// - Parameter text: UTF-8, with a byte order mark or without, lines ending in LF or CRLF.
    /// - Returns: The settings, and what was wrong by ascending line.
    public static func parse(_ text: [UInt8]) -> (settings: Settings, problems: [SettingProblem]) {
        let reader = SettingsReader(text)
        reader.run()
        return (reader.settings, reader.problems)
    }

    /// Reads a settings file; see ``parse(_:)``.
    ///
    /// - Returns: The settings, and what was wrong by ascending line.
    /// - Throws: ``StoreError``: `notFound`, `notAFile`, `tooLarge` (``fileBytesMax``), or `system`.
    public static func load(_ path: String) throws(StoreError) -> (
        settings: Settings, problems: [SettingProblem]
    ) {
        parse(try AtomicFile.read(path, bytesMax: fileBytesMax))
    }
}

/// One line of a settings file that was skipped.
public struct SettingProblem: Error, Hashable, Sendable {
    /// The line's number, from 1.
    public let line: Int
    /// What is wrong and what is possible, for people.
    public let message: String

    /// Makes a problem; called by the reader.
    public init(line: Int, message: String) {
        self.line = line
        self.message = message
    }
}
