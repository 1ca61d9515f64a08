/// What a room says of itself on the network: the content of its SRV and TXT records (RFC 6763).
///
/// Anybody on the network can write such a record, and caches keep it after its host is gone. It is a hint
/// for lists and for dialling; who the host is and whether a seat is free only the handshake tells.
public struct RoomRecord: Equatable, Sendable {
    /// How far a room is.
    ///
    /// The raw value is what the TXT record holds.
    public enum State: String, Sendable {
        /// Open for guests.
        case lobby = "l"
        /// A match is on.
        case playing = "p"
        /// All seats are taken.
        case full = "f"
    }

    /// The version of the TXT format that this code writes.
    public static let textVersion = 1
    /// Bytes of a room's ID.
    public static let roomIDBytes = 16
    /// Bytes of a peer's ID.
    public static let hostIDBytes = 32

    /// Which room, ``roomIDBytes`` long.
    public var roomID: [UInt8]
    /// The host's public key, ``hostIDBytes`` long.
    public var hostID: [UInt8]
    /// The room's name; when read from the network, the instance's name with everything left out that may not
    /// be shown.
    public var name: String
    /// The game's ID.
    public var game: String
    /// Seats taken.
    public var taken: Int
    /// Seats there are.
    public var seats: Int
    /// How far the room is.
    public var state: State
    /// Whether the host lets nobody in.
    public var locked: Bool
    /// Whether a code is needed to join.
    public var codeNeeded: Bool
    /// The epoch of the sequencer, which rises each time another peer takes over.
    public var epoch: UInt64
    /// The host's display name; in TXT at most ``RoomText/hostNameBytesMax`` bytes of it.
    public var hostName: String
    /// The protocol versions that the host speaks.
    public var protocols: ClosedRange<UInt16>
    /// The TXT format's version.
    ///
    /// Anything above ``textVersion`` was written by a newer Parlor.
    public var textVersion: Int
    /// The TCP port on which the host listens.
    public var port: UInt16

    /// Makes a record of a room that this peer announces.
    ///
    /// The lengths of the IDs are checked by ``txt()``.
    public init(
        roomID: [UInt8], hostID: [UInt8], name: String, game: String, taken: Int, seats: Int,
        state: State = .lobby,
        locked: Bool = false, codeNeeded: Bool = false, epoch: UInt64 = 0, hostName: String,
        protocols: ClosedRange<UInt16> = 1...1, port: UInt16
    ) {
        self.roomID = roomID
        self.hostID = hostID
        self.name = name
        self.game = game
        self.taken = taken
        self.seats = seats
        self.state = state
        self.locked = locked
        self.codeNeeded = codeNeeded
        self.epoch = epoch
        self.hostName = hostName
        self.protocols = protocols
        self.textVersion = Self.textVersion
        self.port = port
    }
}
