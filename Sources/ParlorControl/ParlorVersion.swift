/// What this build calls itself.
public enum ParlorVersion {
    /// The release, as `parlor version` prints it.
    public static let current = "0.1.0"

    /// The version of the commands and JSON-RPC methods; it changes only when something is taken away.
    public static let api = 1
}
