public import ParlorControl
public import ParlorGames

extension Value {
    /// What JSON says; a number with a fraction, which nothing takes, becomes null.
    public init(_ json: JSON) {
        switch json {
        case .null, .double: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { Value($0) })
        case .object(let members): self = .object(members.map { Member($0.key, Value($0.value)) })
        }
    }
}

extension JSON {
    /// A value as JSON.
    public init(_ value: ParlorGames.Value) {
        switch value {
        case .null: self = .null
        case .bool(let truth): self = .bool(truth)
        case .int(let number): self = .int(number)
        case .string(let text): self = .string(text)
        case .array(let elements): self = .array(elements.map { JSON($0) })
        case .object(let members): self = .object(members.map { Member($0.name, JSON($0.value)) })
        }
    }
}
