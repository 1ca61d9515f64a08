/// What a peer says of itself when a link begins; the body of `hello`, and most of the body of `welcome`.
///
/// Names and versions of a peer are untrusted text: take control characters out before showing them.
public struct Hello: Hashable, Sendable {
    /// A game that a peer can play.
    public struct Game: Hashable, Sendable {
        /// The game's ID.
        public let id: String
        /// The version of its rules.
        public let rules: Int

        /// Makes a game.
        public init(id: String, rules: Int) {
            self.id = id
            self.rules = rules
        }
    }

    /// The protocol versions that this software speaks.
    public static let ownProtocols = 1...1
    /// The numbers that a protocol version may be.
    static let protocolNumbers = 1...65_535

    /// The protocol versions that the peer speaks, oldest to newest.
    public let protocols: ClosedRange<Int>
    /// The version of the peer's software.
    public let software: String
    /// What the peer calls itself.
    public let name: String
    /// The games it can play.
    public let games: [Game]
    /// Which link this is, among those that the sender's datagram socket receives.
    public let linkID: UInt32
    /// The port of the sender's datagram socket; 0 where it has none.
    public let datagramPort: UInt16
    /// The port on which the sender takes links; 0 where it takes none.
    public let listenPort: UInt16

    /// Makes a hello.
    ///
    /// Texts longer than ``Limits`` allow are clipped, and games beyond them left out.
    public init(
        protocols: ClosedRange<Int> = Hello.ownProtocols, software: String, name: String, games: [Game],
        linkID: UInt32, datagramPort: UInt16 = 0, listenPort: UInt16 = 0
    ) {
        self.protocols = protocols
        self.software = software.clipped(toBytes: Limits.softwareBytesMax)
        self.name = name.clipped(toBytes: Limits.nameBytesMax)
        self.games = Array(
            games.filter { $0.rules >= 0 && $0.id.utf8.count <= Limits.gameIDBytesMax }.prefix(
                Limits.gamesMax))
        self.linkID = linkID
        self.datagramPort = datagramPort
        self.listenPort = listenPort
    }

    /// The newest protocol version that both peers speak; `nil` when there is none.
    public func newestCommon(with other: Hello) -> Int? {
        let newest = min(protocols.upperBound, other.protocols.upperBound)
        return newest >= max(protocols.lowerBound, other.protocols.lowerBound) ? newest : nil
    }
}

/// The listener's answer to a hello that suits it.
public struct Welcome: Hashable, Sendable {
    /// What the listener says of itself.
    public let hello: Hello
    /// The protocol version that the link speaks from here on.
    public let chosen: Int

    /// Makes a welcome.
    public init(hello: Hello, chosen: Int) {
        self.hello = hello
        self.chosen = chosen
    }
}

/// The listener's answer to a hello that it turns away.
public struct LinkRefusal: Hashable, Sendable {
    /// Why.
    public let reason: LinkReason
    /// What explains the reason to a person.
    public let detail: String
    /// The protocol versions that the listener speaks.
    public let protocols: ClosedRange<Int>
    /// The version of the listener's software.
    public let software: String

    /// Makes a refusal; a longer detail than ``Limits`` allow is clipped.
    public init(reason: LinkReason, detail: String, protocols: ClosedRange<Int>, software: String) {
        self.reason = reason
        self.detail = detail.clipped(toBytes: Limits.detailBytesMax)
        self.protocols = protocols
        self.software = software.clipped(toBytes: Limits.softwareBytesMax)
    }
}

/// The last frame of a side that closes a link.
public struct Goodbye: Hashable, Sendable {
    /// Why.
    public let reason: LinkReason
    /// What explains the reason to a person.
    public let detail: String
    /// How far the link had come, seen from the side that closes.
    public let phase: LinkPhase

    /// Makes a goodbye; a longer detail than ``Limits`` allow is clipped.
    public init(reason: LinkReason, detail: String, phase: LinkPhase) {
        self.reason = reason
        self.detail = detail.clipped(toBytes: Limits.detailBytesMax)
        self.phase = phase
    }
}

extension Hello {
    private var fields: [(Int, CBOR)] {
        [
            (1, range(protocols)), (2, .text(software)), (3, .text(name)),
            (4, .array(games.map { .array([.text($0.id), .int($0.rules)]) })), (5, .int(Int(linkID))),
            (6, .int(Int(datagramPort))), (7, .int(Int(listenPort))), (8, .null),
        ]
    }

    /// The body of `hello`.
    var body: CBOR { .map(fields.map { CBOR.Entry($0.0, $0.1) }) }

    /// The body of `welcome`.
    func body(choosing version: Int) -> CBOR {
        .map((fields + [(9, .int(version))]).map { CBOR.Entry($0.0, $0.1) })
    }

    init(_ body: Body) throws(FrameError) {
        protocols = try body.range(1)
        software = try body.text(2, bytesMax: Limits.softwareBytesMax)
        name = try body.text(3, bytesMax: Limits.nameBytesMax)
        var games: [Game] = []
        for item in try body.array(4, countMax: Limits.gamesMax) {
            guard let pair = item.array, pair.count == 2, let id = pair[0].text, let rules = pair[1].int,
                id.utf8.count <= Limits.gameIDBytesMax, rules >= 0
            else { throw body.error(4) }
            games.append(Game(id: id, rules: rules))
        }
        self.games = games
        linkID = UInt32(try body.int(5, in: 0...Int(UInt32.max)))
        datagramPort = UInt16(try body.int(6, in: 0...Int(UInt16.max)))
        listenPort = UInt16(try body.int(7, in: 0...Int(UInt16.max)))
    }
}

extension Welcome {
    /// The body of `welcome`.
    var body: CBOR { hello.body(choosing: chosen) }

    init(_ body: Body) throws(FrameError) {
        hello = try Hello(body)
        chosen = try body.int(9, in: Hello.protocolNumbers)
    }
}

extension LinkRefusal {
    /// The body of `refuse`.
    var body: CBOR { [1: .text(reason.rawValue), 2: .text(detail), 3: range(protocols), 4: .text(software)] }

    init(_ body: Body) throws(FrameError) {
        reason = try body.reason(1)
        detail = try body.text(2, bytesMax: Limits.detailBytesMax)
        protocols = try body.range(3)
        software = try body.text(4, bytesMax: Limits.softwareBytesMax)
    }
}

extension Goodbye {
    /// The body of `goodbye`.
    var body: CBOR { [1: .text(reason.rawValue), 2: .text(detail), 3: .text(phase.rawValue)] }

    init(_ body: Body) throws(FrameError) {
        reason = try body.reason(1)
        detail = try body.text(2, bytesMax: Limits.detailBytesMax)
        guard let phase = LinkPhase(rawValue: try body.text(3, bytesMax: Limits.reasonBytesMax)) else {
            throw body.error(3)
        }
        self.phase = phase
    }
}

private func range(_ protocols: ClosedRange<Int>) -> CBOR {
    [.int(protocols.lowerBound), .int(protocols.upperBound)]
}

/// The CBOR map of a handshake frame, read key by key; keys that nobody asks for are left alone.
struct Body {
    private let map: CBOR
    private let kind: Frame.Kind

    init(_ bytes: [UInt8], kind: Frame.Kind) throws(FrameError) {
        let item: CBOR
        do { item = try CBOR.decode(bytes) } catch {
            throw FrameError(.badBody, "\(kind): \(error.code.rawValue) at \(error.offset)")
        }
        guard case .map = item else { throw FrameError(.badBody, "\(kind): not a map") }
        map = item
        self.kind = kind
    }

    func error(_ key: Int) -> FrameError { FrameError(.badBody, "\(kind): field \(key)") }

    func int(_ key: Int, in range: ClosedRange<Int>) throws(FrameError) -> Int {
        guard let number = map[key]?.int, range.contains(number) else { throw error(key) }
        return number
    }

    func text(_ key: Int, bytesMax: Int) throws(FrameError) -> String {
        guard let text = map[key]?.text, text.utf8.count <= bytesMax else { throw error(key) }
        return text
    }

    func array(_ key: Int, countMax: Int) throws(FrameError) -> [CBOR] {
        guard let array = map[key]?.array, array.count <= countMax else { throw error(key) }
        return array
    }

    func reason(_ key: Int) throws(FrameError) -> LinkReason {
        guard let reason = LinkReason(rawValue: try text(key, bytesMax: Limits.reasonBytesMax)) else {
            throw error(key)
        }
        return reason
    }

    func range(_ key: Int) throws(FrameError) -> ClosedRange<Int> {
        let pair = try array(key, countMax: 2)
        guard pair.count == 2, let oldest = pair[0].int, let newest = pair[1].int, oldest <= newest,
            Hello.protocolNumbers.contains(oldest), Hello.protocolNumbers.contains(newest)
        else { throw error(key) }
        return oldest...newest
    }
}

extension String {
    /// The text, or as many of its first characters as fit.
    func clipped(toBytes bytesMax: Int) -> String {
        guard utf8.count > bytesMax else { return self }
        var clipped = UnicodeScalarView()
        var left = bytesMax
        for scalar in unicodeScalars {
            left -= UTF8.width(scalar)
            guard left >= 0 else { break }
            clipped.append(scalar)
        }
        return String(clipped)
    }
}
