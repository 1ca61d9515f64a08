/// Why a link was refused or closed, in one word: lower-case ASCII letters, digits and dashes.
///
/// A peer of another version may use words that are not listed here.
public struct LinkReason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The word.
    public let rawValue: String

    /// Makes a reason; `nil` unless the word has 1 to ``Limits/reasonBytesMax`` allowed letters.
    public init?(rawValue: String) {
        guard (1...Limits.reasonBytesMax).contains(rawValue.utf8.count) else { return nil }
        for letter in rawValue.utf8 {
            switch letter {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                break
            default: return nil
            }
        }
        self.rawValue = rawValue
    }

    private init(known word: String) { rawValue = word }

    /// The word.
    public var description: String { rawValue }

    /// Nothing more to say: the peer goes, or nobody needs the link any longer.
    public static let closed = LinkReason(known: "closed")
    /// The peers have no protocol version in common.
    public static let noCommonVersion = LinkReason(known: "no-common-version")
    /// No `hello` or `welcome` came within ``Limits/greetingWait``.
    public static let greetingTimeout = LinkReason(known: "greeting-timeout")
    /// More links wait for their greeting than a peer takes; worth another try.
    public static let busy = LinkReason(known: "busy")
    /// A newer link of the same peer has taken this one's place.
    public static let replaced = LinkReason(known: "replaced")
    /// The peer sent what the protocol does not allow.
    public static let protocolViolation = LinkReason(known: "protocol-violation")
    /// The peer has taken nothing for ``Limits/fullWait`` while the link was full.
    public static let stuck = LinkReason(known: "stuck")
    /// The transport ended without a goodbye, or no bytes came for too long, and the link was not resumed.
    public static let lost = LinkReason(known: "lost")
}

/// Which side of a connection a peer is.
public enum LinkRole: String, Hashable, Sendable {
    /// Made the connection; sends `hello`.
    case dialler
    /// Took the connection; answers with `welcome` or `refuse`.
    case listener
}

/// How far a link had come when it ended.
public enum LinkPhase: String, Hashable, Sendable {
    /// The transport was not open yet.
    case connecting
    /// The transport was open; the link was not set up.
    case greeting
    /// The link was set up.
    case open
    /// A close had been asked for; queued messages were still going out.
    case closing
}

/// How a link ended.
public struct LinkEnd: Hashable, Sendable {
    /// Who ended it.
    public enum Party: String, Hashable, Sendable {
        /// This side.
        case local
        /// The peer, with a refusal or a goodbye.
        case peer
        /// Nobody: the transport broke or fell silent.
        case network
    }

    /// Who ended it.
    public let who: Party
    /// Why.
    public let reason: LinkReason
    /// How far the link had come, seen from this side.
    public let phase: LinkPhase
    /// What explains the reason to a person; empty where there is no more to say.
    public let detail: String

    /// Makes an end.
    public init(who: Party, reason: LinkReason, phase: LinkPhase, detail: String) {
        self.who = who
        self.reason = reason
        self.phase = phase
        self.detail = detail
    }
}

/// Which queue of a link a message goes through; a smaller number goes first.
public enum Lane: UInt8, CaseIterable, Hashable, Comparable, Sendable {
    /// Rooms, admission, votes.
    case control = 0
    /// Matches: proposals, entries, acknowledgements of them.
    case game = 1
    /// What takes long and can wait: logs, word lists.
    case bulk = 2

    /// Whether one lane goes before another.
    public static func < (left: Lane, right: Lane) -> Bool { left.rawValue < right.rawValue }
}

/// How lively a link has to be.
public enum LinkPace: String, Hashable, Sendable {
    /// A match is on: silence is noticed within a second.
    case match
    /// No match is on.
    case idle
}

/// A value for each lane.
public struct PerLane<Element> {
    private var control: Element
    private var game: Element
    private var bulk: Element

    /// Makes the same value for each lane.
    public init(repeating element: Element) {
        control = element
        game = element
        bulk = element
    }

    /// The value of a lane.
    public subscript(lane: Lane) -> Element {
        get {
            switch lane {
            case .control: control
            case .game: game
            case .bulk: bulk
            }
        }
        _modify {
            switch lane {
            case .control: yield &control
            case .game: yield &game
            case .bulk: yield &bulk
            }
        }
    }
}

extension PerLane: Equatable where Element: Equatable {}
extension PerLane: Hashable where Element: Hashable {}
extension PerLane: Sendable where Element: Sendable {}
