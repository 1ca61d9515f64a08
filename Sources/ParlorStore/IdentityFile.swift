internal import Glibc

/// The file that holds a peer's secret: the 32-byte seed of its Ed25519 key.
///
/// Three lines of text, so that a person can see what it is and a program notices damage:
/// ```
/// parlor identity 1
/// seed 64 hexadecimal digits
/// check 8 hexadecimal digits: the CRC-32 of the two lines before it
/// ```
public enum IdentityFile {
    /// Bytes of a seed.
    public static let seedBytes = 32
    /// The file's permissions: its owner reads and writes, nobody else does anything.
    public static let mode: UInt32 = 0o600
    /// The file's name in the data folder.
    public static let name = "identity.key"

    private static let heading = "parlor identity "
    private static let version = "1"
    private static let fileBytes = text(seed: [UInt8](repeating: 0, count: seedBytes)).count
    private static let readBytesMax = 4096

    /// Reads the seed; makes the file from fresh entropy where there is none.
    ///
    /// Called once at the daemon's start. When several processes get here at once, one file comes to be and
    /// all return its seed.
    /// - Parameters:
    ///   - path: `data/identity.key`; its folder must exist.
    ///   - entropy: ``seedBytes`` bytes from the system's random source; used only when the file is made.
    /// - Returns: The seed, ``seedBytes`` bytes.
    /// - Throws: ``StoreError``: see ``read(_:)``.
    public static func readOrCreate(_ path: String, entropy: [UInt8]) throws(StoreError) -> [UInt8] {
        precondition(entropy.count == seedBytes, "\(entropy.count) bytes of entropy instead of \(seedBytes)")
        do {
            return try read(path)
        } catch {
            guard error.code == .notFound else { throw error }
        }
        let made = try AtomicFile.create(text(seed: entropy), at: path, mode: mode)
        return made ? entropy : try read(path)
    }

    /// Reads the seed.
    ///
    /// - Returns: The seed, ``seedBytes`` bytes.
    /// - Throws: ``StoreError``: `notFound`, `notAFile` (a link too), `notOurs`, `tooOpen`, `unknownVersion`,
    ///   `damaged`, or `system`. The file is never changed.
    public static func read(_ path: String) throws(StoreError) -> [UInt8] {
        let file: OpenFile
        do {
            file = try OpenFile(path, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch {
            guard error.errno == ELOOP else { throw error }
            throw StoreError(
                .notAFile, path: path, message: "is a link; the identity must be a file of its own")
        }
        let found = try file.status()
        guard found.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.notAFile, path: path, message: "is not a regular file")
        }
        guard found.st_uid == geteuid() else { throw Folders.notOurs(path, owner: found.st_uid) }
        guard found.st_mode & 0o077 == 0 else {
            throw StoreError(
                .tooOpen, path: path,
                message:
                    "can be read or changed by others, so the identity may be known; run chmod 600 on it "
                    + "if nobody else had access, or move it away to get a new one")
        }
        return try seed(of: file.readAll(bytesMax: readBytesMax), path: path)
    }

    /// The file's content for a seed.
    static func text(seed: [UInt8]) -> [UInt8] {
        let body = Array("\(heading)\(version)\nseed \(Hex.text(seed))\n".utf8)
        return body + Array("check \(Hex.text(CRC32.checksum(body)))\n".utf8)
    }

    /// The seed that a file's content holds.
    private static func seed(of content: [UInt8], path: String) throws(StoreError) -> [UInt8] {
        let lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let first = String(decoding: lines.first ?? [], as: UTF8.self)
        guard first.hasPrefix(heading) else { throw damaged(path, "does not begin as an identity file does") }
        guard first == heading + version else {
            throw StoreError(
                .unknownVersion, path: path,
                message: "is of version \(first.dropFirst(heading.count)), this program knows \(version)")
        }
        guard content.count == fileBytes else {
            throw damaged(path, "has \(content.count) bytes instead of \(fileBytes)")
        }
        let digits = lines[1].dropFirst("seed ".utf8.count)
        guard let seed = Hex.bytes(digits), seed.count == seedBytes, text(seed: seed) == content else {
            throw damaged(path, "its checksum does not match")
        }
        return seed
    }

    private static func damaged(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .damaged, path: path,
            message: "is damaged: \(what); restore it from a copy, or move it away to get a new identity")
    }
}
