internal import CSodium

/// Secret bytes that are overwritten when nobody holds them any more.
///
/// They lie in memory of their own, so that no copy of an array stays behind. They never change.
@safe final class Secret: @unchecked Sendable {
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Takes the bytes over: what was in the array is zero afterwards.
    init(taking bytes: inout [UInt8]) {
        unsafe storage = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe storage.initialize(from: bytes)
        Secret.wipe(&bytes)
    }

    deinit {
        unsafe sodium_memzero(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    /// Lets a function see the bytes, as a copy that is wiped when it returns.
    func reveal<Result>(_ use: ([UInt8]) -> Result) -> Result {
        var copy = unsafe [UInt8](storage)
        defer { Secret.wipe(&copy) }
        return use(copy)
    }

    /// Overwrites bytes with zeros; corresponds to `sodium_memzero(3)`.
    static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe sodium_memzero($0.baseAddress, $0.count) }
    }
}
