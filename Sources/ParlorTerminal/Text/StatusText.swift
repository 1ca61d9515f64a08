internal import ParlorControl

/// `status` in words.
enum StatusText {
    static func lines(_ status: StatusInfo) -> [String] {
        var lines = [
            "Playing as \(CleanText.line(status.peer.name)) "
                + "(\(CleanText.line(String(status.peer.id.prefix(16)))))",
            "Daemon: \(CleanText.line(status.version)), pid \(status.pid), up \(duration(status.uptimeS))",
            "Listening: \(endpoints(status))",
            "Discovery: \(discovery(status.discovery))",
        ]
        lines += DoctorText.amber(status.discovery.findings)
        lines.append(
            "Store: "
                + CleanText.line(
                    [status.store.state, status.store.detail].compactMap { $0 }.joined(separator: ", ")))
        for room in status.reentering ?? [] {
            lines.append("Coming back to \(CleanText.line(room.name)): looking for its players")
        }
        if status.rooms.isEmpty, status.reentering == nil {
            lines.append("Rooms: none. Open one: parlor host GAME; find one: parlor list")
        }
        for room in status.rooms {
            lines.append("Room: " + RoomText.title(room))
            lines += RoomText.lobby(room).dropFirst()
        }
        for link in status.links {
            lines.append(
                "Link: \(CleanText.line(link.peer.name)), \(link.state.rawValue), "
                    + "\(link.transport.rawValue), "
                    + "\(milliseconds(link.rttMs.p50)) ms there and back "
                    + "(99 of 100 within \(milliseconds(link.rttMs.p99)) ms), "
                    + "for \(duration(link.sinceS))")
        }
        return lines
    }

    private static func endpoints(_ status: StatusInfo) -> String {
        guard !status.endpoints.isEmpty else { return "nowhere" }
        let list = status.endpoints.map { endpoint in
            let address = CleanText.line(endpoint.address)
            return address.contains(":") ? "[\(address)]:\(endpoint.port)" : "\(address):\(endpoint.port)"
        }
        return list.joined(separator: ", ") + (status.udpPort == 0 ? "" : " (UDP \(status.udpPort))")
    }

    private static func discovery(_ discovery: DiscoveryInfo) -> String {
        let on =
            discovery.interfaces.isEmpty
            ? "" : " on " + discovery.interfaces.map(CleanText.line).joined(separator: ", ")
        let detail = discovery.detail.isEmpty ? "" : " - " + CleanText.line(discovery.detail)
        let state = discovery.state == discovery.backend ? "" : ", " + CleanText.line(discovery.state)
        return "\(CleanText.line(discovery.backend))\(state)\(on)\(detail)"
    }

    static func duration(_ seconds: Double) -> String {
        let whole = CleanText.whole(seconds)
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    private static func milliseconds(_ value: Double) -> String {
        let tenths = (min(max(0, value), 1_000_000) * 10).rounded() / 10
        return JSON.double(tenths).encodedText
    }
}

/// One event in words, for people who watch what happens.
enum EventText {
    static func line(_ event: EventInfo) -> String {
        let fields = event.fields.map { "\(CleanText.line($0.key))=\(value($0.value))" }
        return ([clock(event.time), CleanText.line(event.type)] + fields).joined(separator: " ")
    }

    private static func value(_ json: JSON) -> String {
        if let text = json.text { return CleanText.line(text) }
        if let name = json["name"]?.text, json["id"] != nil { return CleanText.line(name) }
        return CleanText.line(json.encodedText)
    }

    /// The time of day in UTC.
    private static func clock(_ unixMs: Int) -> String {
        let second = ((unixMs / 1000) % 86_400 + 86_400) % 86_400
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(second / 3600)):\(two(second % 3600 / 60)):\(two(second % 60))"
    }
}
