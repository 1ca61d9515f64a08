/// Story: the seats write one text, a turn each, until it is long enough.
///
/// Nobody wins: who is there at the end has `tied`.
public struct Story: GameRules {
    /// Two to four seats; options as every game.
    public static let declaration = GameDeclaration(
        id: "story", title: "Story", rules: 1, seats: 2...4,
        options: CommonOptions.declarations(turnSeconds: 0))

    /// What every story begins with.
    static let beginning = "Once upon a time"
    /// Graphemes of a turn.
    static let graphemes = 1...250
    /// Bytes of UTF-8 above which the view says how many are left.
    static let bytesTold = 3_000
    /// Bytes of UTF-8 above which the story is over.
    static let bytesEnough = 3_800
    /// Bytes of UTF-8 that a story has at most.
    static let bytesMost = 4_096

    /// What one turn added.
    struct Part: Hashable, Sendable {
        let seat: Int
        /// Where it is in the story, in bytes of UTF-8, without the space before it.
        let bytes: Range<Int>
    }

    var attendance: Attendance
    private(set) var text = Story.beginning
    private(set) var parts: [Part] = []
    /// The seat to write; it stays what it was once the story is over.
    private(set) var writer: Int
    /// Since when the seat to write can.
    private var since: Int
    /// How many turns in a row ran out of time.
    private var passes = 0
    private(set) var isOver = false
    /// Milliseconds for a turn; `nil`: no limit.
    private let patience: Int?

    /// Begins with the seat that goes first.
    public init(_ setup: GameSetup) {
        attendance = Attendance(setup)
        writer = attendance.staying.contains(setup.first) ? setup.first : attendance.staying.lowest ?? 0
        since = setup.startedAt
        let seconds = setup.options.int("turn_s")
        patience = seconds > 0 ? seconds * 1_000 : nil
        if attendance.staying.count < 2 { isOver = true }
    }

    /// Applies one event; see ``GameRules/apply(_:at:)``.
    public mutating func apply(_ event: GameEvent, at time: Int) throws(Refusal) {
        guard !isOver else { throw Self.matchEnded }
        switch event {
        case .move(let seat, let datum):
            guard let parts = datum.elements, parts.count == 2, parts[0].number == 0,
                let text = parts[1].string
            else { throw Refusal(.badParams, "no move of Story") }
            try check(text, by: seat)
            append(text, by: seat, at: time)
        case .opened, .judged: throw Refusal(.illegalMove, "nobody waits for that in Story")
        case .expired:
            guard let deadline, time >= deadline else { throw Refusal(.illegalMove, "no time has run out") }
            passes += 1
            if passes >= 2 * attendance.staying.count { isOver = true } else { passOn(at: time) }
        case .away(let seat): try attendance.goAway(seat)
        case .back(let seat):
            try attendance.comeBack(seat)
            if seat == writer { since = time }
        case .left(let seat):
            try attendance.leave(seat)
            if attendance.staying.count < 2 { isOver = true } else if seat == writer { passOn(at: time) }
        case .takenOver(let seat, _): try attendance.check(seat)
        }
    }

    private mutating func append(_ addition: String, by seat: Int, at time: Int) {
        text += " "
        let from = text.utf8.count
        text += addition
        parts.append(Part(seat: seat, bytes: from..<text.utf8.count))
        passes = 0
        if bytes > Self.bytesEnough { isOver = true } else { passOn(at: time) }
    }

    /// The next seat that has not left writes, whether it is here or not: a story waits for who is away.
    private mutating func passOn(at time: Int) {
        since = time
        for step in 1...attendance.seats {
            let next = (writer + step) % attendance.seats
            guard attendance.staying.contains(next) else { continue }
            writer = next
            return
        }
    }

    /// Nothing: there is no chance in it.
    public var need: GameNeed? { nil }

    /// When the time of the seat to write runs out; never while it is away.
    public var deadline: Int? {
        guard !isOver, !attendance.away.contains(writer), let patience else { return nil }
        return later(since, by: patience)
    }

    /// The seat to write.
    public var turn: [Int] { isOver ? [] : [writer] }

    /// All that have not left have `tied`.
    public var outcomes: [Outcome]? {
        guard isOver else { return nil }
        return (0..<attendance.seats).map { attendance.staying.contains($0) ? .tied : .quit }
    }

    /// Nothing: a seat's machine owes nothing by itself.
    public func duty(of seat: Int, secrets: @autoclosure () -> SeatSecrets) -> Datum? { nil }

    /// Writes the state; see ``GameRules/encode(into:)``.
    public func encode(into bytes: inout StateBytes) {
        attendance.encode(into: &bytes)
        bytes.write(text)
        bytes.write(parts.count)
        for part in parts {
            for number in [part.seat, part.bytes.lowerBound, part.bytes.upperBound] { bytes.write(number) }
        }
        for number in [writer, since, passes] { bytes.write(number) }
        bytes.write(isOver)
    }

    /// Bytes of the story in UTF-8.
    var bytes: Int { text.utf8.count }

    private static let matchEnded = Refusal(.matchEnded, "the story is over")

    /// Refuses a text that cannot be the next turn.
    private func check(_ addition: String, by seat: Int) throws(Refusal) {
        guard !isOver else { throw Self.matchEnded }
        try attendance.check(seat)
        guard seat == writer else { throw Refusal(.notYourTurn, "it is not your turn to write") }
        guard !addition.isEmpty else { throw Refusal(.illegalMove, "write at least one character") }
        let left = Self.bytesMost - bytes
        let needed = addition.utf8.count + 1
        guard needed <= left else {
            throw Refusal(
                .illegalMove,
                "the story has \(left) bytes left, and this takes \(needed) with the space before it")
        }
        guard addition.unicodeScalars.allSatisfy({ !Self.isControl($0) }) else {
            throw Refusal(.illegalMove, "no control characters: neither new lines nor tabs")
        }
        let count = addition.count
        guard Self.graphemes.contains(count) else {
            throw Refusal(.illegalMove, "a turn has at most 250 characters, and this has \(count)")
        }
    }

    /// Whether a scalar controls how text is shown, rather than being text: C0, C1 and DEL, line and
    /// paragraph separators, and what embeds, overrides or isolates a direction of writing.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

// What players see of it and may do.
extension Story {
    /// `append`, for the seat to write.
    public func legal(for seat: Int, secrets: SeatSecrets?, at now: Int) -> [Value] {
        guard !isOver, seat == writer else { return [] }
        return [["do": "append", "text": nil]]
    }

    /// The same text for everybody.
    public func view(for seat: Int?, secrets: SeatSecrets?, at now: Int) -> Value {
        [
            "text": .string(text), "bytes": .int(bytes),
            "left": bytes > Self.bytesTold ? .int(Self.bytesMost - bytes) : nil,
            "authors": .array(
                parts.map { part in
                    [
                        "seat": .int(part.seat), "from": .int(part.bytes.lowerBound),
                        "to": .int(part.bytes.upperBound),
                    ]
                }),
            "turn": turn.first.map { .int($0) } ?? nil,
        ]
    }

    /// Reads `{"do":"append","text":…}`.
    public func move(
        for action: Value, by seat: Int, secrets: @autoclosure () -> SeatSecrets, at now: Int
    ) throws(Refusal) -> Datum {
        guard action["do"]?.text == "append", let addition = action["text"]?.text else {
            throw Refusal(.badParams, #"Story takes {"do":"append","text":…}"#)
        }
        try check(addition, by: seat)
        return .list([.int(0), .text(addition)])
    }
}
