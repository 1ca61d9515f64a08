internal import ParlorControl

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "find out why rooms are not found or not reached",
        options: [
            OptionSpec("--peer", "P", "also dial this peer, and have it dial back: a name, a room, HOST:PORT")
        ],
        details: [
            "Each line says what was looked at: ok, note (good to know), WARN (likely to be",
            "in the way) or FAIL (in the way), and a command that mends it. With --peer two",
            "machines dial each other: a host whose room is seen, but not reached, asks a",
            "peer that it can reach. Exit code 1 when something fails.",
        ],
        examples: ["parlor doctor", "parlor doctor --peer 192.168.1.20:27720 --json"],
        run: { context throws(CommandFailure) in
            let client = try context.connect()
            let params = DoctorParams(peer: context.invocation.value("--peer"))
            let json = try context.call(client, .doctor, params, waitMs: DoctorText.peerWaitMs)
            let doctor = try context.read(json, as: DoctorInfo.self)
            context.show(json, DoctorText.lines(doctor.findings))
            return doctor.findings.contains { $0.level == .fail } ? Reason.failed.exitCode : 0
        })
}

/// Findings in words.
enum DoctorText {
    /// How long dialling a peer and being dialled by it may take, in milliseconds.
    static let peerWaitMs = 20_000

    static func lines(_ findings: [FindingInfo]) -> [String] {
        findings.flatMap { finding in
            let level =
                switch finding.level {
                case .ok: "ok  "
                case .note: "note"
                case .warn: "WARN"
                case .fail: "FAIL"
                }
            let command = finding.command.map { "      \(verb($0)) with: \(CleanText.line($0))" }
            return ["\(level)  \(CleanText.line(finding.text))"] + (command.map { [$0] } ?? [])
        }
    }

    private static func verb(_ command: String) -> String {
        ["parlor doctor", "parlor list"].contains(where: command.hasPrefix) ? "look" : "mend it"
    }

    /// For a screen on which something else is shown.
    static func amber(_ findings: [FindingInfo]?) -> [String] {
        (findings ?? []).map { finding in
            let command = finding.command.map { " Mend it with: \(CleanText.line($0))" } ?? ""
            return "! \(CleanText.line(finding.text))\(command)"
        }
    }

    /// For whoever has just opened a room: what may keep guests away; nothing where discovery is switched
    /// off.
    static func lobby(_ status: StatusInfo, _ room: RoomInfo) -> [String] {
        guard status.discovery.backend != "off", !room.hidden else { return [] }
        return amber(status.discovery.findings)
    }
}
