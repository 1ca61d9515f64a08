internal import ParlorCrypto

/// What peers say to each other to prove that they know a room's code.
public enum CodeMessage: Hashable, Sendable {
    /// A peer wants to come in and has a code: like `enter`, with its share.
    case prove(RoomReference, purpose: RoomMessage.Purpose, name: String, share: [UInt8])
    /// The host's share; the reference is that of ``prove(_:purpose:name:share:)``.
    case share(room: RoomID, RoomReference, share: [UInt8])
    /// The peer's tag, by which the host sees that the code is right.
    case confirm(room: RoomID, tag: [UInt8])
    /// It is in, in this seat or to watch (`nil`), and the host's tag shows that the host knows the code; the
    /// state follows.
    case admitted(room: RoomID, seat: Int?, tag: [UInt8])

    /// The kinds of these messages, the first items of their arrays.
    static let kinds = 16...19

    var cbor: CBOR {
        switch self {
        case .prove(let room, let purpose, let name, let share):
            [.int(16), room.cbor, .int(purpose.rawValue), .text(name), .bytes(share)]
        case .share(let room, let reference, let share):
            [.int(17), .bytes(room.bytes), reference.cbor, .bytes(share)]
        case .confirm(let room, let tag): [.int(18), .bytes(room.bytes), .bytes(tag)]
        case .admitted(let room, let seat, let tag):
            [.int(19), .bytes(room.bytes), seat.map { .int($0) } ?? .null, .bytes(tag)]
        }
    }

    /// Reads a message of one of ``kinds`` whose first item was the kind; `nil` when it is none.
    init?(kind: Int, _ items: [CBOR]) {
        let length = kind == 16 || kind == 17 ? CPace.shareBytes : CPace.tagBytes
        guard let last = items.last?.bytes, last.count == length else { return nil }
        let room = items[1].bytes.flatMap(RoomID.init(bytes:))
        switch (kind, items.count, room) {
        case (16, 5, _):
            guard let reference = RoomReference(cbor: items[1]), let name = items[3].text,
                let purpose = items[2].int.flatMap(RoomMessage.Purpose.init(rawValue:)), purpose != .mesh
            else { return nil }
            self = .prove(reference, purpose: purpose, name: name, share: last)
        case (17, 4, let room?):
            guard let reference = RoomReference(cbor: items[2]) else { return nil }
            self = .share(room: room, reference, share: last)
        case (18, 3, let room?): self = .confirm(room: room, tag: last)
        case (19, 4, let room?):
            let seat = items[2].int
            guard items[2].isNull || seat.map((0..<Limits.seatsMax).contains) ?? false else { return nil }
            self = .admitted(room: room, seat: seat, tag: last)
        default: return nil
        }
    }
}
