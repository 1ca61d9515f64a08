internal import Glibc

/// Moments as people of this machine's place write them.
enum LocalTime {
    /// `2031-02-03 14:05` of Unix milliseconds, in local time; corresponds to `localtime_r(3)`.
    static func minute(_ unixMs: Int) -> String {
        var seconds = time_t(unixMs / 1_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "?" }
        let date = unsafe [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
        let clock = unsafe [Int(parts.tm_hour), Int(parts.tm_min)]
        return date.map(two).joined(separator: "-") + " " + clock.map(two).joined(separator: ":")
    }

    /// `3 min 12 s` of milliseconds.
    static func span(_ milliseconds: Int) -> String {
        let seconds = max(0, milliseconds) / 1_000
        let minutes = seconds / 60
        if minutes == 0 { return "\(seconds) s" }
        return minutes < 60
            ? "\(minutes) min \(seconds % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
