extension Limits {
    // MARK: Room codes

    /// Characters of a room's code.
    public static let codeCharacters = 4
    /// Wrong codes that may come from one address before it has to wait between them.
    public static let codeTriesOfAddress = 5
    /// From one try to the next of an address that has used those up.
    public static let codeTryInterval = Duration.seconds(60)
    /// Wrong codes in all after which a room takes another code.
    public static let codeTriesMax = 100
    /// Addresses whose wrong codes a room remembers; the one that tried last the longest ago is forgotten
    /// first.
    public static let codeAddressesMax = 256

    /// Stops a program whose limits of room codes contradict each other.
    static func checkCodes() {
        precondition(codeTriesOfAddress < codeTriesMax, "one address alone does not use all tries up")
        precondition(codeTriesMax <= codeAddressesMax, "no address is forgotten while its tries count")
        var codes = 1
        for _ in 0..<codeCharacters { codes *= RoomCode.alphabet.count }
        precondition(codeTriesMax * 5_000 <= codes, "whoever tries every code allowed finds it hardly ever")
    }
}
