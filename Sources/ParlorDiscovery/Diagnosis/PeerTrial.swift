/// What came of two peers dialling each other.
public struct PeerTrial: Equatable, Sendable {
    /// How one dial ended.
    public enum Outcome: String, Sendable {
        /// The port took a connection.
        case reached
        /// The machine answered that nobody listens there.
        case refused
        /// Nothing came back.
        case silent
        /// There was no way there.
        case failed
        /// It was not tried.
        case busy
    }

    /// Where a peer was dialled, and how that ended.
    public struct Try: Equatable, Sendable {
        /// The address with its port.
        public var address: String
        /// How it ended.
        public var outcome: Outcome

        /// Makes the value; the parameters are the members.
        public init(_ address: String, _ outcome: Outcome) {
            self.address = address
            self.outcome = outcome
        }
    }

    /// What happened to the link over which the other peer is asked.
    public enum Link: Equatable, Sendable {
        /// It stands.
        case up
        /// There is none, for this reason.
        case failed(String)
    }

    /// What the other peer is called.
    public var name: String
    /// What this peer tried.
    public var tries: [Try]
    /// The link to it.
    public var link: Link
    /// What the other peer tried; `nil` when it did not answer or was not asked.
    public var back: Try?

    /// Makes the value; the parameters are the members.
    public init(_ name: String, tries: [Try], link: Link, back: Try? = nil) {
        self.name = name
        self.tries = tries
        self.link = link
        self.back = back
    }
}

extension Finding {
    /// What follows from a trial: whether there is a way there, and a way back.
    public static func of(_ trial: PeerTrial, _ facts: NetworkFacts) -> [Finding] {
        [there(trial, facts)] + (back(trial, facts).map { [$0] } ?? [])
    }

    private static func there(_ trial: PeerTrial, _ facts: NetworkFacts) -> Finding {
        if let reached = trial.tries.first(where: { $0.outcome == .reached }) {
            guard case .failed(let why) = trial.link else {
                return Finding(.peerThere, .ok, "\(trial.name) is reached at \(reached.address).")
            }
            return Finding(
                .peerThere, .fail,
                "\(reached.address) takes connections, but there is no link to \(trial.name): "
                    + "\(why).",
                command: "parlor list --all")
        }
        // With a link there is a way, made from the other side.
        let isOneWay = trial.link == .up
        guard !trial.tries.isEmpty else {
            return Finding(
                .peerThere, .fail, "No address of \(trial.name) is known.", command: "parlor list --all")
        }
        let tries = trial.tries.map { "\($0.address) \(words($0.outcome))" }.joined(separator: ", ")
        let isRefused = trial.tries.contains { $0.outcome == .refused }
        let why =
            isRefused
            ? "Parlor does not run there any more, or a firewall there turns it away"
            : "a firewall there drops it, or the network keeps its devices apart"
        let own = facts.local.flatMap(\.addresses).first { !$0.contains(":") }
        let back = own.map { " --peer \($0):\(facts.port)" } ?? ""
        return Finding(
            .peerThere, .fail,
            "\(trial.name) is not reached (\(tries)): \(why)"
                + (isOneWay ? "; the link that there is was made from there" : "")
                + ". What it is shows on that machine.",
            command: "parlor doctor\(back)")
    }

    private static func back(_ trial: PeerTrial, _ facts: NetworkFacts) -> Finding? {
        guard trial.link == .up else { return nil }
        guard let back = trial.back, back.outcome != .busy else {
            return Finding(
                .peerBack, .note,
                "\(trial.name) did not say whether it reaches this machine; ask again in a moment.",
                command: "parlor doctor --peer '\(trial.name)'")
        }
        guard back.outcome != .reached else {
            return Finding(.peerBack, .ok, "\(trial.name) reaches this machine at \(back.address).")
        }
        let wall = all(of: facts).first { $0.check == .firewall && $0.isAmber }
        let why =
            switch facts.firewall {
            case .ufw: "ufw is on and probably blocks port \(facts.port)"
            case .firewalld where wall != nil: "firewalld blocks port \(facts.port)"
            case .none, .firewalld: "a firewall on this machine or between the two drops it"
            }
        let port = facts.port
        return Finding(
            .peerBack, .fail,
            "\(trial.name) does not reach this machine: \(back.address) \(words(back.outcome)); \(why).",
            command: wall?.command ?? "sudo iptables -I INPUT -p tcp --dport \(port) -j ACCEPT")
    }

    private static func words(_ outcome: PeerTrial.Outcome) -> String {
        switch outcome {
        case .reached: "answers"
        case .refused: "refuses"
        case .silent: "does not answer"
        case .failed: "has no way there"
        case .busy: "was not tried"
        }
    }
}
