import Testing

@testable import ParlorProtocol

extension Tick {
    static func microseconds(_ microseconds: UInt64) -> Tick { Tick(nanoseconds: microseconds * 1_000) }
}

extension Endpoint {
    /// The endpoint of an address that is one.
    static func known(_ address: [UInt8], _ port: UInt16) -> Endpoint {
        guard let endpoint = Endpoint(address: address, port: port) else {
            preconditionFailure("an address of \(address.count) bytes")
        }
        return endpoint
    }
}

/// One side of a link as its peer sees it: opens what is sent to it, and seals what comes back.
struct UnreliablePeer {
    static let home = Endpoint.known([192, 168, 0, 2], 7_000)
    static let exported = (0..<64).map { UInt8($0) }
    var cipher = DatagramCipher(
        keys: DatagramKeys(exported: exported, role: .listener), ownLinkID: 7, peerLinkID: 2)

    /// What the side that dialled knows of a connection with this peer.
    static func connection(to peer: Endpoint? = home, start: Tick = .zero) -> Unreliable.Connection {
        .init(
            keys: DatagramKeys(exported: exported, role: .dialler), ownLinkID: 2, peerLinkID: 7, peer: peer,
            start: start)
    }

    /// The datagram that brings a message to the side that dialled.
    mutating func datagram(
        _ message: UnreliableMessage, from source: Endpoint = home
    ) -> Unreliable.Input {
        .datagram(cipher.seal(message.encoded()), from: source)
    }

    /// What the actions send, with datagrams opened.
    mutating func read(_ actions: [Unreliable.Action]) -> [Did] {
        actions.map { action in
            switch action {
            case .sendDatagram(let bytes, let endpoint):
                guard let opened = try? cipher.open(bytes), let message = UnreliableMessage(opened.message)
                else { return .nonsense }
                return .posted(message, to: endpoint)
            case .sendStreamed(let bytes):
                return UnreliableMessage(bytes).map { .streamed($0) } ?? .nonsense
            case .received(let bytes, let key): return .received(bytes, key: key)
            case .path(let path): return .path(path)
            case .arm(let tick): return .arm(tick)
            }
        }
    }

    /// An action, readable.
    enum Did: Equatable {
        case posted(UnreliableMessage, to: Endpoint)
        case streamed(UnreliableMessage)
        case received([UInt8], key: UInt32?)
        case path(UnreliablePath)
        case arm(Tick?)
        case nonsense

        /// A datagram to the usual place.
        static func posted(_ message: UnreliableMessage) -> Did { .posted(message, to: home) }
    }
}

/// A channel and its peer, with the time of the last input.
struct UnreliableBench {
    var channel = Unreliable()
    var peer = UnreliablePeer()

    /// A channel whose link was set up at tick zero, and that has told what it did.
    init(peer endpoint: Endpoint? = UnreliablePeer.home) {
        _ = feed(.began(UnreliablePeer.connection(to: endpoint)), at: .zero)
        _ = channel.handle(.drained, at: .zero)
    }

    mutating func feed(_ input: Unreliable.Input, at now: Tick) -> [UnreliablePeer.Did] {
        peer.read(channel.handle(input, at: now))
    }

    /// Hands in a message of the peer, as a datagram.
    mutating func post(
        _ message: UnreliableMessage, from source: Endpoint = UnreliablePeer.home, at now: Tick
    ) -> [UnreliablePeer.Did] {
        feed(peer.datagram(message, from: source), at: now)
    }

    mutating func send(
        _ message: [UInt8], key: UInt32? = nil, timeToLive: Duration = Limits.timeToLive, at now: Tick
    ) throws -> [UnreliablePeer.Did] {
        peer.read(try channel.send(message, key: key, timeToLive: timeToLive, at: now))
    }

    /// Answers the first probe that was posted (token 2), with a peer's clock that shows the same as ours.
    mutating func openPath(at now: Tick = .milliseconds(2)) {
        _ = post(.answer(token: 2, clock: now.microseconds / 2), at: now)
    }
}

extension [UnreliablePeer.Did] {
    /// The pieces of messages that were sent, on either path.
    var fragments: [UnreliableMessage.Fragment] {
        compactMap { did in
            switch did {
            case .posted(.fragment(let fragment, _), _), .streamed(.fragment(let fragment, _)): fragment
            default: nil
            }
        }
    }

    /// The messages that came.
    var received: [[UInt8]] {
        compactMap { did in
            guard case .received(let bytes, _) = did else { return nil }
            return bytes
        }
    }
}
