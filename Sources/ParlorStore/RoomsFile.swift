internal import Glibc

/// The file in which a daemon keeps the rooms it is in, so that it finds back into them after a restart.
///
/// What a room is, only the caller knows: an ID and opaque bytes. The file is text, so that a person can see
/// what it is and a program notices damage:
/// ```
/// parlor rooms 1
/// room ID CONTENT        (both in hexadecimal digits; one line a room)
/// check 8 hexadecimal digits: the CRC-32 of all lines before it
/// ```
///
/// A change is in the kernel when ``set(_:_:)`` returns, so killing the daemon loses nothing: the whole file
/// is written beside the old one and renamed over it, which takes a fraction of a millisecond for the few
/// rooms there are. Flushing it takes many times as long, or seconds on a busy disk, so a thread does that.
/// A power cut in between leaves the old file, the new one, or one that is noticed as damaged.
///
/// Confined to one thread. When the file cannot be used or written, it says so once and goes on in memory.
public final class RoomsFile {
    /// The file's name in the state folder.
    public static let name = "rooms"
    /// The most that the file may hold, in bytes.
    public static let bytesMax = 16 << 20

    private static let heading = "parlor rooms "
    private static let version = "1"

    private let path: String
    private let report: @Sendable (String) -> Void
    /// The files that wait for a flush: this one, once for each change.
    private let flushes = WorkQueue<String>()
    private let thread: WorkThread?
    private var rooms: [(id: [UInt8], bytes: [UInt8])] = []
    private var isWritable = true
    private var hasFailed = false

    /// Names the file; nothing is read yet.
    ///
    /// - Parameters:
    ///   - path: `state/rooms`; its folder must exist.
    ///   - report: Told, in a sentence for people, what is wrong with the file; from any thread.
    public init(path: String, report: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.report = report
        // Without a thread nothing is flushed, which only a power cut would show.
        thread = try? WorkThread { [flushes] in
            while true {
                let (paths, isClosed) = flushes.take(until: nil)
                if let path = paths.last { try? AtomicFile.flush(path) }
                if isClosed { return }
            }
        }
    }

    deinit { close() }

    /// Reads the file; called once, before anything else.
    ///
    /// A damaged file is moved aside, with a message. One of a newer version, or one that cannot be read, is
    /// left alone, and so is everything from then on: nothing is written.
    /// - Returns: The rooms in the order in which they came; none where there is no file.
    public func load() -> [(id: [UInt8], bytes: [UInt8])] {
        do throws(StoreError) {
            rooms = try Self.rooms(in: AtomicFile.read(path, bytesMax: Self.bytesMax), path: path)
        } catch {
            switch error.code {
            case .notFound: break
            case .damaged: setAside(error)
            case .notOurs, .tooOpen, .notAFolder, .notAFile, .unknownVersion, .tooLarge, .system:
                isWritable = false
                report("\(error); rooms are not kept across a restart")
            }
        }
        return rooms
    }

    /// Keeps a room, in place of what was kept under its ID.
    ///
    /// - Parameters:
    ///   - id: The room's ID; at least a byte.
    ///   - bytes: Whatever is needed to find back into it.
    public func set(_ id: [UInt8], _ bytes: [UInt8]) {
        if let index = rooms.firstIndex(where: { $0.id == id }) {
            guard rooms[index].bytes != bytes || hasFailed else { return }
            rooms[index].bytes = bytes
        } else {
            rooms.append((id, bytes))
        }
        write()
    }

    /// Keeps a room no longer.
    public func remove(_ id: [UInt8]) {
        guard let index = rooms.firstIndex(where: { $0.id == id }) else { return }
        rooms.remove(at: index)
        write()
    }

    /// Waits until everything is flushed; nothing is after that.
    public func close() {
        flushes.close()
        thread?.join()
    }

    private func write() {
        guard isWritable else { return }
        do throws(StoreError) {
            try AtomicFile.write(Self.text(rooms), to: path, flushing: false)
            hasFailed = false
            flushes.put(path)
        } catch {
            if !hasFailed { report("\(error); until that is mended rooms are not kept across a restart") }
            hasFailed = true
        }
    }

    private func setAside(_ error: StoreError) {
        do throws(StoreError) {
            let aside = try SetAside.move(path)
            report("\(error); it is now \(aside), and this daemon starts without the rooms it was in")
        } catch {
            isWritable = false
            report("\(error); rooms are not kept across a restart")
        }
    }

    /// The file's content for rooms.
    private static func text(_ rooms: [(id: [UInt8], bytes: [UInt8])]) -> [UInt8] {
        var body = Array("\(heading)\(version)\n".utf8)
        for (id, bytes) in rooms { body += Array("room \(Hex.text(id)) \(Hex.text(bytes))\n".utf8) }
        return body + Array("check \(Hex.text(CRC32.checksum(body)))\n".utf8)
    }

    /// The rooms that a file's content holds.
    private static func rooms(in content: [UInt8], path: String) throws(StoreError) -> [(
        id: [UInt8], bytes: [UInt8]
    )] {
        let lines = content.split(separator: UInt8(ascii: "\n"))
        let first = String(decoding: lines.first ?? [], as: UTF8.self)
        if first.hasPrefix(heading), first != heading + version {
            throw StoreError(
                .unknownVersion, path: path,
                message: "is of version \(first.dropFirst(heading.count)), this program knows \(version)")
        }
        let rooms = lines.dropFirst().dropLast().compactMap { line -> (id: [UInt8], bytes: [UInt8])? in
            let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard words.count == 3, let id = Hex.bytes(words[1]), let bytes = Hex.bytes(words[2]) else {
                return nil
            }
            return (id, bytes)
        }
        // Written out again, it has to be the same: that covers the checksum and every line.
        guard text(rooms) == content else {
            throw StoreError(.damaged, path: path, message: "is damaged: its checksum does not match")
        }
        return rooms
    }
}
