import ParlorGames

@testable import ParlorProtocol

/// The peer with this number.
func peer(_ number: Int) -> PeerID {
    guard let peer = PeerID(bytes: Array(repeating: UInt8(number), count: PeerID.byteCount)) else {
        preconditionFailure("32 bytes")
    }
    return peer
}

let roomID = id(RoomID.init(bytes:), 9)
let matchID = id(MatchID.init(bytes:), 8)

private func id<ID>(_ make: ([UInt8]) -> ID?, _ byte: UInt8) -> ID {
    guard let id = make(Array(repeating: byte, count: 16)) else { preconditionFailure("16 bytes") }
    return id
}

func second(_ number: Int) -> Tick { Tick(nanoseconds: 1_000_000_000) + .seconds(number) }

/// A room as opened by peer 0, called Ann.
func roomState(_ game: String = "snap", seats: Int = 4, code: String? = nil) throws -> RoomState {
    guard let declaration = Catalog.rules(game)?.declaration else { preconditionFailure("no game \(game)") }
    return RoomState(
        id: roomID, name: "Attic", game: game, options: try GameOptions(declaration), seats: seats,
        hidden: false, host: peer(0), hostName: "Ann", code: try code.map { try RoomCode($0) })
}

/// A host's machine that is fed in a row of moments, with what it did last.
struct HostTable {
    var host: RoomHost
    var now = second(0)
    private var numbers = 0

    init(_ game: String = "snap", seats: Int = 4, code: String? = nil, joined: [String] = []) throws {
        host = RoomHost(try roomState(game, seats: seats, code: code), me: peer(0))
        for (place, name) in joined.enumerated() { enter(place + 1, name) }
    }

    var state: RoomState { host.state }
    var names: [String?] { state.seats.map { $0?.name } }

    @discardableResult
    mutating func feed(_ input: RoomHost.Input) -> [RoomHost.Action] { host.handle(input, at: now) }

    /// The answer to a peer that wants in: `nil` where it has a seat.
    @discardableResult
    mutating func enter(_ number: Int, _ name: String) -> RoomRefusal.Reason? {
        let actions = feed(.entering(peer(number), .join, name: name, .id(roomID)))
        var answers: [RoomRefusal.Reason?] = []
        for case .send(let message, peer(number)) in actions {
            if case .entered = message { answers.append(nil) }
            if case .denied(_, let refusal) = message { answers.append(refusal.reason) }
        }
        precondition(answers.count == 1, "one answer, not \(answers)")
        return answers[0]
    }

    /// What a member's request is answered with; number 0 is the host's own player.
    @discardableResult
    mutating func ask(_ number: Int, _ request: RoomRequest) -> RoomRefusal.Reason? {
        askAll(number, request).answer
    }

    mutating func askAll(
        _ number: Int, _ request: RoomRequest
    ) -> (answer: RoomRefusal.Reason?, actions: [RoomHost.Action]) {
        numbers += 1
        let id = RequestID(rawValue: UInt64(numbers))
        let actions = feed(
            number == 0 ? .local(id, request) : .request(peer(number), number: numbers, request))
        let answers = actions.compactMap { action -> RoomRefusal?? in
            switch action {
            case .reply(id, let refusal): .some(refusal)
            case .send(.reply(roomID, numbers, let refusal), to: peer(number)): .some(refusal)
            default: nil
            }
        }
        precondition(answers.count == 1, "one answer, not \(answers)")
        return (answers[0]?.reason, actions)
    }

    /// Begins a match of all that are here.
    mutating func play() {
        for place in 1..<state.seats.count {
            if let player = state.seats[place] { _ = feed(.request(player.peer, number: 0, .ready(true))) }
        }
        ask(0, .start)
        feed(.matchBegan(matchID))
        feed(.matchPlaying)
    }
}
