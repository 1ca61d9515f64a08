/// Lucky, alone: four buttons, some of which end the game; nobody knows which before one is pressed.
///
/// Which ones they are follows from the seat's hash chain and the number of the press, so the chain's first
/// element and the presses are the whole game (``LuckyProof``). Nobody witnesses that chain.
public struct Lucky: GameRules {
    /// One seat; options as every game, and `level`.
    public static let declaration = GameDeclaration(
        id: "lucky", title: "Lucky", rules: 1, seats: 1...1,
        options: CommonOptions.declarations(turnSeconds: 0) + [
            OptionDeclaration(
                "level", .word(["easy", "normal", "hard"]), standard: "normal",
                "how many buttons end the game: easy 1, normal 2, hard 3")
        ])

    var attendance: Attendance
    /// The buttons, and what was pressed.
    public private(set) var table: LuckyTable
    private let match: [UInt8]
    private let chainEnd: [UInt8]
    private let hash: HashFunction

    /// Begins with no button pressed.
    public init(_ setup: GameSetup) {
        attendance = Attendance(setup)
        table = LuckyTable(level: LuckyLevel(rawValue: setup.options.word("level")) ?? .normal)
        match = setup.match
        chainEnd = setup.chainEnds.first ?? []
        hash = setup.hash
    }

    /// Applies one event; see ``GameRules/apply(_:at:)``.
    public mutating func apply(_ event: GameEvent, at time: Int) throws(Refusal) {
        guard outcomes == nil else { throw Self.matchEnded }
        switch event {
        case .move(let seat, let datum):
            guard let parts = datum.elements, parts.count == 3, parts[0].number == 0,
                let button = parts[1].number, let link = parts[2].octets
            else { throw Refusal(.badParams, "no move of Lucky") }
            try check(button, by: seat)
            guard Chance.holds(link, draw: table.presses + 1, end: chainEnd, hash: hash) else {
                throw Refusal(.illegalMove, "the link does not fit the seat's chain")
            }
            table.press(button, link: link, match: match, hash: hash)
        case .opened, .judged, .expired: throw Refusal(.illegalMove, "nobody waits for that in Lucky")
        case .away(let seat): try attendance.goAway(seat)
        case .back(let seat): try attendance.comeBack(seat)
        case .left(let seat): try attendance.leave(seat)
        case .takenOver(let seat, _): try attendance.check(seat)
        }
    }

    /// Nothing: a press brings its own chance along.
    public var need: GameNeed? { nil }

    /// Never.
    public var deadline: Int? { nil }

    /// The seat, until the game is over.
    public var turn: [Int] { outcomes == nil ? [0] : [] }

    /// `lost` with the button that ends it, as every game of Lucky but one without an end is; else `quit`.
    public var outcomes: [Outcome]? {
        guard attendance.staying.contains(0) else { return [.quit] }
        return table.isOver ? [table.isSpent ? .won : .lost] : nil
    }

    /// Nothing: a seat's machine owes nothing by itself.
    public func duty(of seat: Int, secrets: @autoclosure () -> SeatSecrets) -> Datum? { nil }

    /// Writes the state; see ``GameRules/encode(into:)``.
    public func encode(into bytes: inout StateBytes) {
        attendance.encode(into: &bytes)
        bytes.write(table.level.killers)
        bytes.write(table.safe.map { UInt8(truncatingIfNeeded: $0) })
        bytes.write(table.killers.map { UInt8(truncatingIfNeeded: $0) })
        bytes.write(table.isOver)
    }

    private static let matchEnded = Refusal(.matchEnded, "the game is over")

    private func check(_ button: Int, by seat: Int) throws(Refusal) {
        guard outcomes == nil else { throw Self.matchEnded }
        try attendance.check(seat)
        guard LuckyTable.buttons.contains(button) else {
            throw Refusal(.badParams, "the buttons are 1 to 4")
        }
    }
}

// What the player sees of it and may do.
extension Lucky {
    /// One `press` for each button.
    public func legal(for seat: Int, secrets: SeatSecrets?, at now: Int) -> [Value] {
        guard outcomes == nil, attendance.staying.contains(seat) else { return [] }
        return LuckyTable.buttons.map { ["do": "press", "button": .int($0)] }
    }

    /// The safe presses in order; `killers` are those of the newest press.
    public func view(for seat: Int?, secrets: SeatSecrets?, at now: Int) -> Value {
        [
            "level": .string(table.level.rawValue), "score": .int(table.score),
            "pressed": .array(table.safe.map { .int($0) }), "over": .bool(outcomes != nil),
            "killers": .array(table.killers.map { .int($0) }),
        ]
    }

    /// Reads `{"do":"press","button":1-4}`.
    public func move(
        for action: Value, by seat: Int, secrets: @autoclosure () -> SeatSecrets, at now: Int
    ) throws(Refusal) -> Datum {
        guard action["do"]?.text == "press", let button = action["button"]?.number else {
            throw Refusal(.badParams, #"Lucky takes {"do":"press","button":N}, N from 1 to 4"#)
        }
        try check(button, by: seat)
        return .list([.int(0), .int(button), .bytes(secrets().link(table.presses + 1))])
    }
}
