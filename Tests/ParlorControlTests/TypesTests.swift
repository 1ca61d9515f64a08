import ParlorControl
import Testing

/// Each type of the control socket beside the line it is written as.
struct TypesTests {
    private func golden<Value: Codable & Equatable>(_ value: Value, _ line: String) throws {
        #expect(JSON(encoding: value).encodedText == line)
        #expect(try JSON(parsing: line).decode(Value.self) == value)
    }

    static let mia = PlayerInfo(id: "aa", name: "mia")
    static let tom = PlayerInfo(id: "bb", name: "Tom")

    @Test func `a room`() throws {
        let room = RoomInfo(
            id: "01", name: "Kitchen", game: "snap", state: .lobby, role: .host, mySeat: 0, host: Self.mia,
            code: "K7PX",
            endpoints: ["127.0.0.1:27720"], options: ["max_flips": 1000],
            seats: [
                SeatInfo(index: 0, state: .taken, player: Self.mia, ready: true),
                SeatInfo(index: 1, state: .away, player: Self.tom, rttMs: 1.5, wins: 2),
                SeatInfo(index: 2, state: .open),
            ])
        try golden(
            room,
            #"{"id":"01","name":"Kitchen","game":"snap","state":"lobby","role":"host","my_seat":0,"#
                + #""host":{"id":"aa","name":"mia"},"code":"K7PX","locked":false,"hidden":false,"#
                + #""endpoints":["127.0.0.1:27720"],"options":{"max_flips":1000},"seats":["#
                + #"{"index":0,"state":"taken","player":{"id":"aa","name":"mia"},"ready":true,"wins":0},"#
                + #"{"index":1,"state":"away","player":{"id":"bb","name":"Tom"},"ready":false,"#
                + #""rtt_ms":1.5,"wins":2},"#
                + #"{"index":2,"state":"open","ready":false,"wins":0}],"watchers":[]}"#)
    }

    @Test func `a watcher's seat is written as null and read when missing`() throws {
        let room = RoomInfo(
            id: "01", name: "K", game: "snap", state: .playing, role: .watcher, mySeat: nil, host: Self.mia,
            seats: [])
        var json = JSON(encoding: room)
        #expect(json["my_seat"] == .null)
        json["my_seat"] = nil
        #expect(try json.decode(RoomInfo.self) == room)
    }

    @Test func `a row`() throws {
        try golden(
            RoomRowInfo(
                id: "01", name: "Attic", game: "hangman", host: Self.tom, seats: 4, taken: 1, state: .lobby,
                code: true,
                protocol: 1, compatible: true, reachable: .fresh, endpoints: ["10.0.0.2:27720"], ageS: 2),
            #"{"id":"01","name":"Attic","game":"hangman","host":{"id":"bb","name":"Tom"},"#
                + #""seats":4,"taken":1,"#
                + #""state":"lobby","locked":false,"code":true,"protocol":1,"compatible":true,"#
                + #""reachable":"fresh","#
                + #""endpoints":["10.0.0.2:27720"],"age_s":2,"own":false,"known":false}"#)
    }

    @Test func `a match`() throws {
        let match = MatchInfo(
            id: "02", game: "snap", room: "01", state: .ended, mySeat: 1, turn: [0], nowMs: 12,
            draw: DrawInfo(
                rounds: [[DrawNumber(seat: 0, number: 7), DrawNumber(seat: 1, number: 9)]], first: nil),
            deadlineMs: 30,
            seats: [MatchSeatInfo(index: 0, player: Self.mia, outcome: .timedOut)], view: ["flips": 3],
            legal: [["do": "flip"]], entries: 4, head: "ff", stateHash: "ee")
        try golden(
            match,
            #"{"id":"02","game":"snap","room":"01","state":"ended","my_seat":1,"turn":[0],"now_ms":12,"#
                + #""draw":{"rounds":[[{"seat":0,"number":7},{"seat":1,"number":9}]],"#
                + #""first":null},"deadline_ms":30,"#
                + #""seats":[{"index":0,"player":{"id":"aa","name":"mia"},"bot":false,"state":"active","#
                + #""outcome":"timed-out"}],"view":{"flips":3},"legal":[{"do":"flip"}],"#
                + #""entries":4,"head":"ff","#
                + #""state_hash":"ee"}"#)
    }

    @Test func `a status with a link`() throws {
        let link = LinkInfo(
            peer: Self.tom, state: .suspect, transport: .tcpUdp, rttMs: RttInfo(p50: 0.25, p99: 1),
            jitterMs: 0.1,
            offsetMs: -3, offsetErrorMs: 0.2, queuedBytes: 0, sent: 1, received: 2, dropped: 3, sinceS: 60)
        let status = StatusInfo(
            version: "0.1.0", api: 1, pid: 9, uptimeS: 1.5, peer: Self.mia,
            endpoints: [EndpointInfo(address: "127.0.0.1", port: 27720)], udpPort: 27720,
            discovery: DiscoveryInfo(backend: "avahi", state: "running", detail: "ok", interfaces: ["lo"]),
            rooms: [],
            links: [link], store: StoreInfo(state: "ok"))
        try golden(
            status,
            #"{"version":"0.1.0","api":1,"pid":9,"uptime_s":1.5,"peer":{"id":"aa","name":"mia"},"#
                + #""endpoints":[{"address":"127.0.0.1","port":27720}],"udp_port":27720,"#
                + #""discovery":{"backend":"avahi","state":"running","detail":"ok","#
                + #""interfaces":["lo"]},"rooms":[],"#
                + #""links":[{"peer":{"id":"bb","name":"Tom"},"state":"suspect","transport":"tcp+udp","#
                + #""rtt_ms":{"p50":0.25,"p99":1},"jitter_ms":0.1,"offset_ms":-3,"offset_error_ms":0.2,"#
                + #""queued_bytes":0,"sent":1,"received":2,"dropped":3,"since_s":60}],"#
                + #""store":{"state":"ok"}}"#
        )
    }

    @Test func `an entry and a verdict`() throws {
        try golden(
            EntryInfo(
                index: 3, time: 40, author: -1, kind: "open", body: ["card": "QS"], prev: "aa", hash: "bb"),
            #"{"index":3,"time":40,"author":-1,"kind":"open","body":{"card":"QS"},"prev":"aa","hash":"bb"}"#)
        try golden(
            VerifyInfo(valid: false, entries: 3, outcomes: [.won, .quit], problem: "entry 2"),
            #"{"valid":false,"entries":3,"outcomes":["won","quit"],"problem":"entry 2"}"#)
    }

    @Test func `hello`() throws {
        try golden(
            HelloInfo(
                api: 1, version: "0.1.0", pid: 1, peer: Self.mia,
                games: [
                    GameInfo(
                        id: "snap", rules: 1, seats: SeatsRange(min: 2, max: 4),
                        options: [
                            OptionInfo(name: "max_flips", type: "int", min: 10, max: 10000, default: 1000)
                        ])
                ]),
            #"{"api":1,"version":"0.1.0","pid":1,"peer":{"id":"aa","name":"mia"},"#
                + #""games":[{"id":"snap","rules":1,"#
                + #""seats":{"min":2,"max":4},"options":[{"name":"max_flips","type":"int","#
                + #""min":10,"max":10000,"#
                + #""default":1000}]}]}"#)
    }

    @Test func `endpoints`() throws {
        try golden(
            Endpoints(
                pid: 1, peer: "aa", tcpPort: 27720, udpPort: 27721, addresses: ["::1"],
                socket: "/r/control.sock"),
            #"{"pid":1,"version":"0.1.0","api":1,"peer":"aa","tcp_port":27720,"udp_port":27721,"#
                + #""addresses":["::1"],"socket":"/r/control.sock"}"#)
    }

    @Test func `parameters leave out what is absent`() throws {
        try golden(HostParams(game: "snap"), #"{"game":"snap"}"#)
        try golden(
            HostParams(game: "snap", bots: 2, botLevel: .hard, private: true, options: ["turn_s": 0]),
            #"{"game":"snap","bots":2,"bot_level":"hard","private":true,"options":{"turn_s":0}}"#)
        try golden(JoinParams(room: "Kitchen", timeoutMs: 5000), #"{"room":"Kitchen","timeout_ms":5000}"#)
        try golden(
            ChannelSendParams(mode: .unreliable, data: "AA=="), #"{"mode":"unreliable","data":"AA=="}"#)
    }
}
