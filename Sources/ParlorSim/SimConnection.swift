internal import ParlorCrypto
internal import ParlorProtocol

/// A connection of a node before it carries a link: stands in for TLS, then greets.
struct SimConnection: Sendable {
    /// What either side says first: its number and a nonce.
    ///
    /// The dialler ends the handshake with one byte more, so that the listener is ready after two messages of
    /// its peer, as with TLS 1.3.
    static let flightBytes = 4 + nonceBytes
    static let nonceBytes = 32

    enum State: Sendable {
        case securing([UInt8])
        case greeting(Greeting, peer: Int)
    }

    let role: LinkRole
    let startedAt: Tick
    let nonce: [UInt8]
    var state = State.securing([])
    var peerNonce: [UInt8] = []
    var patienceEnds: Tick

    /// What both sides and nobody else know of this connection.
    var exported: [UInt8] {
        let both = role == .dialler ? nonce + peerNonce : peerNonce + nonce
        return Hash.blake2b256([0] + both) + Hash.blake2b256([1] + both)
    }
}

extension SimNode {
    // MARK: Dialling

    mutating func dial(_ peer: Int, _ network: inout SimNetwork) {
        guard dials[peer] == nil else { return }
        let id = network.connect(number, to: peer)
        dials[peer] = id
        begin(id, .dialler, &network)
    }

    /// Who dialled last tries at once to connect again, the other a little later.
    mutating func scheduleRedial(_ peer: Int, _ network: inout SimNetwork) {
        let wait = links[peer]?.role == .dialler ? Duration.zero : Limits.redialOtherWait
        arm(.redial(peer), network.localTime(of: number) + wait, &network)
    }

    mutating func redial(_ peer: Int, _ network: inout SimNetwork) {
        if let held = links[peer] {
            if held.link.isOpen, !held.link.isAttached { dial(peer, &network) }
        } else if wanted.contains(peer) {
            dial(peer, &network)
        }
    }

    /// There is a connection to a node: no dial is needed.
    mutating func stopDialling(_ peer: Int, _ network: inout SimNetwork) {
        arm(.redial(peer), nil, &network)
        guard let id = dials.removeValue(forKey: peer) else { return }
        drop(id, flush: false, &network)
    }

    private mutating func dialFailed(_ peer: Int, _ network: inout SimNetwork) {
        arm(.redial(peer), network.localTime(of: number) + Limits.redialInterval, &network)
    }

    // MARK: Connections

    private mutating func begin(
        _ id: SimNetwork.StreamID, _ role: LinkRole, _ network: inout SimNetwork
    ) {
        let now = network.localTime(of: number)
        let ends = now + Limits.greetingWait
        connections[id] = SimConnection(
            role: role, startedAt: now, nonce: random.bytes(SimConnection.nonceBytes), patienceEnds: ends)
        arm(.patience(id), ends, &network)
    }

    mutating func accepted(_ id: SimNetwork.StreamID, _ network: inout SimNetwork) {
        begin(id, .listener, &network)
    }

    mutating func connected(_ id: SimNetwork.StreamID, _ network: inout SimNetwork) {
        guard let connection = connections[id] else { return }
        network.write(flight(connection), to: id, by: number)
    }

    private func flight(_ connection: SimConnection) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + connection.nonce
    }

    mutating func received(_ id: SimNetwork.StreamID, _ bytes: [UInt8], _ network: inout SimNetwork) {
        if let peer = peer(carriedBy: id) { return feed(.bytes(bytes), peer, &network) }
        guard var connection = connections[id] else { return }
        switch connection.state {
        case .greeting: greet(.bytes(bytes), id, &network)
        case .securing(let before):
            let all = before + bytes
            connection.state = .securing(all)
            let isFirst = connection.peerNonce.isEmpty
            if isFirst, all.count >= SimConnection.flightBytes {
                connection.peerNonce = Array(all[4..<SimConnection.flightBytes])
                let answer = connection.role == .listener ? flight(connection) : [0]
                network.write(answer, to: id, by: number)
            }
            connections[id] = connection
            let needed = SimConnection.flightBytes + (connection.role == .listener ? 1 : 0)
            guard all.count >= needed else { return }
            let peer = (0..<4).reduce(0) { $0 | Int(all[$1]) << (8 * $1) }
            ready(id, peer, rest: Array(all.dropFirst(needed)), &network)
        }
    }

    /// The peer has proved who it is.
    private mutating func ready(
        _ id: SimNetwork.StreamID, _ peer: Int, rest: [UInt8], _ network: inout SimNetwork
    ) {
        guard let role = connections[id]?.role else { return }
        if role == .dialler, links[peer]?.link.isAttached ?? false {
            return stopDialling(peer, &network)
        }
        let hello = role == .dialler ? hello(to: peer) : hello(linkID: 0)
        connections[id]?.state = .greeting(Greeting(role: role, hello: hello), peer: peer)
        greet(.opened, id, &network)
        if !rest.isEmpty { received(id, rest, &network) }
    }

    private func hello(linkID: UInt32, resume: Hello.Resume? = nil) -> Hello {
        Hello(
            software: "sim", name: "node \(number)", games: [], linkID: linkID,
            datagramPort: Self.endpoint(of: number).port, resume: resume)
    }

    /// What to say to a node that has been reached; a link that lost its connection is resumed.
    private mutating func hello(to peer: Int) -> Hello {
        guard let link = links[peer]?.link, link.isOpen else { return hello(linkID: newLinkID()) }
        return hello(linkID: link.ownID, resume: link.resume)
    }

    /// Feeds a greeting.
    mutating func greet(
        _ input: Greeting.Input, _ id: SimNetwork.StreamID, _ network: inout SimNetwork
    ) {
        guard let connection = connections[id], case .greeting(var greeting, let peer) = connection.state
        else { return }
        let actions = greeting.handle(input, at: network.localTime(of: number))
        connections[id]?.state = .greeting(greeting, peer: peer)
        for action in actions {
            switch action {
            case .write(let bytes): network.write(bytes, to: id, by: number)
            case .asked(let hello): greet(answer(to: hello, of: peer, network), id, &network)
            case .done(let greeted): carry(id, connection, greeted, peer, &network)
            case .closeTransport(let flush):
                // The connection stays known until its end is told.
                network.close(id, by: number, flush: flush)
            case .arm(let tick): arm(.greeting(id), tick, &network)
            case .ended: over(id, &network)
            }
        }
    }

    private mutating func answer(
        to hello: Hello, of peer: Int, _ network: SimNetwork
    ) -> Greeting.Input {
        let link = links[peer]?.link
        guard !isOutdone(peer, network), link?.isOutdated(hello) != true else {
            return .refuse(.replaced, detail: "")
        }
        if let link, let received = link.received(resumedBy: hello) {
            return .answer(self.hello(linkID: link.ownID), received: received)
        }
        return .answer(self.hello(linkID: newLinkID()), received: nil)
    }

    /// Whether a node's dial gives way to this one's: of two at the same time the lower peer's stays.
    private func isOutdone(_ peer: Int, _ network: SimNetwork) -> Bool {
        guard number < peer else { return false }
        if let dial = dials[peer], case .greeting = connections[dial]?.state { return true }
        guard let held = links[peer], held.role == .dialler, held.link.isAttached else { return false }
        return network.localTime(of: number) - held.attachedAt < Limits.simultaneousWait
    }

    mutating func patienceEnded(_ id: SimNetwork.StreamID, _ network: inout SimNetwork) {
        guard let connection = connections[id] else { return }
        let now = network.localTime(of: number)
        if now > connection.patienceEnds + Limits.stallMax {
            connections[id]?.patienceEnds = now + Limits.greetingWait
            arm(.patience(id), now + Limits.greetingWait, &network)
        } else if case .greeting = connection.state {
            greet(.close(.greetingTimeout, detail: ""), id, &network)
        } else {
            network.close(id, by: number, flush: false)
            over(id, &network)
        }
    }

    /// A stream is over, whatever it carried.
    mutating func connectionEnded(
        _ id: SimNetwork.StreamID, _ why: String, _ network: inout SimNetwork
    ) {
        if let peer = peer(carriedBy: id) { return feed(.transportEnded(why), peer, &network) }
        guard let connection = connections[id] else { return }
        if case .greeting = connection.state { return greet(.transportEnded(why), id, &network) }
        over(id, &network)
    }

    /// A connection has come to nothing.
    private mutating func over(_ id: SimNetwork.StreamID, _ network: inout SimNetwork) {
        drop(id, flush: true, &network)
        for (peer, dial) in dials where dial == id {
            dials[peer] = nil
            dialFailed(peer, &network)
        }
    }

    /// Closes a stream and forgets it.
    mutating func drop(_ id: SimNetwork.StreamID?, flush: Bool, _ network: inout SimNetwork) {
        guard let id else { return }
        network.close(id, by: number, flush: flush)
        connections[id] = nil
        arm(.greeting(id), nil, &network)
        arm(.patience(id), nil, &network)
    }

    // MARK: Links

    /// Gives a connection to the link that it is for: to the one it resumes, or to a new one.
    private mutating func carry(
        _ id: SimNetwork.StreamID, _ connection: SimConnection, _ greeted: Greeted, _ peer: Int,
        _ network: inout SimNetwork
    ) {
        let now = network.localTime(of: number)
        arm(.greeting(id), nil, &network)
        arm(.patience(id), nil, &network)
        connections[id] = nil
        if dials[peer] == id { dials[peer] = nil }
        if greeted.resumed != nil {
            guard links[peer]?.link.isOpen ?? false else {
                return network.close(id, by: number, flush: false)
            }
            drop(links[peer]?.stream, flush: false, &network)
            links[peer]?.stream = id
            links[peer]?.role = greeted.role
            links[peer]?.attachedAt = now
            stopDialling(peer, &network)
            feed(.attached(greeted), peer, &network)
        } else {
            if links[peer] != nil { replace(peer, isForgotten: greeted.own.resume != nil, &network) }
            links[peer] = Held(
                link: Link(greeted, at: now), stream: id, role: greeted.role, attachedAt: now,
                startedAt: now)
            wanted.remove(peer)
            stopDialling(peer, &network)
            notices.append(.up(peer))
            feed(.began, peer, &network)
        }
        guard links[peer]?.stream == id, let link = links[peer]?.link else { return }
        let keys = DatagramKeys(exported: connection.exported, role: greeted.role)
        feed(
            unreliable: .began(
                Unreliable.Connection(
                    keys: keys, ownLinkID: link.ownID, peerLinkID: link.peerID,
                    peer: Self.endpoint(of: peer), start: connection.startedAt)), peer, &network)
    }

    /// Ends the link to a node at once, because another takes its place.
    private mutating func replace(_ peer: Int, isForgotten: Bool, _ network: inout SimNetwork) {
        if isForgotten { return feed(.forgotten, peer, &network) }
        feed(.close(.replaced, detail: ""), peer, &network)
        guard let stream = links[peer]?.stream else { return }
        feed(.transportEnded(""), peer, &network)
        network.close(stream, by: number, flush: false)
    }

    /// Lets go of a link that has ended.
    mutating func forget(_ peer: Int, _ network: inout SimNetwork) {
        guard let held = links.removeValue(forKey: peer) else { return }
        arm(.link(peer, id: held.link.ownID), nil, &network)
        arm(.unreliable(peer, id: held.link.ownID), nil, &network)
        arm(.redial(peer), nil, &network)
        if let dial = dials.removeValue(forKey: peer) { drop(dial, flush: false, &network) }
    }
}
