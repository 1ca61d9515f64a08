/// Tic Tac Toe: two seats place marks in turn; three in a line win.
///
/// The seat that goes first is X. Nothing is hidden and nothing is left to chance; the winner follows from
/// the board.
public struct TicTacToe: GameRules {
    /// Two seats; options as every game.
    public static let declaration = GameDeclaration(
        id: "tictactoe", title: "Tic Tac Toe", rules: 1, seats: 2...2,
        options: CommonOptions.declarations(turnSeconds: 0))

    var attendance: Attendance
    var board = TicTacToeBoard()
    /// The seat that plays X.
    let crosses: Int
    /// The seat to move; it stays what it was once the game is over.
    private(set) var mover: Int
    /// Since when the seat to move can.
    private var since: Int
    /// The seat whose time ran out.
    private var expired: Int?
    private(set) var isOver = false
    /// Milliseconds for a move; `nil`: no limit.
    private let patience: Int?

    /// Begins with an empty board.
    public init(_ setup: GameSetup) {
        attendance = Attendance(setup)
        crosses = setup.first == 1 ? 1 : 0
        mover = crosses
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
            guard let cell = Self.cell(datum) else { throw Refusal(.badParams, "no move of Tic Tac Toe") }
            try check(cell, by: seat)
            board.place(mark(of: seat), at: cell)
            mover = 1 - seat
            since = time
            if board.winner != nil || board.isFull { isOver = true }
        case .opened, .judged: throw Refusal(.illegalMove, "nobody waits for that in Tic Tac Toe")
        case .expired:
            guard let deadline, time >= deadline else { throw Refusal(.illegalMove, "no time has run out") }
            expired = mover
            isOver = true
        case .away(let seat): try attendance.goAway(seat)
        case .back(let seat):
            try attendance.comeBack(seat)
            if seat == mover { since = time }
        case .left(let seat):
            try attendance.leave(seat)
            isOver = true
        case .takenOver(let seat, _): try attendance.check(seat)
        }
    }

    /// Nothing: there is no chance in it.
    public var need: GameNeed? { nil }

    /// When the time of the seat to move runs out; never while it is away.
    public var deadline: Int? {
        guard !isOver, !attendance.away.contains(mover), let patience else { return nil }
        return later(since, by: patience)
    }

    /// The seat to move.
    public var turn: [Int] { isOver ? [] : [mover] }

    /// By the board; who left has quit and who ran out of time has timed out, and the other has won.
    public var outcomes: [Outcome]? {
        guard isOver else { return nil }
        let isCutShort = expired != nil || attendance.staying.count < attendance.seats
        return (0..<attendance.seats).map { seat in
            guard attendance.staying.contains(seat) else { return .quit }
            guard !isCutShort else { return seat == expired ? .timedOut : .won }
            guard let winner = board.winner else { return .tied }
            return winner == mark(of: seat) ? .won : .lost
        }
    }

    /// Nothing: a seat's machine owes nothing by itself.
    public func duty(of seat: Int, secrets: @autoclosure () -> SeatSecrets) -> Datum? { nil }

    /// Writes the state; see ``GameRules/encode(into:)``.
    public func encode(into bytes: inout StateBytes) {
        attendance.encode(into: &bytes)
        let marks: [UInt8] = board.cells.map { $0 == nil ? 0 : $0 == .cross ? 1 : 2 }
        bytes.write(marks)
        for number in [crosses, mover, since, expired ?? -1] { bytes.write(number) }
        bytes.write(isOver)
    }

    /// What a seat places.
    func mark(of seat: Int) -> TicTacToeBoard.Mark { seat == crosses ? .cross : .nought }

    private static let matchEnded = Refusal(.matchEnded, "the match is over")

    /// Reads `[0, cell]`; the cell, from 0.
    private static func cell(_ datum: Datum) -> Int? {
        guard let parts = datum.elements, parts.count == 2, parts[0].number == 0,
            let cell = parts[1].number, (1...TicTacToeBoard.cellCount).contains(cell)
        else { return nil }
        return cell - 1
    }

    private func check(_ cell: Int, by seat: Int) throws(Refusal) {
        guard !isOver else { throw Self.matchEnded }
        try attendance.check(seat)
        guard seat == mover else { throw Refusal(.notYourTurn, "it is not your turn") }
        guard board.cells[cell] == nil else {
            throw Refusal(.illegalMove, "square \(cell + 1) is taken: pick an empty square")
        }
    }
}

// What players see of it and may do.
extension TicTacToe {
    /// One `place` for each empty square, for the seat to move.
    public func legal(for seat: Int, secrets: SeatSecrets?, at now: Int) -> [Value] {
        guard !isOver, seat == mover else { return [] }
        return board.empty.map { ["do": "place", "cell": .int($0 + 1)] }
    }

    /// The same board for everybody; `mark` is the seat's own.
    public func view(for seat: Int?, secrets: SeatSecrets?, at now: Int) -> Value {
        let mine = seat.flatMap { (0..<attendance.seats).contains($0) ? mark(of: $0) : nil }
        return [
            "cells": .array(board.cells.map { .string($0?.rawValue ?? "") }),
            "mark": mine.map { .string($0.rawValue) } ?? nil,
            "turn": turn.first.map { .int($0) } ?? nil,
            "marks": .array((0..<attendance.seats).map { .string(mark(of: $0).rawValue) }),
            "line": board.line.map { .array($0.map { .int($0 + 1) }) } ?? nil,
        ]
    }

    /// Reads `{"do":"place","cell":1-9}`.
    public func move(
        for action: Value, by seat: Int, secrets: @autoclosure () -> SeatSecrets, at now: Int
    ) throws(Refusal) -> Datum {
        guard action["do"]?.text == "place", let cell = action["cell"]?.number,
            (1...TicTacToeBoard.cellCount).contains(cell)
        else {
            throw Refusal(.badParams, #"Tic Tac Toe takes {"do":"place","cell":N}, N from 1 to 9"#)
        }
        try check(cell - 1, by: seat)
        return .list([.int(0), .int(cell)])
    }
}
