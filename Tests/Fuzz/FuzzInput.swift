/// Choices made by the bytes of one input; at its end every choice is the first.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    /// Takes one step after the other until the input or so many steps are used up.
    mutating func steps(upTo most: Int, _ step: (inout FuzzInput) -> Void) {
        var steps = 0
        while !isEmpty, steps < most {
            steps += 1
            step(&self)
        }
    }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// One of the numbers below a count, which is at most 65,536.
    mutating func number(below count: Int) -> Int {
        if count <= 256 { return Int(byte()) % count }
        return (Int(byte()) << 8 | Int(byte())) % count
    }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(below: choices.count)] }

    /// So many bytes, or as many as there are.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Bytes whose count stands before them, as two bytes.
    mutating func counted() -> [UInt8] { bytes(number(below: 65_536)) }

    /// Everything that is left.
    mutating func all() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}
