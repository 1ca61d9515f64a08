import CUv

/// An object that owns one libuv handle.
///
/// The handle's `data` holds a retained reference to its owner from the moment the handle is initialised
/// until libuv says that it is closed; only then are the reference and the memory given back.
protocol HandleOwner: AnyObject {
    /// Begins to close the handle, at the latest when the loop itself is closed. Harmless when repeated.
    func closeHandle()

    /// Called when libuv has let go of the handle: the last thing that happens to it.
    func handleClosed()
}

/// The functions that keep the reference count and the memory of handles right.
enum HandleLife {
    /// Ties an initialised handle to its owner.
    @safe static func begin<Raw>(_ handle: UnsafeMutablePointer<Raw>, owner: any HandleOwner) {
        unsafe asHandle(handle).pointee.data = Unmanaged<AnyObject>.passRetained(owner).toOpaque()
    }

    /// Begins to close a handle, once.
    @safe static func close<Raw>(_ handle: UnsafeMutablePointer<Raw>) {
        let base = unsafe asHandle(handle)
        guard unsafe uv_is_closing(base) == 0 else { return }
        unsafe uv_close(base, parlorNetHandleClosed)
    }

    /// Closes a handle that never got an owner, and gives its memory back.
    @safe static func discard<Raw>(_ handle: UnsafeMutablePointer<Raw>) {
        unsafe asHandle(handle).pointee.data = nil
        close(handle)
    }

    /// Any libuv handle begins with the fields of `uv_handle_t`.
    @unsafe static func asHandle<Raw>(_ handle: UnsafeMutablePointer<Raw>) -> UnsafeMutablePointer<
        uv_handle_t
    > {
        unsafe UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    }
}

/// Called by libuv on the loop's thread, once for each closed handle.
@c func parlorNetHandleClosed(_ handle: UnsafeMutablePointer<uv_handle_t>?) {
    guard let handle = unsafe handle else { return }
    let data = unsafe handle.pointee.data
    unsafe UnsafeMutableRawPointer(handle).deallocate()
    guard let data = unsafe data else { return }
    let owner = unsafe Unmanaged<AnyObject>.fromOpaque(data).takeRetainedValue()
    (owner as? any HandleOwner)?.handleClosed()
}
