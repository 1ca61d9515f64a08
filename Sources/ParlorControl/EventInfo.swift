/// The types of events.
public enum EventType: String, CaseIterable, Hashable, Sendable {
    case roomFound = "room.found"
    case roomChanged = "room.changed"
    case roomLost = "room.lost"
    case roomOpened = "room.opened"
    case roomUpdated = "room.updated"
    case roomClosed = "room.closed"
    case seatTaken = "seat.taken"
    case seatLeft = "seat.left"
    case seatAway = "seat.away"
    case seatBack = "seat.back"
    case seatReady = "seat.ready"
    case drawNumber = "draw.number"
    case drawDecided = "draw.decided"
    case matchStarted = "match.started"
    case matchChanged = "match.changed"
    case matchRefused = "match.refused"
    case matchEnded = "match.ended"
    case sequencerChanged = "sequencer.changed"
    case scoreRecorded = "score.recorded"
    case achievementEarned = "achievement.earned"
    case turnInvited = "turn.invited"
    case turnChanged = "turn.changed"
    case turnYours = "turn.yours"
    case turnReminded = "turn.reminded"
    case turnDouble = "turn.double"
    case turnEnded = "turn.ended"
    case message
    case say
    case linkUp = "link.up"
    case linkSuspect = "link.suspect"
    case linkResumed = "link.resumed"
    case linkLost = "link.lost"
    case discoveryChanged = "discovery.changed"
    case error
}

/// One event, the `params` of an `event` notification.
///
/// `seq`, `type` and `time` are always there; the other members depend on the type and are read and
/// written as JSON: `room` and `match` (IDs), `seat`, `peer`, and so on. Discovery events carry the row
/// as ``RoomRowInfo`` in `row`.
public struct EventInfo: Hashable, Sendable {
    /// Counts up by one for each event of a daemon.
    public var seq: Int
    /// The type's word.
    ///
    /// A `String`, so that events of a later daemon can pass through.
    public var type: String
    /// When it happened, in Unix milliseconds.
    public var time: Int
    /// The other members, in their order.
    public var fields: [JSON.Member]

    /// Makes an event of a known type.
    public init(seq: Int, type: EventType, time: Int, fields: [JSON.Member] = []) {
        self.seq = seq
        self.type = type.rawValue
        self.time = time
        self.fields = fields
    }

    /// Reads the `params` of a notification; `nil` when `seq`, `type` or `time` is missing or mistyped.
    public init?(_ json: JSON) {
        guard let members = json.members, let seq = json["seq"]?.integer, let type = json["type"]?.text,
            let time = json["time"]?.integer
        else { return nil }
        self.seq = seq
        self.type = type
        self.time = time
        fields = members.filter { !["seq", "type", "time"].contains($0.key) }
    }

    /// The type, when this build knows it.
    public var known: EventType? { EventType(rawValue: type) }

    /// A member's value; `nil` when the event has no such member.
    public subscript(key: String) -> JSON? { fields.first { $0.key == key }?.value }

    /// The event as an object.
    public var json: JSON {
        .object(
            [
                JSON.Member("seq", .int(seq)), JSON.Member("type", .string(type)),
                JSON.Member("time", .int(time)),
            ] + fields)
    }

    /// The whole notification.
    public var notification: JSON { ["jsonrpc": "2.0", "method": "event", "params": json] }
}
