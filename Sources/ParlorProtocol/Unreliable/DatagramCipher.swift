internal import ParlorCrypto

/// The keys of one connection's datagrams, one for each direction.
public struct DatagramKeys: Sendable {
    /// The label under which both sides export the bytes from TLS (RFC 8446 section 7.5), with an empty
    /// context.
    public static let exporterLabel = "EXPORTER-parlor-datagram"
    /// How many bytes are exported.
    public static let exportedBytes = 64

    /// Seals what this side sends.
    let sending: PacketKey
    /// Opens what this side receives.
    let receiving: PacketKey

    /// Splits the exported bytes: the first half is what the TLS client seals with.
    ///
    /// - Parameters:
    ///   - exported: ``exportedBytes`` bytes; another number is a programmer's error.
    ///   - role: Which side this is; the dialler is the TLS client.
    public init(exported: [UInt8], role: LinkRole) {
        precondition(exported.count == Self.exportedBytes, "\(exported.count) exported bytes")
        let client = PacketKey(Array(exported.prefix(PacketKey.keyBytes)))
        let server = PacketKey(Array(exported.suffix(PacketKey.keyBytes)))
        switch role {
        case .dialler: (sending, receiving) = (client, server)
        case .listener: (sending, receiving) = (server, client)
        }
    }
}

/// Why a datagram was dropped unread.
public enum DatagramRefusal: String, Error, CaseIterable, Hashable, Sendable {
    /// It has another version or link ID, or a length that no datagram has.
    case notOurs = "not-ours"
    /// Its counter was received before, or is too old to know.
    case replayed
    /// It was not sealed by the peer, or changed on its way.
    case forged
}

/// Seals and opens the datagrams of one connection.
///
/// A datagram is its header (version u8, link ID u32, counter u64), and after it the sealed message with its
/// authenticator. The header is authenticated with it, and all of it but the version is the nonce.
public struct DatagramCipher: Sendable {
    /// The version of datagrams that this software speaks.
    public static let version: UInt8 = 1

    private let keys: DatagramKeys
    private let ownLinkID: UInt32
    private let peerLinkID: UInt32
    /// The last counter used; the first is 1.
    private var lastCounter: UInt64 = 0
    private var window = ReplayWindow()

    /// Makes the cipher of a connection whose counters begin.
    ///
    /// - Parameters:
    ///   - keys: Fresh ones; keys that have sealed with another cipher would repeat a nonce.
    ///   - ownLinkID: What datagrams to this side carry.
    ///   - peerLinkID: What datagrams to the peer carry.
    public init(keys: DatagramKeys, ownLinkID: UInt32, peerLinkID: UInt32) {
        self.keys = keys
        self.ownLinkID = ownLinkID
        self.peerLinkID = peerLinkID
    }

    /// The link ID of a datagram, by which a socket's owner finds the link it is for; `nil` for what is no
    /// datagram of this version.
    public static func linkID(of datagram: [UInt8]) -> UInt32? {
        guard datagram.count >= Limits.datagramHeaderBytes + Limits.datagramTagBytes,
            datagram.count <= Limits.datagramBytesMax, datagram[0] == version
        else { return nil }
        return UInt32(truncatingIfNeeded: datagram.bigEndian(at: 1, bytes: 4))
    }

    /// Begins a datagram: its header, with room for so many bytes of message.
    func header(messageBytes: Int) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(Limits.datagramHeaderBytes + messageBytes + Limits.datagramTagBytes)
        out.append(Self.version)
        out.appendBigEndian(UInt(peerLinkID), bytes: 4)
        out.appendBigEndian(UInt(lastCounter + 1), bytes: 8)
        return out
    }

    /// Seals a datagram that began with ``header(messageBytes:)`` and goes on with its message.
    mutating func seal(_ datagram: inout [UInt8]) {
        precondition(datagram.count <= Limits.datagramBytesMax - Limits.datagramTagBytes, "too long")
        precondition(
            datagram.bigEndian(at: 5, bytes: 8) == UInt(lastCounter + 1), "a counter must not come twice")
        lastCounter += 1
        keys.sending.seal(packet: &datagram, headerBytes: Limits.datagramHeaderBytes)
    }

    /// The datagram of a message, with the next counter.
    public mutating func seal(_ message: [UInt8]) -> [UInt8] {
        var datagram = header(messageBytes: message.count)
        datagram += message
        seal(&datagram)
        return datagram
    }

    /// What a datagram was opened to.
    public struct Opened: Hashable, Sendable {
        /// The message in it.
        public let message: [UInt8]
        /// Whether no datagram with a higher counter has come before.
        public let isNewest: Bool
    }

    /// Opens a datagram of the peer.
    ///
    /// - Throws: ``DatagramRefusal``; nothing has changed then.
    public mutating func open(_ datagram: [UInt8]) throws(DatagramRefusal) -> Opened {
        guard Self.linkID(of: datagram) == ownLinkID else { throw .notOurs }
        let counter = UInt64(datagram.bigEndian(at: 5, bytes: 8))
        guard window.allows(counter) else { throw .replayed }
        guard
            let message = keys.receiving.open(packet: datagram, headerBytes: Limits.datagramHeaderBytes)
        else { throw .forged }
        let isNewest = counter > window.newest
        window.note(counter)
        return Opened(message: message, isNewest: isNewest)
    }
}

/// Which of the last counters have been received.
struct ReplayWindow: Sendable {
    /// The highest counter received; 0 before the first.
    private(set) var newest: UInt64 = 0
    private var seen = InlineArray<16, UInt64>(repeating: 0)
    private static let size = UInt64(Limits.replayWindow)

    /// Whether a counter is new: beyond the newest, or within the window and not received.
    func allows(_ counter: UInt64) -> Bool {
        guard counter > 0 else { return false }
        guard counter <= newest else { return true }
        guard newest - counter < Self.size else { return false }
        let bit = Int(counter % Self.size)
        return seen[bit / 64] >> UInt64(bit % 64) & 1 == 0
    }

    /// Notes that a counter which is new has been received.
    mutating func note(_ counter: UInt64) {
        if counter > newest {
            if counter - newest >= Self.size {
                seen = InlineArray<16, UInt64>(repeating: 0)
            } else {
                for passed in newest + 1...counter { set(passed, to: false) }
            }
            newest = counter
        }
        set(counter, to: true)
    }

    private mutating func set(_ counter: UInt64, to isSeen: Bool) {
        let bit = Int(counter % Self.size)
        let mask: UInt64 = 1 << UInt64(bit % 64)
        if isSeen { seen[bit / 64] |= mask } else { seen[bit / 64] &= ~mask }
    }
}

extension [UInt8] {
    /// The unsigned number in so many bytes from a place; the bytes must be there.
    func bigEndian(at place: Int, bytes: Int) -> UInt {
        var number: UInt = 0
        for byte in self[place..<place + bytes] { number = number << 8 | UInt(byte) }
        return number
    }
}
