internal import ParlorStore

/// What `parlord` is told on its command line.
struct DaemonOptions {
    /// A folder for everything, instead of the user's own places.
    var home: String?
    /// A settings file, instead of the home's.
    var settingsFile: String?
    /// The player's name.
    var name: String?
    /// Where to listen; empty: on all interfaces.
    var listen: [ListenAddress] = []
    /// How rooms are found; `nil`: as the settings say.
    var discovery: DiscoveryChoice?
    /// Whether the daemon ends when nobody has needed it for a while.
    var isOnDemand = false
    /// Whether clients may disturb this peer's connections.
    var allowsFaults = false
    /// Only print this and end.
    var text: String?

    static let usage = """
        usage: parlord [--home DIR] [--config FILE] [--name NAME] [--listen ADDR[:PORT]]...
                       [--discovery auto|avahi|embedded|off] [--on-demand] [--faults]

        Runs a Parlor peer in the foreground, until TERM or INT. The parlor command talks to it.

          --home DIR       keep everything of this peer below DIR (also: PARLOR_HOME)
          --config FILE    read the settings of FILE
          --name NAME      what other players see you as
          --listen ADDR    listen there only, for example 127.0.0.1 or [::1]:27720; may be repeated
          --discovery B    how rooms are found: avahi (the system's), embedded (this process), off, or auto:
                           avahi, and embedded while there is no Avahi daemon
          --on-demand      end after 10 minutes without clients and rooms
          --faults         let clients disturb the connections (fault.set), to try what happens then
          --version, --help

        examples:
          parlord --home /tmp/ada --name Ada --listen 127.0.0.1
          parlord --discovery off
        """

    /// Reads the command line.
    ///
    /// - Throws: A ``UsageError`` that names the word it does not understand.
    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let option = parts[0]
            func value() throws(UsageError) -> String {
                if parts.count == 2 { return parts[1] }
                guard let next = rest.popFirst() else { throw UsageError("\(option) needs a value") }
                return next
            }
            switch option {
            case "--home": home = try value()
            case "--config": settingsFile = try value()
            case "--name": name = try value()
            case "--listen": listen.append(try Self.address(try value()))
            case "--discovery": discovery = try Self.backend(try value())
            case "--on-demand": isOnDemand = true
            case "--faults": allowsFaults = true
            case "--version": text = "parlord \(Daemon.version)"
            case "--help", "-h": text = Self.usage
            default: throw UsageError("'\(word)' is no option of parlord; parlord --help lists them")
            }
        }
        let ports = Set(listen.compactMap(\.port))
        guard ports.count < 2 else {
            throw UsageError("all --listen share one port; \(ports.sorted()) were given")
        }
    }

    private static func address(_ text: String) throws(UsageError) -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw UsageError("--listen takes \(ListenAddress.possible), not '\(text)'")
        }
        return address
    }

    private static func backend(_ text: String) throws(UsageError) -> DiscoveryChoice {
        guard let backend = DiscoveryChoice(rawValue: text) else {
            throw UsageError("--discovery takes auto, avahi, embedded or off, not '\(text)'")
        }
        return backend
    }
}

/// Something on the command line that is not understood.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
