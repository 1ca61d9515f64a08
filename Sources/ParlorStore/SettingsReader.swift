internal import CInih

/// Feeds a text to libinih line by line and gathers what it finds.
///
/// The library tells a handler neither line numbers nor which of several lines were wrong, cuts lines that
/// are too long in two, and takes an indented line for more of the value before it. So every line is looked
/// at before it is handed over: what the library would misread is reported here, and it is given an empty
/// line instead.
final class SettingsReader {
    /// The settings found so far.
    private(set) var settings = Settings()
    /// What was wrong so far, by ascending line.
    private(set) var problems: [SettingProblem] = []

    /// Bytes of the longest line; the library's own limit is 200 with what it needs for itself.
    static let lineBytesMax = 190

    private let lines: [ArraySlice<UInt8>]
    private var number = 0
    /// Whether the line handed over last must bring a call of the handler.
    private var awaitsSetting = false
    /// Whether the present section is unknown or broken; it was reported once, for all its lines.
    private var skipsSection = false
    /// The line that set a declaration first, by the declaration's place in the table.
    private var setAtLine = [Int?](repeating: nil, count: SettingDeclaration.all.count)

    /// Prepares to read a whole text.
    init(_ text: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let body = text.starts(with: mark) ? text.dropFirst(mark.count) : text[...]
        lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    }

    /// Reads everything; called once.
    func run() {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let result = unsafe ini_parse_stream(parlorSettingsNextLine, context, parlorSettingsFound, context)
        endLine()
        if result != 0, problems.isEmpty { report("cannot be understood", at: Int(max(result, 1))) }
    }

    /// The next line to hand over, without its end; `nil` after the last one.
    fileprivate func nextLine(capacity: Int) -> [UInt8]? {
        endLine()
        guard number < lines.count else { return nil }
        number += 1
        let line = trimmed(lines[number - 1])
        guard let first = line.first, first != UInt8(ascii: ";"), first != UInt8(ascii: "#") else {
            return []
        }
        // Two bytes more are needed: the line feed and the final zero.
        guard line.count <= min(SettingsReader.lineBytesMax, capacity - 2) else {
            report("is longer than \(SettingsReader.lineBytesMax) bytes", at: number)
            return []
        }
        guard !line.contains(0), String(validating: line, as: UTF8.self) != nil else {
            report("is not UTF-8 text", at: number)
            return []
        }
        if first == UInt8(ascii: "[") { return beginSection(line) ? Array(line) : [] }
        guard !skipsSection else { return [] }
        awaitsSetting = true
        return Array(line)
    }

    /// Takes one `key = value` from the library.
    fileprivate func found(section: String, key: String, value: String) {
        awaitsSetting = false
        guard let place = SettingDeclaration.all.firstIndex(where: { $0.section == section && $0.key == key })
        else {
            report(unknown(key, in: section), at: number)
            return
        }
        let declaration = SettingDeclaration.all[place]
        if let earlier = setAtLine[place], !declaration.repeats {
            report("\(key) is set in line \(earlier) already; this line is skipped", at: number)
            return
        }
        guard declaration.store(value, &settings) else {
            let given = value.isEmpty ? "\(key) has no value" : "\(key) cannot be \"\(value)\""
            report("\(given); possible is \(declaration.possible)", at: number)
            return
        }
        setAtLine[place] = number
    }

    /// Reports a line that should have been a setting and was not one for the library.
    private func endLine() {
        guard awaitsSetting else { return }
        awaitsSetting = false
        report("is neither \"[section]\" nor \"name = value\"", at: number)
    }

    /// Notes which section begins; `false` if its lines are to be skipped.
    private func beginSection(_ line: ArraySlice<UInt8>) -> Bool {
        skipsSection = true
        guard let end = line.firstIndex(of: UInt8(ascii: "]")) else {
            report("the section's name has no closing \"]\"; its settings are skipped", at: number)
            return false
        }
        let name = String(decoding: line[(line.startIndex + 1)..<end], as: UTF8.self)
        guard SettingDeclaration.all.contains(where: { $0.section == name }) else {
            let meant = Likeness.hint(for: name, among: SettingDeclaration.all.map(\.section))
            report("there is no section [\(name)]\(meant); its settings are skipped", at: number)
            return false
        }
        skipsSection = false
        return true
    }

    /// What to say of a key that its section does not have.
    private func unknown(_ key: String, in section: String) -> String {
        guard !section.isEmpty else { return "\(key) stands before any section, such as [network]" }
        if let other = SettingDeclaration.all.first(where: { $0.key == key }) {
            return "\(key) belongs in section [\(other.section)], not in [\(section)]"
        }
        let keys = SettingDeclaration.all.filter { $0.section == section }.map(\.key)
        return "there is no setting \(key) in [\(section)]\(Likeness.hint(for: key, among: keys))"
    }

    private func report(_ message: String, at line: Int) {
        problems.append(SettingProblem(line: line, message: message))
    }

    /// The line without spaces, tabs and carriage returns around it.
    private func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let blank: [UInt8] = [0x20, 0x09, 0x0D, 0x0B, 0x0C]
        guard let first = line.firstIndex(where: { !blank.contains($0) }),
            let last = line.lastIndex(where: { !blank.contains($0) })
        else { return [] }
        return line[first...last]
    }
}

/// Called by libinih for each line, with room for `capacity` bytes; the context is the ``SettingsReader``.
@c func parlorSettingsNextLine(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: CInt, _ context: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<CChar>? {
    guard let buffer = unsafe buffer, let context = unsafe context else { return nil }
    let reader = unsafe Unmanaged<SettingsReader>.fromOpaque(context).takeUnretainedValue()
    guard let line = reader.nextLine(capacity: Int(capacity)) else { return nil }
    for (place, byte) in (line + [UInt8(ascii: "\n"), 0]).enumerated() {
        unsafe buffer[place] = CChar(bitPattern: byte)
    }
    return unsafe buffer
}

/// Called by libinih for each `name = value`; the context is the ``SettingsReader``.
@c func parlorSettingsFound(
    _ context: UnsafeMutableRawPointer?, _ section: UnsafePointer<CChar>?, _ key: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?
) -> CInt {
    guard let context = unsafe context, let section = unsafe section, let key = unsafe key,
        let value = unsafe value
    else { return 0 }
    unsafe Unmanaged<SettingsReader>.fromOpaque(context).takeUnretainedValue().found(
        section: String(cString: section), key: String(cString: key), value: String(cString: value))
    return 1
}
