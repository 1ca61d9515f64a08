/// Why a name cannot be a room's name on the network.
public enum InstanceNameError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was given, or nothing of it can be seen.
    case nothingVisible
    /// Longer than ``InstanceName/bytesMax``; the number of bytes it has.
    case tooLong(bytes: Int)
    /// A control, direction or invisible character, by its code point.
    case forbidden(scalar: UInt32)

    /// One sentence for a person, with the limit where there is one.
    public var description: String {
        switch self {
        case .nothingVisible: "a room's name needs something that can be seen"
        case .tooLong(let bytes):
            "a room's name has at most \(InstanceName.bytesMax) bytes of UTF-8, this one has \(bytes)"
        case .forbidden(let scalar):
            "a room's name cannot hold U+\(hexadecimal(scalar)), which is invisible or turns text around"
        }
    }

    private func hexadecimal(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

/// The name under which a room is announced: one DNS label (RFC 6763, 4.1.1), in normalization form C.
///
/// When somebody else on the network has it already, ``next()`` is tried.
public struct InstanceName: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of UTF-8 that a name may have: a label holds 63, and ` #99` must still fit with some to spare.
    public static let bytesMax = 56
    /// The highest number that is put behind a name.
    public static let numberMax = 99

    private let base: String
    private let number: Int

    /// The whole name, as announced.
    public var text: String { number == 1 ? base : "\(base) #\(number)" }
    /// The same as ``text``.
    public var description: String { text }

    /// Checks a name that somebody asked for.
    ///
    /// - Throws: ``InstanceNameError`` with the rule that it breaks.
    public init(_ asked: String) throws(InstanceNameError) {
        if let scalar = ShownText.firstForbidden(in: asked) { throw .forbidden(scalar: scalar.value) }
        let text = ShownText.composed(asked)
        guard ShownText.isVisible(text) else { throw .nothingVisible }
        guard text.utf8.count <= Self.bytesMax else { throw .tooLong(bytes: text.utf8.count) }
        (base, number) = Self.split(text)
    }

    private init(base: String, number: Int) {
        self.base = base
        self.number = number
    }

    /// Makes a name of any text: what cannot be shown is left out, what is too long is cut between two
    /// characters.
    ///
    /// For names that nobody asked for, such as one made from the player's name. `nil` when nothing visible
    /// is left.
    public static func cut(_ text: String) -> InstanceName? {
        let short = ShownText.cut(ShownText.composed(ShownText.cleaned(text)), toBytes: bytesMax)
        return try? InstanceName(short)
    }

    /// The name to try after this one turned out to be taken: `Kitchen`, `Kitchen #2`, … `Kitchen #99`, then
    /// `nil`.
    public func next() -> InstanceName? {
        number < Self.numberMax ? InstanceName(base: base, number: number + 1) : nil
    }

    /// Takes a number off that an earlier collision may have put there, so that ` #2 #2` never appears.
    private static func split(_ text: String) -> (base: String, number: Int) {
        guard let mark = text.lastIndex(of: "#"), mark > text.startIndex else { return (text, 1) }
        let space = text.index(before: mark)
        let digits = text[text.index(after: mark)...]
        guard text[space] == " ", (1...2).contains(digits.utf8.count), digits.first != "0",
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits),
            number >= 2, ShownText.isVisible(String(text[..<space]))
        else { return (text, 1) }
        return (String(text[..<space]), number)
    }
}
