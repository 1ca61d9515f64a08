/// Why something on disk could not be read, made or kept.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it was; the raw value is stable, for scripts and logs.
    public enum Code: String, Hashable, Sendable {
        /// There is nothing at the path.
        case notFound = "store/not-found"
        /// The path belongs to another user.
        case notOurs = "store/not-ours"
        /// Others than the owner may read or write it.
        case tooOpen = "store/too-open"
        /// A folder was expected.
        case notAFolder = "store/not-a-folder"
        /// A regular file was expected.
        case notAFile = "store/not-a-file"
        /// The content has the wrong size, form or checksum.
        case damaged = "store/damaged"
        /// The content was written by a version of the program that this one does not know.
        case unknownVersion = "store/unknown-version"
        /// The file is larger than its limit.
        case tooLarge = "store/too-large"
        /// A system call failed; see ``StoreError/errno``.
        case system = "store/system"
    }

    /// What kind of failure it was.
    public let code: Code
    /// The file or folder it is about.
    public let path: String
    /// What happened and what to do about it, for people.
    public let message: String
    /// The error number of the system call that failed, for ``Code/system``; otherwise 0.
    public let errno: Int32

    /// Makes an error; called by this module.
    public init(_ code: Code, path: String, message: String, errno: Int32 = 0) {
        self.code = code
        self.path = path
        self.message = message
        self.errno = errno
    }

    /// The path and the message on one line.
    public var description: String { "\(path): \(message)" }
}
