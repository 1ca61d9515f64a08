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

    /// What a dialler says of the link that it comes back to.
    public struct Resume: Hashable, Sendable {
        /// The link's ID of the listener's choosing, as its welcome said it.
        public let link: UInt32
        /// How many chunks of each lane the dialler has received since the link began.
        public let received: PerLane<UInt64>

        /// Makes what a hello says of a link.
        public init(link: UInt32, received: PerLane<UInt64>) {
            self.link = link
            self.received = received
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
    /// Which link this is, among those that the sender's datagram socket receives; the same for as long as
    /// the link lives.
    public let linkID: UInt32
    /// The port of the sender's datagram socket; 0 where it has none.
    public let datagramPort: UInt16
    /// The port on which the sender takes links; 0 where it takes none.
    public let listenPort: UInt16
    /// The link that a dialler comes back to; `nil` for a new one, and always in a welcome.
    public let resume: Resume?

    /// Makes a hello.
    ///
    /// Texts longer than ``Limits`` allow are clipped, and games beyond them left out.
    public init(
        protocols: ClosedRange<Int> = Hello.ownProtocols, software: String, name: String, games: [Game],
        linkID: UInt32, datagramPort: UInt16 = 0, listenPort: UInt16 = 0, resume: Resume? = nil
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
        self.resume = resume
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
    /// How many chunks of each lane the listener has received of the link that is resumed; `nil` for a new
    /// one.
    public let received: PerLane<UInt64>?

    /// Makes a welcome.
    public init(hello: Hello, chosen: Int, received: PerLane<UInt64>? = nil) {
        self.hello = hello
        self.chosen = chosen
        self.received = received
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
    private func fields(resume: CBOR) -> [(Int, CBOR)] {
        [
            (1, range(protocols)), (2, .text(software)), (3, .text(name)),
            (4, .array(games.map { .array([.text($0.id), .int($0.rules)]) })), (5, .int(Int(linkID))),
            (6, .int(Int(datagramPort))), (7, .int(Int(listenPort))), (8, resume),
        ]
    }

    /// The body of `hello`.
    var body: CBOR {
        let resume = resume.map { CBOR.array([.int(Int($0.link))] + $0.received.cbor) } ?? .null
        return .map(fields(resume: resume).map { CBOR.Entry($0.0, $0.1) })
    }

    /// The body of `welcome`.
    func body(choosing version: Int, received: PerLane<UInt64>?) -> CBOR {
        let fields = fields(resume: received.map { .array($0.cbor) } ?? .null) + [(9, .int(version))]
        return .map(fields.map { CBOR.Entry($0.0, $0.1) })
    }

    /// Reads the body of a `hello`.
    init(_ body: Body) throws(FrameError) {
        guard let numbers = try body.numbers(8, count: 1 + Lane.allCases.count) else {
            try self.init(body, resume: nil)
            return
        }
        guard let link = UInt32(exactly: numbers[0]) else { throw body.error(8) }
        try self.init(body, resume: Resume(link: link, received: PerLane(numbers.dropFirst())))
    }

    /// Reads what `hello` and `welcome` have in common.
    fileprivate init(_ body: Body, resume: Resume?) throws(FrameError) {
        self.resume = resume
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
    var body: CBOR { hello.body(choosing: chosen, received: received) }

    init(_ body: Body) throws(FrameError) {
        hello = try Hello(body, resume: nil)
        received = try body.numbers(8, count: Lane.allCases.count).map { PerLane($0[...]) }
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

extension PerLane<UInt64> {
    /// Takes one number for each lane, control first.
    fileprivate init(_ numbers: ArraySlice<UInt64>) {
        self.init(repeating: 0)
        for (lane, number) in zip(Lane.allCases, numbers) { self[lane] = number }
    }

    /// One number for each lane, control first.
    fileprivate var cbor: [CBOR] { Lane.allCases.map { .int(Int(clamping: self[$0])) } }
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

    /// Null, or an array of so many numbers from 0 on.
    func numbers(_ key: Int, count: Int) throws(FrameError) -> [UInt64]? {
        if map[key] == .null { return nil }
        let items = try array(key, countMax: count)
        let numbers = items.compactMap { $0.int.flatMap { UInt64(exactly: $0) } }
        guard numbers.count == count else { throw error(key) }
        return numbers
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
