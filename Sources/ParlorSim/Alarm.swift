internal import ParlorProtocol

/// When one machine wants to be called next.
///
/// Machines put it off with almost every input. Of all the moments that were asked for, only one is in the
/// queue of events, never after the one that holds.
struct Alarm: Sendable {
    /// A moment that was asked for.
    struct Setting: Sendable {
        /// As the machine's clock shows it.
        let tick: Tick
        /// As the queue counts.
        let at: Tick
        /// Its place in the queue's order.
        let ticket: UInt64

        func isBefore(_ other: Setting) -> Bool { at == other.at ? ticket < other.ticket : at < other.at }
    }

    /// What was asked for last.
    private var setting: Setting?
    /// What is in the queue.
    private var queued: Setting?

    /// Whether this is what was asked for last; `nil`: nothing.
    func isSet(to tick: Tick?) -> Bool { setting?.tick == tick }

    /// The machine asks for a moment, or for none.
    ///
    /// - Returns: What is to be put into the queue.
    mutating func set(_ setting: Setting?) -> Setting? {
        self.setting = setting
        guard let setting, queued.map(setting.isBefore) ?? true else { return nil }
        queued = setting
        return setting
    }

    /// What was put into the queue under a ticket has come.
    ///
    /// - Returns: Whether the machine is to be called, and what else is to be put into the queue.
    mutating func come(_ ticket: UInt64) -> (isDue: Bool, next: Setting?) {
        guard queued?.ticket == ticket else { return (false, nil) }
        queued = nil
        guard setting?.ticket != ticket else {
            setting = nil
            return (true, nil)
        }
        queued = setting
        return (false, setting)
    }
}
