/// Parameters of `doctor`.
public struct DoctorParams: Codable, Hashable, Sendable {
    /// Also a trial with this peer: the name or ID of its room, its own name, or `HOST:PORT`.
    public var peer: String?

    /// Makes the value; the parameters are the members.
    public init(peer: String? = nil) { self.peer = peer }
}

/// How something is that was looked at.
public enum FindingLevel: String, WordEnum, Codable, Hashable, Sendable {
    case ok
    case note
    case warn
    case fail
}

/// One thing that was looked at: `Finding`.
public struct FindingInfo: Codable, Hashable, Sendable {
    /// What it was, a word.
    public var check: String
    /// How it is.
    public var level: FindingLevel
    /// One line for a person.
    public var text: String
    /// The command that mends it; absent where none does.
    public var command: String?

    /// Makes the value; the parameters are the members.
    public init(check: String, level: FindingLevel, text: String, command: String? = nil) {
        self.check = check
        self.level = level
        self.text = text
        self.command = command
    }
}

/// The result of `doctor`.
public struct DoctorInfo: Codable, Hashable, Sendable {
    /// Everything that was looked at, in a stable order.
    public var findings: [FindingInfo]

    /// Makes the value; the parameters are the members.
    public init(findings: [FindingInfo]) { self.findings = findings }
}
