/// How a score is written for people; a score itself is a whole number.
public enum ScoreFormat: Hashable, Sendable {
    /// A whole number.
    case integer
    /// A number with so many decimals: 1234 with 2 is 12.34.
    case decimals(Int)
    /// Milliseconds, written as minutes, seconds and thousandths.
    case time
    /// Hundredths of a currency.
    case money(String)
}

/// When a board that begins anew does so: half-open windows of the signed time, in UTC.
public struct Recurrence: Hashable, Sendable {
    /// When the first window begins, in Unix milliseconds.
    public let start: Int64
    /// How long a window lasts, in milliseconds.
    public let length: Int64
    /// From the beginning of one window to that of the next, in milliseconds; not less than ``length``.
    public let interval: Int64

    /// Makes one; the parameters are the members.
    public init(start: Int64, length: Int64, interval: Int64) {
        precondition(start >= 0 && length > 0 && length <= interval, "windows that overlap or are empty")
        self.start = start
        self.length = length
        self.interval = interval
    }

    /// When the window that a moment is in begins; `nil` for a moment between windows or before the first.
    public func window(at moment: Int64) -> Int64? {
        guard moment >= start else { return nil }
        let begin = moment - (moment - start) % interval
        return moment - begin < length ? begin : nil
    }
}

/// A leaderboard: what it is called, what its scores are, and which of two is better.
public struct Board: Hashable, Sendable {
    /// Which of two scores is better.
    public enum Order: String, Hashable, Sendable {
        /// The higher one.
        case highLow = "high-low"
        /// The lower one.
        case lowHigh = "low-high"
    }
    /// Which score of a player stands.
    public enum Keeps: String, Hashable, Sendable {
        /// The best.
        case best
        /// The newest by its signed time.
        case latest
    }

    /// Stable name, at most ``ParlorProtocol/Limits/recordIDMax`` characters; never used for another board.
    public let id: String
    /// The game's ID.
    public let game: String
    /// For people.
    public let title: String
    /// How a score is written.
    public let format: ScoreFormat
    /// What one is called: `point`.
    public let unit: String
    /// What several are called: `points`.
    public let units: String
    /// Which of two scores is better.
    public let order: Order
    /// Which score of a player stands.
    public let keeps: Keeps
    /// The scores there can be; one outside is refused, never changed.
    public let range: ClosedRange<Int64>?
    /// When it begins anew; `nil` for one that does not.
    public let recurrence: Recurrence?
    /// Whether its scores come from games that nobody but their player has seen.
    public let isUnwitnessed: Bool
    /// Whether it is hidden and takes no scores any more.
    public let isRetired: Bool

    /// Makes a board; the parameters are the members.
    public init(
        id: String, game: String, title: String, format: ScoreFormat = .integer, unit: String, units: String,
        order: Order, keeps: Keeps = .best, range: ClosedRange<Int64>? = nil, recurrence: Recurrence? = nil,
        isUnwitnessed: Bool = false, isRetired: Bool = false
    ) {
        self.id = id
        self.game = game
        self.title = title
        self.format = format
        self.unit = unit
        self.units = units
        self.order = order
        self.keeps = keeps
        self.range = range
        self.recurrence = recurrence
        self.isUnwitnessed = isUnwitnessed
        self.isRetired = isRetired
    }

    /// Whether a score is better than another.
    public func isBetter(_ one: Int64, than other: Int64) -> Bool {
        order == .highLow ? one > other : one < other
    }

    /// A score with its unit, as people read it: `1 point`, `12.34 m`, `1:02.345`.
    public func text(of value: Int64) -> String {
        switch format {
        case .integer: "\(value) \(value == 1 ? unit : units)"
        case .decimals(let places): "\(Self.decimals(value, places)) \(units)"
        case .time: Self.time(value)
        case .money(let currency): "\(Self.decimals(value, 2)) \(currency)"
        }
    }

    private static func padded(_ number: UInt64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func decimals(_ value: Int64, _ places: Int) -> String {
        let digits = padded(value.magnitude, places + 1)
        let sign = value < 0 ? "-" : ""
        return places <= 0 ? sign + digits : "\(sign)\(digits.dropLast(places)).\(digits.suffix(places))"
    }

    private static func time(_ value: Int64) -> String {
        let all = value.magnitude
        let (minutes, rest) = (all / 60_000, all % 60_000)
        return "\(value < 0 ? "-" : "")\(minutes):\(padded(rest / 1_000, 2)).\(padded(rest % 1_000, 3))"
    }
}
