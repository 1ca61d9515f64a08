import ParlorDiscovery
import Testing

struct RoomRecordTests {
    @Test func `the strings are these, in this order`() throws {
        var room = record(0xA5)
        room.state = .playing
        room.locked = true
        room.epoch = 7
        room.protocols = 1...3
        let text = try room.txt().map { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == [
                "txtvers=1", "id=" + String(repeating: "a5", count: 16),
                "k=" + String(repeating: "a5", count: 32),
                "pv=1-3", "g=snap", "n=1", "m=4", "st=p", "lock=1", "code=0", "e=7", "h=Ann",
            ])
    }

    @Test(arguments: [RoomRecord.State.lobby, .playing, .full], [false, true])
    func `what is written is read`(state: RoomRecord.State, flag: Bool) throws {
        var room = record(3)
        room.state = state
        room.locked = flag
        room.codeNeeded = !flag
        room.epoch = UInt64.max
        room.protocols = 2...65_535
        #expect(try RoomRecord(name: "Kitchen", txt: room.txt(), port: 27_720) == room)
    }

    @Test func `the host's name is cut to 40 bytes between two characters`() throws {
        var room = record()
        room.hostName = "x" + String(repeating: "é", count: 40)
        let host = try #require(try room.txt().last)
        #expect(host == Array(("h=x" + String(repeating: "é", count: 19)).utf8))
    }

    @Test func `the largest record of names within their limits fits`() throws {
        var room = record()
        room.name = String(repeating: "x", count: 56)
        room.hostName = String(repeating: "x", count: 80)
        room.game = String(repeating: "g", count: 32)
        room.epoch = UInt64.max
        room.protocols = 65_534...65_535
        #expect(try room.txt().reduce(0) { $0 + 1 + $1.count } <= 400)
    }

    @Test func `what is over the limits is an error, not cut`() {
        var room = record()
        room.game = String(repeating: "g", count: 254)
        #expect(throws: RoomTextError.stringTooLong(key: "g", bytes: 256)) { try room.txt() }
        room.game = String(repeating: "g", count: 250)
        #expect(throws: RoomTextError.self) { try room.txt() }
        room = record()
        room.roomID.removeLast()
        #expect(throws: RoomTextError.badIdentifier(key: "id")) { try room.txt() }
        room = record()
        room.hostID = []
        #expect(throws: RoomTextError.badIdentifier(key: "k")) { try room.txt() }
    }

    private static let ids = [
        "id=" + String(repeating: "0b", count: 16), "k=" + String(repeating: "0C", count: 32),
    ]

    @Test func `missing keys have defaults and unknown ones are skipped`() throws {
        let extra = ["", "=", "=x", "flag", "org.freedesktop.Avahi.cookie=123", "zz=\u{1B}"]
        let room = try RoomRecord(name: "K", txt: strings(Self.ids + extra), port: 1)
        #expect(room.roomID == id(0x0B))
        #expect(room.hostID == [UInt8](repeating: 0x0C, count: 32))
        #expect(room.taken == 0 && room.seats == 0 && room.state == .lobby && room.epoch == 0)
        #expect(!room.locked && !room.codeNeeded && room.hostName.isEmpty && room.game.isEmpty)
        #expect(room.protocols == 1...1 && room.textVersion == 1)
    }

    @Test func `the first of two equal keys counts, in any case of letters`() throws {
        let room = try RoomRecord(name: "K", txt: strings(Self.ids + ["N=3", "n=4", "ID=00"]), port: 1)
        #expect(room.taken == 3)
        #expect(room.roomID == id(0x0B))
    }

    @Test(arguments: [
        "n=-1", "n=99999999999999999999", "m=100", "st=zz", "e=-5", "pv=5-2", "pv=1-2-3", "pv=", "pv=-",
        "pv=70000",
        "lock=yes", "txtvers=", "txtvers=-1", "code", "n=\u{663}",
    ])
    func `a value that makes no sense counts as missing`(text: String) throws {
        let plain = try RoomRecord(name: "K", txt: strings(Self.ids), port: 1)
        #expect(try RoomRecord(name: "K", txt: strings(Self.ids + [text]), port: 1) == plain)
    }

    @Test func `a single version is a range of one`() throws {
        #expect(try RoomRecord(name: "K", txt: strings(Self.ids + ["pv=4"]), port: 1).protocols == 4...4)
    }

    @Test func `a record that names no room or host is refused`() {
        #expect(throws: RoomTextError.badIdentifier(key: "id")) {
            try RoomRecord(name: "K", txt: strings([Self.ids[1]]), port: 1)
        }
        #expect(throws: RoomTextError.badIdentifier(key: "k")) {
            try RoomRecord(name: "K", txt: strings([Self.ids[0], "k=xy"]), port: 1)
        }
    }

    @Test func `a newer format is a row even when nothing else of it is understood`() throws {
        let one = try RoomRecord(name: "One", txt: strings(["txtvers=2", "id=?"]), port: 1)
        let two = try RoomRecord(name: "Two", txt: strings(["txtvers=2"]), port: 1)
        #expect(one.textVersion == 2)
        #expect(one.roomID.count == 16 && one.hostID.count == 32)
        #expect(one.roomID != two.roomID)
    }

    @Test func `names are cleaned of what must not reach a terminal`() throws {
        let room = try RoomRecord(
            name: "a\u{1B}[31m\u{202E}b", txt: strings(Self.ids + ["h=\u{200B}Ann\n", "g=sn\u{7}ap"]), port: 1
        )
        #expect(room.name == "a[31mb")
        #expect(room.hostName == "Ann")
        #expect(room.game == "snap")
    }

    @Test(arguments: UInt64(1)...300)
    func `no bytes make it trap, and what it shows is clean`(seed: UInt64) throws {
        var chance = Chance(state: seed)
        var text = try record().txt()
        for _ in 0..<chance.next(below: 20) {
            let row = chance.next(below: text.count)
            switch chance.next(below: 4) {
            case 0: text[row] = (0..<chance.next(below: 300)).map { _ in UInt8(chance.next(below: 256)) }
            case 1 where !text[row].isEmpty:
                text[row][chance.next(below: text[row].count)] = UInt8(chance.next(below: 256))
            case 2: text.append(Array("h=".utf8) + (0..<30).map { _ in UInt8(chance.next(below: 256)) })
            default: text[row] = Array(text[row].prefix(chance.next(below: text[row].count + 1)))
            }
        }
        let name = String(decoding: (0..<70).map { _ in UInt8(chance.next(below: 256)) }, as: UTF8.self)
        guard let room = try? RoomRecord(name: name, txt: text, port: 1) else { return }
        #expect(room.roomID.count == 16 && room.hostID.count == 32)
        #expect(room.name.utf8.count <= 63 && room.hostName.utf8.count <= 40)
        for shown in [room.name, room.hostName, room.game] {
            #expect(shown.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }
}
