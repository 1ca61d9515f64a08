internal import Glibc

/// Keeps a home for one daemon: holds a lock on the file `lock` in a folder for as long as it lives.
///
/// The kernel lets the lock go when its process ends, however it ends, so a lock that a dead daemon left is
/// simply taken. The file itself stays: removing it would let two daemons hold two files of the same name.
public struct HomeLock: ~Copyable {
    /// Why the lock was not taken.
    public enum Failure: Error, Hashable, Sendable {
        /// Another process holds it; its process ID, unless it has not written it yet.
        case held(byPID: Int32?)
        /// The file could not be opened, locked or written.
        case store(StoreError)
    }

    /// The file's name in its folder.
    public static let fileName = "lock"
    private static let pidBytesMax = 64
    private let file: OpenFile

    /// Takes the lock or says who has it; never waits.
    ///
    /// - Parameter folder: A private folder of this home; must exist.
    /// - Throws: ``Failure``.
    public init(inFolder folder: String) throws(Failure) {
        file = try HomeLock.take("\(folder)/\(HomeLock.fileName)")
    }

    deinit { _ = ftruncate(file.descriptor, 0) }

    /// Opens the file, locks it and writes who has it.
    private static func take(_ path: String) throws(Failure) -> OpenFile {
        let file = try open(path)
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .store(systemError("flock", path: path)) }
            throw .held(byPID: pid(in: file))
        }
        try writePID(to: file)
        return file
    }

    private static func open(_ path: String) throws(Failure) -> OpenFile {
        do throws(StoreError) {
            return try OpenFile(path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, mode: IdentityFile.mode)
        } catch {
            throw .store(error)
        }
    }

    private static func writePID(to file: borrowing OpenFile) throws(Failure) {
        do throws(StoreError) {
            guard ftruncate(file.descriptor, 0) == 0 else { throw systemError("ftruncate", path: file.path) }
            try file.writeAll(Array("\(getpid())\n".utf8))
        } catch {
            throw .store(error)
        }
    }

    /// The process ID that the holder has written.
    private static func pid(in file: borrowing OpenFile) -> Int32? {
        guard let bytes = try? file.readAll(bytesMax: pidBytesMax) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
