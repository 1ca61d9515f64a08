internal import Glibc

/// Moves what is damaged out of the way, so that it can be looked at and nothing is lost.
enum SetAside {
    /// Renames a file to its name with `.damaged-YYYYMMDD-HHMMSS` (UTC), and what belongs to it likewise.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - companions: Ends of the names of files beside it that go with it where they exist, as `-wal`.
    ///   - stamp: The date and time.
    /// - Returns: The new path of the file; with a number behind where that name is taken.
    /// - Throws: ``StoreError`` `system`; nothing was moved.
    static func move(
        _ path: String, companions: [String] = [], stamp: String = Clock.stamp
    ) throws(StoreError) -> String {
        let aside = freeName("\(path).damaged-\(stamp)")
        guard unsafe rename(path, aside) == 0 else { throw systemError("rename", path: path) }
        for end in companions { _ = unsafe rename(path + end, aside + end) }
        return aside
    }

    /// The name, or with the first number behind that makes it one of its own.
    static func freeName(_ name: String) -> String {
        var candidate = name
        var number = 1
        while unsafe access(candidate, F_OK) == 0 {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }
}
