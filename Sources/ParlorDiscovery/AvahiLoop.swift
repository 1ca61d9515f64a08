import CAvahi
import Glibc

/// Where the discovery thread waits: for Avahi, for commands, and for news of the network.
@safe final class AvahiLoop {
    private let poll: OpaquePointer
    private let wake: OpaquePointer?
    private var news: OpaquePointer?
    private let newsSource: CInt
    private let inbox: Inbox
    /// Set by a callback when links, addresses or routes changed.
    fileprivate var networkChanged = false

    /// `nil` when there is no memory or no descriptor left.
    init?(inbox: Inbox) {
        guard let poll = unsafe avahi_simple_poll_new() else { return nil }
        unsafe self.poll = poll
        self.inbox = inbox
        let api = unsafe avahi_simple_poll_get(poll)
        unsafe wake = unsafe parlor_avahi_watch(
            api, inbox.wakeDescriptor, parlorDiscoveryWoken, Unmanaged.passUnretained(inbox).toOpaque())
        newsSource = parlor_network_socket()
        guard newsSource >= 0 else { return }
        unsafe news = unsafe parlor_avahi_watch(
            api, newsSource, parlorDiscoveryNetworkChanged, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        if let wake = unsafe wake { unsafe parlor_avahi_unwatch(api, wake) }
        if let news = unsafe news { unsafe parlor_avahi_unwatch(api, news) }
        if newsSource >= 0 { close(newsSource) }
        unsafe avahi_simple_poll_free(poll)
    }

    /// What Avahi's objects are made with.
    var api: UnsafePointer<AvahiPoll>? { unsafe avahi_simple_poll_get(poll) }

    /// Waits for something to happen, at most so long, and lets Avahi handle it.
    func iterate(milliseconds: CInt) { _ = unsafe avahi_simple_poll_iterate(poll, milliseconds) }

    /// Whether the network changed since the last time this was asked.
    func takeNetworkChange() -> Bool {
        defer { networkChanged = false }
        return networkChanged
    }
}

@c private func parlorDiscoveryWoken(
    _ watch: OpaquePointer?, _ descriptor: CInt, _ event: AvahiWatchEvent, _ context: UnsafeMutableRawPointer?
) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().drain()
}

@c private func parlorDiscoveryNetworkChanged(
    _ watch: OpaquePointer?, _ descriptor: CInt, _ event: AvahiWatchEvent, _ context: UnsafeMutableRawPointer?
) {
    guard let context = unsafe context else { return }
    // What changed is looked up afterwards; a message that was lost because there were too many is news too.
    var bytes = [UInt8](repeating: 0, count: 16_384)
    while unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 || errno == ENOBUFS {
    }
    unsafe Unmanaged<AvahiLoop>.fromOpaque(context).takeUnretainedValue().networkChanged = true
}
