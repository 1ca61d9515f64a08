import Glibc

/// What a process that uses the network does once.
public enum Net {
    /// Makes writing to a connection that is gone an error instead of the end of the process (`SIGPIPE`).
    ///
    /// Call at the start of the program, before any thread is made.
    public static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
