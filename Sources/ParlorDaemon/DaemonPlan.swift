internal import Glibc
internal import ParlorControl
internal import ParlorCrypto
internal import ParlorProtocol
internal import ParlorStore

/// Everything that is settled before a daemon starts: from its command line, its settings and its home.
struct DaemonPlan {
    let home: Home
    let seed: [UInt8]
    let name: String
    /// Whether the command line named the player.
    let isNameFixed: Bool
    let listen: [ListenAddress]
    let port: Int?
    let discovery: DiscoveryChoice
    let isOnDemand: Bool
    let allowsFaults: Bool
    /// The system's list of words.
    let wordFile: String
    /// The settings files, best first.
    let settingsFiles: [String]

    /// Where a name set by `profile.set` is kept.
    var nameFile: String { Self.nameFile(home) }

    /// Reads settings and identity.
    ///
    /// - Throws: ``StartFailure`` with the exit status.
    init(_ options: DaemonOptions, home: Home) throws(StartFailure) {
        self.home = home
        settingsFiles = options.settingsFile.map { [$0] } ?? home.settingsFiles
        let (settings, problems) = Self.readSettings(settingsFiles, isNamed: options.settingsFile != nil)
        if problems.count > 1 { for problem in problems { Log.say(problem) } }
        if let first = problems.first {
            // The last line stands for all where only that is shown.
            let more = problems.count > 1 ? " (and \(problems.count - 1) more, see above)" : ""
            throw StartFailure(2, "the settings have to be mended first: \(first)\(more)")
        }
        listen = options.listen.isEmpty ? settings.listen : options.listen
        port = settings.port
        discovery = options.discovery ?? settings.discovery
        isOnDemand = options.isOnDemand
        allowsFaults = options.allowsFaults
        wordFile = settings.words
        isNameFixed = options.name != nil
        name = try Self.chooseName(options.name, settings.name, home)
        do throws(StoreError) {
            seed = try IdentityFile.readOrCreate(
                "\(home.data)/\(IdentityFile.name)", entropy: Entropy.bytes(IdentityFile.seedBytes))
        } catch {
            throw StartFailure(1, "\(error)")
        }
    }

    /// The settings as they are now, and what is wrong with them.
    func readSettings() -> (settings: Settings, problems: [String]) {
        Self.readSettings(settingsFiles, isNamed: false)
    }

    private static func readSettings(_ files: [String], isNamed: Bool) -> (
        settings: Settings, problems: [String]
    ) {
        for file in files {
            do throws(StoreError) {
                let (settings, problems) = try Settings.load(file)
                return (settings, problems.map { "\(file), line \($0.line): \($0.message)" })
            } catch {
                if error.code == .notFound, !isNamed { continue }
                return (Settings(), ["\(error)"])
            }
        }
        return (Settings(), [])
    }

    private static func nameFile(_ home: Home) -> String { "\(home.data)/name" }

    private static func chooseName(_ option: String?, _ setting: String?, _ home: Home) throws(StartFailure)
        -> String
    {
        if let option, !VisibleText.strip(option).isEmpty {
            do throws(RoomRefusal) { return try PlayerName(option).text } catch {
                throw StartFailure(2, "--name: \(error.message)")
            }
        }
        let kept = (try? AtomicFile.read(nameFile(home), bytesMax: 1_024)).map {
            String(decoding: $0, as: UTF8.self)
        }
        for candidate in [kept, setting, loginName, hostName].compactMap({ $0 }) {
            if let name = try? PlayerName(candidate) { return name.text }
        }
        return "player"
    }

    private static var loginName: String? {
        guard let entry = unsafe getpwuid(getuid()), let name = unsafe entry.pointee.pw_name else {
            return nil
        }
        return unsafe String(cString: name)
    }

    private static var hostName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Why the daemon did not start.
struct StartFailure: Error {
    /// The exit status: 1 failed, 2 usage, 4 address in use.
    let status: Int32
    let message: String

    init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// What the daemon says on stderr, a line each.
enum Log {
    /// Writes one line with the time of day.
    static func say(_ text: String) {
        var now = Calendar.unixMilliseconds() / 1_000
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        let digits = { (number: Int32) in number < 10 ? "0\(number)" : "\(number)" }
        let time =
            "\(digits(unsafe parts.tm_hour)):\(digits(unsafe parts.tm_min)):\(digits(unsafe parts.tm_sec))Z"
        let line = Array("\(time) parlord: \(text)\n".utf8)
        _ = unsafe write(STDERR_FILENO, line, line.count)
    }
}
