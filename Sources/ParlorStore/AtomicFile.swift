internal import Glibc

/// Reads and replaces whole small files, so that a reader or a crash never meets half of one.
public enum AtomicFile {
    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: The file; a link is followed.
    ///   - bytesMax: The most it may hold.
    /// - Returns: The content.
    /// - Throws: ``StoreError``: `notFound`, `notAFile`, `tooLarge`, or `system`.
    public static func read(_ path: String, bytesMax: Int) throws(StoreError) -> [UInt8] {
        // Without O_NONBLOCK a named pipe at the path would wait for a writer for ever.
        let file = try OpenFile(path, flags: O_RDONLY | O_NONBLOCK)
        guard try file.status().st_mode & S_IFMT == S_IFREG else {
            throw StoreError(.notAFile, path: path, message: "is not a regular file")
        }
        return try file.readAll(bytesMax: bytesMax)
    }

    /// Puts a file in place of what was at the path, if anything, and on the disk.
    ///
    /// A temporary file beside it is written, flushed and renamed, then the folder is flushed.
    /// - Parameters:
    ///   - bytes: The new content.
    ///   - path: The file; the folder must exist.
    ///   - mode: The file's permissions, whatever the process's mask.
    ///   - flushing: Whether it has to outlast a power cut; without, it outlasts the process, and somebody
    ///     calls ``flush(_:)`` soon.
    /// - Throws: ``StoreError``; what was there before is still there, whole, unless the last flush failed.
    public static func write(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600, flushing: Bool = true
    ) throws(StoreError) {
        let temporary = try writeTemporary(bytes, beside: path, mode: mode, flushing: flushing)
        guard unsafe rename(temporary, path) == 0 else {
            let failure = systemError("rename", path: path)
            _ = unsafe unlink(temporary)
            throw failure
        }
        if flushing { try syncFolder(of: path) }
    }

    /// Waits until a file and its name are on the disk; from any thread.
    public static func flush(_ path: String) throws(StoreError) {
        try OpenFile(path, flags: O_RDONLY).sync()
        try syncFolder(of: path)
    }

    /// How many bytes a file has.
    static func size(_ path: String) throws(StoreError) -> Int {
        Int(try OpenFile(path, flags: O_RDONLY).status().st_size)
    }

    /// Makes a file unless there is something at the path already; of several that try, one succeeds.
    ///
    /// - Returns: Whether the file was made here; if not, nothing was changed.
    /// - Throws: ``StoreError`` `system` or `notFound` (no such folder).
    public static func create(_ bytes: [UInt8], at path: String, mode: UInt32 = 0o600) throws(StoreError)
        -> Bool
    {
        let temporary = try writeTemporary(bytes, beside: path, mode: mode)
        // link(2) refuses to replace, which rename(2) cannot be asked to do portably.
        let linked = unsafe link(temporary, path) == 0
        let failure = linked ? nil : systemError("link", path: path)
        _ = unsafe unlink(temporary)
        if let failure {
            guard failure.errno == EEXIST else { throw failure }
            return false
        }
        try syncFolder(of: path)
        return true
    }

    /// Writes a temporary file beside the path and returns its name; on failure there is none.
    private static func writeTemporary(
        _ bytes: [UInt8], beside path: String, mode: UInt32, flushing: Bool = true
    ) throws(StoreError) -> String {
        let file = try OpenFile(temporaryBeside: path)
        do throws(StoreError) {
            guard fchmod(file.descriptor, mode) == 0 else { throw systemError("fchmod", path: file.path) }
            try file.writeAll(bytes)
            if flushing { try file.sync() }
        } catch {
            _ = unsafe unlink(file.path)
            throw error
        }
        return file.path
    }

    /// Flushes the folder that holds the path, so that the name survives a power cut.
    private static func syncFolder(of path: String) throws(StoreError) {
        try OpenFile(Folders.parent(of: path), flags: O_RDONLY | O_DIRECTORY).sync()
    }
}
