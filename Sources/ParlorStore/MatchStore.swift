internal import Glibc

/// Keeps matches on disk while they are played, on a thread of its own.
///
/// An SQLite file with a write-ahead log. What is asked for while the thread is busy goes into one
/// transaction. A change counts as stored when the kernel has it, which killing this process does not undo;
/// against a power cut, the log is flushed twice a second while there is something new. Waiting for the disk
/// at each change would make play as slow as the disk, and keeps nothing more from a killed process.
///
/// A file that is damaged is moved aside; one of a newer version is left alone. When the disk takes nothing,
/// changes wait in memory and are tried again each second. All of that is reported, and nothing of it stops
/// who asked: every request is answered.
public final class MatchStore: Sendable {
    /// The file's name in the data folder.
    public static let name = "matches.db"
    /// Ended matches that are kept.
    public static let endedMax = 1_000
    /// What ended matches may take together, in bytes.
    public static let endedBytesMax = 1 << 30

    /// What a store is given besides its file.
    struct Options: Sendable {
        var schema = MatchSchema.current
        var endedMax = MatchStore.endedMax
        var endedBytesMax = MatchStore.endedBytesMax
        /// How long something new may wait for its flush, in nanoseconds.
        var flushInterval: UInt64 = 500_000_000
        /// How long until what failed is tried again, in nanoseconds.
        var retryInterval: UInt64 = 1_000_000_000
        /// What may wait in memory for the disk, in bytes; beyond it nothing more is kept.
        var waitingBytesMax = 64 << 20
        /// A write-ahead log of this size is carried over into the file, in bytes.
        var logBytesMax = 4 << 20
        /// The pages that the file may have, where a test wants a full disk.
        var pagesMax: (@Sendable () -> Int)?
    }

    private let queue: WorkQueue<(request: StoreRequest, ticket: UInt64)>
    private let thread: WorkThread

    /// Starts the thread, which opens the file.
    ///
    /// - Parameters:
    ///   - path: `data/matches.db`; its folder must exist.
    ///   - report: Called on the store's thread with each change of the state, and a sentence for people
    ///     where something is not as it should be.
    ///   - reply: Called on the store's thread, once for each request, with its ticket; changes of one match
    ///     are answered in the order in which they were asked for.
    /// - Throws: ``StoreError`` when the system has no thread left.
    public convenience init(
        path: String, report: @escaping @Sendable (StoreState, String?) -> Void,
        reply: @escaping @Sendable (_ ticket: UInt64, StoreReply) -> Void
    ) throws(StoreError) {
        try self.init(path: path, options: Options(), report: report, reply: reply)
    }

    init(
        path: String, options: Options, report: @escaping @Sendable (StoreState, String?) -> Void,
        reply: @escaping @Sendable (_ ticket: UInt64, StoreReply) -> Void
    ) throws(StoreError) {
        let queue = WorkQueue<(request: StoreRequest, ticket: UInt64)>()
        self.queue = queue
        thread = try WorkThread {
            MatchStoreEngine(path: path, options: options, report: report, reply: reply).run(queue)
        }
    }

    deinit { close() }

    /// Asks for something; from any thread.
    ///
    /// The answer comes to `reply` with the ticket. After ``close()`` there is none.
    public func ask(_ request: StoreRequest, ticket: UInt64) { queue.put((request, ticket)) }

    /// Waits until all that was asked for is answered and on the disk, and closes the file.
    public func close() {
        queue.close()
        thread.join()
    }
}
