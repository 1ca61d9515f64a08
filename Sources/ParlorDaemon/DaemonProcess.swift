internal import Glibc
internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorRecords
internal import ParlorStore

/// The process `parlord`: from its command line to its exit status.
public enum DaemonProcess {
    /// Runs a daemon until it is told to stop.
    ///
    /// Call from `main`, on the main thread, once.
    /// - Parameter arguments: The command line without the program's name.
    /// - Returns: The exit status: 0 done, 1 failed, 2 usage, 4 address in use.
    public static func run(_ arguments: [String]) -> Int32 {
        Limits.check()
        Limits.checkRecords()
        Net.ignoreBrokenPipes()
        do throws(StartFailure) {
            let options: DaemonOptions
            do throws(UsageError) { options = try DaemonOptions(arguments) } catch {
                throw StartFailure(2, error.message)
            }
            if let text = options.text {
                let line = Array("\(text)\n".utf8)
                _ = unsafe write(STDOUT_FILENO, line, line.count)
                return 0
            }
            try run(options)
            return 0
        } catch {
            Log.say(error.message)
            return error.status
        }
    }

    private static func run(_ options: DaemonOptions) throws(StartFailure) {
        let home: Home
        do throws(HomeError) {
            home = try Home.current(folder: options.home)
            try home.createFolders()
        } catch {
            throw StartFailure(error.reason == .usage ? 2 : 1, error.message)
        }
        let lock: HomeLock
        do throws(HomeLock.Failure) { lock = try HomeLock(inFolder: home.run) } catch {
            switch error {
            case .held(let pid):
                let who = pid.map { "process \($0)" } ?? "another process"
                throw StartFailure(1, "\(who) already runs a daemon for \(home.run)")
            case .store(let error): throw StartFailure(1, "\(error)")
            }
        }
        let daemon = try Daemon(try DaemonPlan(options, home: home))
        try daemon.run()
        extendLifetime(lock)
    }
}
