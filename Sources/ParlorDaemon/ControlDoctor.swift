internal import ParlorControl
internal import ParlorDiscovery
internal import ParlorNet
internal import ParlorProtocol

extension ControlMethods {
    /// What is likely to be in the way; `nil` when nothing is.
    var amber: [FindingInfo]? {
        let all = Finding.all(of: facts).filter(\.isAmber)
        return all.isEmpty ? nil : all.map { FindingInfo($0) }
    }

    private var facts: NetworkFacts {
        var facts = FactFinder().facts(
            book.discovery.state, listens: book.hub.addresses.map(\.host), port: book.hub.port)
        facts.ownRecord = book.discovery.ownRecord(of: book.me.bytes)
        facts.unreached = book.discovery.unreached
        return facts
    }

    /// `doctor`: everything that can be told of this machine's network, and perhaps a trial with a peer.
    func diagnose(_ request: RPCRequest, _ answer: @escaping Answer) throws(RPCError) {
        let params = try request.params(as: DoctorParams.self)
        guard let text = params.peer else {
            return look { answer(.success(JSON(encoding: DoctorInfo(Finding.all(of: $0))))) }
        }
        try find(text) { [self] found in
            switch found {
            case .failure(let error): answer(.failure(error))
            case .success(let other):
                let visit = PeerVisit(other, hub: book.hub, knocks: book.knocks) { [self] peer, trial in
                    if let peer { book.release(peer) }
                    look { facts in
                        let findings = Finding.all(of: facts) + Finding.of(trial, facts)
                        answer(.success(JSON(encoding: DoctorInfo(findings))))
                    }
                }
                visit.start()
            }
        }
    }

    /// Gathers the facts, with what can be heard on the network.
    private func look(done: @escaping (NetworkFacts) -> Void) {
        var facts = facts
        guard !facts.answered.isEmpty else { return done(facts) }
        _ = MulticastProbe(loop: daemon.loop, from: facts.answered) { isHeard in
            facts.hearsItself = isHeard
            done(facts)
        }
    }

    /// Where a peer is that somebody names: by its room, by its own name, by its link, or by its address.
    private func find(_ text: String, done: @escaping (Result<PeerVisit.Other, RPCError>) -> Void)
        throws(RPCError)
    {
        let near = book.discovery.rooms.filter { room in
            let record = room.record
            return record.hostID != book.me.bytes
                && (record.name == text || record.hostName == text || Hex.encode(record.roomID) == text)
        }
        let hosts = Set(near.map(\.record.hostID))
        guard hosts.count < 2 else {
            let names = near.map { "\($0.record.name) of \($0.record.hostName)" }.joined(separator: ", ")
            throw RPCError(.ambiguous, "Several peers are meant: \(names). Say which, by its room's name.")
        }
        if let room = near.first, let host = PeerID(bytes: room.record.hostID) {
            let addresses = SocketAddress.candidates(
                near.flatMap(\.endpoints).compactMap { SocketAddress($0) })
            let name = room.record.hostName.isEmpty ? text : room.record.hostName
            return done(.success(PeerVisit.Other(name: name, addresses: addresses, peer: host)))
        }
        if let (peer, link) = book.hub.peers.first(where: { $1.hello.name == text || "\($0)" == text }) {
            return done(
                .success(PeerVisit.Other(name: link.hello.name, addresses: link.addresses, peer: peer)))
        }
        try resolve(text) { result in
            done(result.map { PeerVisit.Other(name: text, addresses: $0, peer: nil) })
        }
    }

    private func resolve(_ text: String, done: @escaping (Result<[SocketAddress], RPCError>) -> Void)
        throws(RPCError)
    {
        if var address = SocketAddress(text) {
            if address.port == 0 { address.port = Daemon.ports.lowerBound }
            return done(.success([address]))
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let port = UInt16(parts[1]) else {
            throw RPCError(
                .notFound,
                "Nobody near is called '\(text)', and no room is. "
                    + "Give an address as HOST:PORT; parlor list --all shows the rooms near.")
        }
        daemon.loop.resolve(host: String(parts[0]), port: port) { result in
            done(result.mapError { RPCError(.unreachable, $0.sentence) })
        }
    }
}

/// Two peers dial each other: this one knocks at all addresses of the other, makes a link, and asks it to
/// knock here.
final class PeerVisit {
    /// Whom to visit.
    struct Other {
        let name: String
        let addresses: [SocketAddress]
        /// Who it has to be; `nil` for whoever is there.
        let peer: PeerID?
    }

    private let other: Other
    private let hub: LinkHub
    private let knocks: Knocks
    private let done: (PeerID?, PeerTrial) -> Void
    private var trial: PeerTrial
    private var openKnocks: Int

    init(
        _ other: Other, hub: LinkHub, knocks: Knocks, done: @escaping (PeerID?, PeerTrial) -> Void
    ) {
        self.other = other
        self.hub = hub
        self.knocks = knocks
        self.done = done
        trial = PeerTrial(other.name, tries: [], link: .failed("it was not tried"))
        openKnocks = other.addresses.count
    }

    /// Begins; the knocks keep the visit alive until it is over.
    func start() {
        guard !other.addresses.isEmpty else { return link() }
        for address in other.addresses {
            knocks.knock(at: address) { [self] outcome in
                trial.tries.append(PeerTrial.Try("\(address)", PeerTrial.Outcome(outcome)))
                openKnocks -= 1
                if openKnocks == 0 { link() }
            }
        }
    }

    private func link() {
        let order = other.addresses.map(\.description)
        trial.tries.sort { (order.firstIndex(of: $0.address) ?? 0) < (order.firstIndex(of: $1.address) ?? 0) }
        let isReached = trial.tries.contains { $0.outcome == .reached }
        let isLinked = other.peer.map { hub.link(to: $0)?.isAttached ?? false } ?? false
        guard isReached || isLinked else {
            trial.link = .failed("it is not reached")
            return done(nil, trial)
        }
        hub.dial(other.addresses, expected: other.peer) { [self] result in
            switch result {
            case .success(let link):
                trial.link = .up
                if other.peer == nil { trial.name = link.hello.name }
                knocks.ask(link.peer) { [self] answer in
                    trial.back = answer.map { outcome, address in
                        PeerTrial.Try(address?.description ?? "this machine", PeerTrial.Outcome(outcome))
                    }
                    done(link.peer, trial)
                }
            case .failure(let failure):
                let isOther = failure.kind == .identity
                trial.link = .failed(
                    isOther ? "somebody else answers there" : failure.tries.joined(separator: "; "))
                done(nil, trial)
            }
        }
    }
}

extension PeerTrial.Outcome {
    init(_ outcome: KnockMessage.Outcome) {
        switch outcome {
        case .reached: self = .reached
        case .refused: self = .refused
        case .silent: self = .silent
        case .failed: self = .failed
        case .busy: self = .busy
        }
    }
}

extension DoctorInfo {
    init(_ findings: [Finding]) { self.init(findings: findings.map { FindingInfo($0) }) }
}

extension FindingInfo {
    init(_ finding: Finding) {
        let level: FindingLevel =
            switch finding.level {
            case .ok: .ok
            case .note: .note
            case .warn: .warn
            case .fail: .fail
            }
        self.init(
            check: finding.check.rawValue, level: level, text: finding.text, command: finding.command)
    }
}
