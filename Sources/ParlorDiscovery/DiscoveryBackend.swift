/// Announces rooms and finds those of others.
///
/// All calls return at once and may come from any one thread at a time; what happens is told by
/// ``DiscoveryEvent``s through the function that the backend was made with, on a thread of the backend's
/// choosing.
public protocol DiscoveryBackend: AnyObject {
    /// Announces a room. Call once its port is listening. A room announced already is changed to the record.
    func publish(_ record: RoomRecord)
    /// Says that something of an announced room changed. Quick changes are put together: at most one a second
    /// is sent.
    func update(_ record: RoomRecord)
    /// Takes a room off the network. Call before its port is closed. Unknown rooms are ignored.
    func withdraw(roomID: [UInt8])
    /// Says that a dial to a room's host was refused or timed out. The second time hides it until it is heard
    /// anew.
    func markUnreachable(roomID: [UInt8], hostID: [UInt8])
    /// Says that somebody else answered where a room's host should be: its addresses are asked for afresh.
    func resolveAgain(roomID: [UInt8])
    /// Says that the machine slept or its routes changed: what is known counts as cached until it is heard
    /// again.
    func distrust()
    /// Announces and browses on these interfaces only (`if_nametoindex`); `nil` means on all.
    func setInterfaces(_ interfaces: [UInt32]?)
    /// Withdraws everything and ends the backend within two seconds. No event comes after it returned.
    func stop()
}

/// The backend that does nothing: rooms are joined by address.
public final class OffBackend: DiscoveryBackend {
    /// Makes the backend and reports its only state, within this call.
    public init(events: @Sendable (DiscoveryEvent) -> Void) {
        let detail =
            "discovery is switched off, so rooms are neither announced nor found; "
            + "join by address: parlor join --address HOST:PORT"
        events(.state(DiscoveryState(backend: .off, word: .off, detail: detail, interfaces: [])))
    }

    /// Does nothing.
    public func publish(_ record: RoomRecord) {}
    /// Does nothing.
    public func update(_ record: RoomRecord) {}
    /// Does nothing.
    public func withdraw(roomID: [UInt8]) {}
    /// Does nothing.
    public func markUnreachable(roomID: [UInt8], hostID: [UInt8]) {}
    /// Does nothing.
    public func resolveAgain(roomID: [UInt8]) {}
    /// Does nothing.
    public func distrust() {}
    /// Does nothing.
    public func setInterfaces(_ interfaces: [UInt32]?) {}
    /// Does nothing.
    public func stop() {}
}
