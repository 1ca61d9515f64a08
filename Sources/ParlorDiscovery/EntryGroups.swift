import CAvahi
import Glibc

// Both of Avahi's libraries export a function `avahi_entry_group_free`, each for its own groups and with
// other parameters, and each calls its own by that name. In a program that has both, the dynamic linker
// gives one of them to both. A definition in the program itself goes before either, and passes each call to
// where it belongs.

/// The two libraries' functions of one name.
enum EntryGroups {
    /// Addresses of the servers that live in this process; a call that begins with one is the core library's.
    static let servers = Locked<Set<UInt>>([])

    /// `avahi_entry_group_free` of one library; `nil` when that is not loaded.
    @unsafe fileprivate static func free(in library: String) -> UnsafeMutableRawPointer? {
        guard let handle = unsafe dlopen(library, RTLD_NOW | RTLD_NOLOAD) else { return nil }
        return unsafe dlsym(handle, "avahi_entry_group_free")
    }
}

/// Called by Avahi's libraries and by ``AvahiSession`` as `avahi_entry_group_free`: by the core library with
/// a server and one of its groups, by the client library with a group alone.
///
/// - Returns: What the client library's function returns; 0 from the core library's, which returns nothing.
@c(avahi_entry_group_free) public func parlorDiscoveryFreeEntryGroup(
    _ first: OpaquePointer?, _ second: OpaquePointer?
) -> CInt {
    guard let first = unsafe first else { return 0 }
    let key = UInt(bitPattern: first)
    if EntryGroups.servers.withLock({ $0.contains(key) }) {
        typealias Free = @convention(c) (OpaquePointer?, OpaquePointer?) -> Void
        guard let function = unsafe EntryGroups.free(in: "libavahi-core.so.7") else { return 0 }
        unsafe unsafeBitCast(function, to: Free.self)(first, second)
        return 0
    }
    typealias Free = @convention(c) (OpaquePointer?) -> CInt
    guard let function = unsafe EntryGroups.free(in: "libavahi-client.so.3") else { return 0 }
    return unsafe unsafeBitCast(function, to: Free.self)(first)
}
