internal import Glibc

/// The error of the system call that has just failed.
func systemError(_ call: String, path: String) -> StoreError {
    let number = errno
    guard number != ENOENT else {
        return StoreError(.notFound, path: path, message: "does not exist", errno: number)
    }
    let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    let what =
        switch call {
        case "open": "cannot be opened"
        case "mkstemp", "mkdir": "cannot be made"
        case "rename": "cannot be replaced"
        default: "\(call) failed"
        }
    let isOthers = number == EACCES || number == EPERM || number == EROFS
    let advice = isOthers ? "; look who may do that: ls -ld \(path) \(Folders.parent(of: path))" : ""
    return StoreError(.system, path: path, message: "\(what): \(reason)\(advice)", errno: number)
}

/// Owns one open file or folder of this process and closes it exactly once.
struct OpenFile: ~Copyable {
    /// The descriptor; good for as long as this value lives.
    let descriptor: CInt
    /// Where it was opened, for messages.
    let path: String

    /// Opens a path.
    ///
    /// Corresponds to `open(2)` with `O_CLOEXEC`.
    init(_ path: String, flags: CInt, mode: mode_t = 0) throws(StoreError) {
        let opened = unsafe Glibc.open(path, flags | O_CLOEXEC, mode)
        guard opened >= 0 else { throw systemError("open", path: path) }
        descriptor = opened
        self.path = path
    }

    /// Makes a file of its own name in a folder, mode 0600.
    ///
    /// Corresponds to `mkstemp(3)`.
    init(temporaryBeside path: String) throws(StoreError) {
        var template = Array("\(path).XXXXXX".utf8CString)
        let opened = unsafe template.withUnsafeMutableBufferPointer { buffer -> CInt in
            guard let name = buffer.baseAddress else { return -1 }
            return unsafe mkstemp(name)
        }
        guard opened >= 0 else { throw systemError("mkstemp", path: path) }
        _ = fcntl(opened, F_SETFD, FD_CLOEXEC)
        descriptor = opened
        self.path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { _ = Glibc.close(descriptor) }

    /// What the file is, whose, and how large.
    ///
    /// Corresponds to `fstat(2)`.
    borrowing func status() throws(StoreError) -> stat {
        var found = stat()
        guard unsafe fstat(descriptor, &found) == 0 else { throw systemError("fstat", path: path) }
        return found
    }

    /// Reads from the present place to the end.
    ///
    /// - Throws: ``StoreError`` with `tooLarge` when there is more than `bytesMax`.
    borrowing func readAll(bytesMax: Int) throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw systemError("read", path: path) }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else {
                throw StoreError(.tooLarge, path: path, message: "is larger than \(bytesMax) bytes")
            }
        }
    }

    /// Writes all the bytes at the present place.
    borrowing func writeAll(_ bytes: [UInt8]) throws(StoreError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(
                    descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw systemError("write", path: path) }
            written += count
        }
    }

    /// Waits until the content is on the disk.
    ///
    /// Corresponds to `fsync(2)`.
    borrowing func sync() throws(StoreError) {
        guard fsync(descriptor) == 0 else { throw systemError("fsync", path: path) }
    }
}
