import ParlorGames
import ParlorProtocol

// What comes from another peer as bytes: whatever is taken is written again, and read as the same.
extension FuzzTarget {
    /// Deterministic CBOR: there is one way to write a value.
    static let cbor = FuzzTarget(name: "cbor") { bytes in
        guard let item = try? CBOR.decode(bytes) else { return }
        demand(item.encoded() == bytes, "decoded and encoded, the bytes differ")
        if let datum = item.datum { demand(CBOR(datum) == item, "a datum is the item that it was made of") }
    }

    /// A link's byte stream; the first byte says after how many frames the greeting ends.
    static let frames = FuzzTarget(name: "frames") { bytes in
        let greeting = Int(bytes.first ?? 0)
        let stream = Array(bytes.dropFirst())
        let whole = FrameRun(pieces: [stream], greeting: greeting)
        let single = FrameRun(pieces: stream.map { [$0] }, greeting: greeting)
        demand(whole.frames == single.frames, "byte by byte, the frames differ")
        demand(whole.error == single.error, "byte by byte, the error differs")
        for frame in whole.frames {
            let again = FrameRun(pieces: [frame.encoded()], greeting: 0)
            demand(again.error == nil && again.frames == [frame], "encoded and decoded, \(frame) differs")
        }
    }

    /// What members of a room send each other.
    static let roomMessages = FuzzTarget(name: "room-messages") { bytes in
        guard let message = RoomMessage(decoding: bytes) else { return }
        let encoded = message.encoded
        guard let again = RoomMessage(decoding: encoded) else {
            return demand(false, "\(message) is refused when written")
        }
        demand(again == message && again.encoded == encoded, "written and read, \(message) differs")
        if case .match(_, _, let inner) = message { check(inner) }
    }

    /// What the seats of a match send each other.
    static let matchMessages = FuzzTarget(name: "match-messages") { bytes in
        guard let message = (try? CBOR.decode(bytes)).flatMap(MatchMessage.init(cbor:)) else { return }
        check(message)
    }

    private static func check(_ message: MatchMessage) {
        let encoded = message.cbor.encoded()
        let again = (try? CBOR.decode(encoded)).flatMap(MatchMessage.init(cbor:))
        demand(again == message && again?.cbor.encoded() == encoded, "written and read, \(message) differs")
        switch message {
        case .genesis(let bytes):
            if let genesis = try? Genesis(decoding: bytes) {
                demand(genesis.encoded == bytes, "there is one way to write a first entry")
            }
        case .entries(let entries):
            for entry in entries {
                demand(Entry(decoding: entry.encoded) == entry, "written and read, an entry differs")
            }
        case .propose, .refuse, .stored, .link, .want, .ask, .vote, .hearing, .promised, .clock: break
        }
    }
}

/// What a decoder makes of a stream that arrives in pieces.
private struct FrameRun {
    var frames: [Frame] = []
    var error: FrameError?

    init(pieces: [[UInt8]], greeting: Int) {
        var decoder = FrameDecoder()
        if greeting == 0 { decoder.endGreeting() }
        for piece in pieces {
            decoder.append(piece)
            do throws(FrameError) {
                while let frame = try decoder.next() {
                    frames.append(frame)
                    if frames.count == greeting { decoder.endGreeting() }
                }
            } catch {
                self.error = error
                return
            }
        }
    }
}
