import ParlorControl
import ParlorProtocol
import Testing

@testable import ParlorTerminal

/// What is said of rooms near and of what keeps them away.
struct NearTextTests {
    private func row(
        _ id: String = "01", _ reachable: ParlorControl.Reachability = .fresh, protocol version: Int = 1,
        compatible: Bool = true, age: Double = 0, own: Bool = false
    ) -> RoomRowInfo {
        RoomRowInfo(
            id: id, name: "Room \(id)", game: "snap", host: Sample.tom, seats: 4, taken: 1, state: .lobby,
            protocol: version, compatible: compatible, reachable: reachable, ageS: age, own: own)
    }

    private func note(_ row: RoomRowInfo) -> String { RowText.table([row])[1] }

    @Test func `a row says whether it is mine, how old it is, and whether it answers`() {
        #expect(note(row(own: true)).hasSuffix("yours"))
        #expect(note(row("01", .cached, age: 40.4)).hasSuffix("last heard 40 s ago"))
        #expect(note(row("01", .unreachable)).hasSuffix("not reachable"))
    }

    @Test func `a row that cannot be joined says which side is older`() {
        let own = Hello.ownProtocols
        let older = note(row(protocol: own.lowerBound - 1, compatible: false))
        #expect(older.hasSuffix("older Parlor (protocol \(own.lowerBound - 1); here \(own.lowerBound))"))
        let newer = note(row(protocol: own.upperBound + 1, compatible: false))
        #expect(newer.hasSuffix("newer Parlor (protocol \(own.upperBound + 1); here \(own.upperBound))"))
        #expect(note(row(compatible: false)).hasSuffix("another game than this one has"))
    }

    @Test func `a list that is watched tells what came, changed and went, and not that time passes`() {
        let before = [row("01"), row("02", .cached, age: 3)]
        let later = [row("01"), row("02", .cached, age: 9)]
        #expect(RowText.looksAlike(before, later))
        #expect(RowText.watched(later, after: before).isEmpty)
        let after = [row("02", .unreachable), row("03")]
        #expect(!RowText.looksAlike(later, after))
        #expect(
            RowText.watched(after, after: later).map { String($0.prefix(9)) }
                == ["~  Room 0", "+  Room 0", "-  Room 0"])
        #expect(!RowText.looksAlike(before, before.reversed()), "another order is another list")
    }

    @Test func `the doctor's findings are lines, those in the way in capitals, each with its command`() {
        let findings = [
            FindingInfo(check: "bus", level: .ok, text: "The bus is there."),
            FindingInfo(check: "avahi", level: .fail, text: "Not\u{1B}[31m there.", command: "sudo start"),
            FindingInfo(check: "vpn", level: .warn, text: "A VPN."),
        ]
        let lines = DoctorText.lines(findings)
        #expect(lines.count == 4)
        #expect(lines[0] == "ok    The bus is there.")
        #expect(lines[1].hasPrefix("FAIL  Not") && !lines[1].contains("\u{1B}"))
        #expect(lines[2] == "      mend it with: sudo start")
        #expect(lines[3] == "WARN  A VPN.")
    }

    @Test func `a new lobby says what is in the way, unless nobody is to find it`() {
        let finding = FindingInfo(check: "firewall", level: .warn, text: "ufw.", command: "sudo ufw allow 1")
        func told(_ backend: String, hidden: Bool = false) -> [String] {
            let status = StatusInfo(
                version: "1", api: 1, pid: 1, uptimeS: 1, peer: Sample.mia, endpoints: [], udpPort: 1,
                discovery: DiscoveryInfo(
                    backend: backend, state: "running", detail: "", interfaces: [], findings: [finding]),
                rooms: [], links: [], store: StoreInfo(state: "ready"))
            var room = Sample.room()
            room.hidden = hidden
            return DoctorText.lobby(status, room)
        }
        #expect(told("avahi") == ["! ufw. Mend it with: sudo ufw allow 1"])
        #expect(told("avahi", hidden: true).isEmpty)
        #expect(told("off").isEmpty)
    }
}
