import ParlorControl

/// Rooms and matches to narrate.
enum Sample {
    static let mia = PlayerInfo(id: "aa", name: "mia")
    static let tom = PlayerInfo(id: "bb", name: "Tom")
    static let ana = PlayerInfo(id: "cc", name: "Ana")

    static func room(
        _ state: RoomState = .lobby, game: String = "snap", mySeat: Int? = 0, tom: Bool = true,
        tomReady: Bool = false,
        match: String? = nil
    ) -> RoomInfo {
        RoomInfo(
            id: "01", name: "Kitchen", game: game, state: state,
            role: mySeat == 0 ? .host : mySeat == nil ? .watcher : .guest,
            mySeat: mySeat, host: mia, endpoints: ["127.0.0.1:27720"],
            seats: [
                SeatInfo(index: 0, state: .taken, player: mia),
                tom
                    ? SeatInfo(index: 1, state: .taken, player: Sample.tom, ready: tomReady, rttMs: 3)
                    : SeatInfo(index: 1, state: .open),
            ], match: match)
    }

    static func match(
        _ game: String, _ view: JSON, state: MatchState = .playing, turn: [Int] = [0], legal: [JSON] = [],
        first: Int? = 0,
        mySeat: Int? = 0, outcomes: [Outcome?] = [nil, nil], entries: Int = 1
    ) -> MatchInfo {
        MatchInfo(
            id: "02", game: game, room: "01", state: state, mySeat: mySeat, turn: turn, nowMs: 0,
            draw: DrawInfo(
                rounds: [[DrawNumber(seat: 0, number: 48), DrawNumber(seat: 1, number: 12)]], first: first),
            seats: [
                MatchSeatInfo(index: 0, player: mia, outcome: outcomes[0]),
                MatchSeatInfo(index: 1, player: tom, outcome: outcomes[1]),
            ], view: view, legal: legal, entries: entries, head: "", stateHash: "")
    }

    /// A Snap table of two, by top cards and face-down counts.
    static func snap(
        _ tops: [String?], flips: Int, closed: [Int] = [26, 26], last: JSON = .null,
        calls: [JSON] = [], pool: JSON = .null
    ) -> JSON {
        let seats = zip(tops, closed).map { top, count -> JSON in
            [
                "closed": .int(count), "open": top == nil ? 0 : 1, "top": top.map { .string($0) } ?? .null,
                "in": true,
            ]
        }
        return [
            "seats": .array(seats), "turn": 0, "pair": .null, "pool": pool, "flips": .int(flips),
            "reveal_at": 0,
            "last": last, "calls": .array(calls),
        ]
    }

    /// A Hangman round with my board and Tom as setter.
    static func hangman(
        mask: String?, found: Int = 0, wrong: [String] = [], state: String = "guessing", score: Int = 0,
        reveal: JSON = .null, setter: Int = 1, word: String? = nil
    ) -> JSON {
        var board: JSON = ["seat": .int(1 - setter)]
        if setter == 1 { board["mask"] = mask.map { .string($0) } }
        board["found"] = .int(found)
        board["wrong"] = .array(wrong.map { .string($0) })
        board["bad"] = .int(wrong.count)
        board["state"] = .string(state)
        board["score"] = .int(score)
        var view: JSON = ["round": 1, "setter": .int(setter)]
        view["word"] = word.map { .string($0) }
        view["mask"] = mask.map { .string($0) } ?? .null
        view["length"] = 6
        view["boards"] = mask == nil ? [] : [board]
        view["reveal"] = reveal
        view["scores"] = [.int(score), 0]
        return view
    }
}
