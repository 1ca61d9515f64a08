/// The code that lets people into a room: four characters that are easy to read out.
public struct RoomCode: Hashable, Sendable {
    /// What a code is made of: no vowels, so that no code is a word, and nothing that looks or sounds like
    /// another.
    public static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ23456789")
    /// Bytes of entropy that a code is made from; one run in a million million finds too few of them usable.
    public static let entropyBytes = 16

    /// The code in capitals without anything between.
    public let text: String

    /// Reads what somebody typed: capitals or not, spaces and dashes anywhere.
    ///
    /// - Throws: ``RoomRefusal`` `bad-params` when it is not ``Limits/codeCharacters`` of the alphabet.
    public init(_ typed: String) throws(RoomRefusal) {
        let characters = typed.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDash
        }
        let text = String(String.UnicodeScalarView(characters.map(Self.capital)))
        guard let code = RoomCode(exactly: text) else {
            throw RoomRefusal(
                .badParams,
                "a code has \(Limits.codeCharacters) characters out of \(String(Self.alphabet)): "
                    + "no vowels, no 0 and no 1")
        }
        self = code
    }

    /// Takes a code as it is sent; `nil` when it is not written in the one way.
    public init?(exactly text: String) {
        guard text.unicodeScalars.count == Limits.codeCharacters,
            text.allSatisfy({ Self.alphabet.contains($0) })
        else { return nil }
        self.text = text
    }

    /// Makes a code of random bytes, every code as likely as every other.
    ///
    /// `nil` when too few of the bytes can be used; ask again with others.
    public init?(entropy: [UInt8]) {
        let count = Self.alphabet.count
        let usable = entropy.filter { Int($0) < 256 / count * count }
        guard usable.count >= Limits.codeCharacters else { return nil }
        text = String(usable.prefix(Limits.codeCharacters).map { Self.alphabet[Int($0) % count] })
    }

    /// What CPace is given as the password.
    var password: [UInt8] { Array(text.utf8) }

    private static func capital(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        guard (0x61...0x7A).contains(scalar.value), let capital = Unicode.Scalar(scalar.value - 0x20) else {
            return scalar
        }
        return capital
    }
}

/// What binds the proof of a code to one link, the same on both of its sides.
public struct CodeChannel: Hashable, Sendable {
    /// The label of the session ID at TLS's exporter (RFC 8446 section 7.5), with an empty context.
    public static let exporterLabel = "EXPORTER-parlor-cpace"
    /// Bytes of the session ID.
    public static let sessionBytes = 32

    /// What the exporter gave for the TLS connection on which the link was set up.
    public let session: [UInt8]
    /// The peer that was the client of that TLS connection.
    public let client: PeerID
    /// The peer that was its server.
    public let server: PeerID

    /// Makes a channel; the parameters are the members.
    public init(session: [UInt8], client: PeerID, server: PeerID) {
        self.session = session
        self.client = client
        self.server = server
    }

    /// The channel identifier of CPace.
    var identifier: [UInt8] { client.bytes + server.bytes }

    /// What a side stands for, by which no run can be used for another room or turned around.
    static func data(room: RoomID, peer: PeerID) -> [UInt8] { room.bytes + peer.bytes }
}
