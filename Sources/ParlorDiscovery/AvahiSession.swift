import CAvahi
import Glibc

/// The way through the system's daemon: the client, its groups, browsers and resolvers.
@safe final class AvahiSession: Responder {
    /// Why there is no client.
    struct Failure: Sendable {
        let reason: String
        /// The bus is there, but the daemon is not to be used.
        let isDaemonsDoing: Bool
    }

    private let poll: AvahiLoop
    private let notes = AvahiNotes()
    private var client: OpaquePointer?
    private var groups: [UInt64: OpaquePointer] = unsafe [:]
    private var resolvers: [UInt64: OpaquePointer] = unsafe [:]
    private var browsers: [OpaquePointer] = unsafe []

    init(poll: AvahiLoop) { self.poll = poll }

    deinit { disconnect() }

    var isConnected: Bool { unsafe client != nil }

    var hostName: String {
        guard let client = unsafe client, let name = unsafe avahi_client_get_host_name_fqdn(client) else {
            return ""
        }
        return unsafe String(cString: name)
    }

    func takeSignals() -> [AvahiSignal] { notes.take() }

    /// Makes the client.
    ///
    /// It need not find a daemon; without a bus it fails.
    ///
    /// - Returns: `nil`, or why not.
    func connect() -> Failure? {
        var code: CInt = 0
        unsafe client = unsafe avahi_client_new(
            poll.api, AVAHI_CLIENT_NO_FAIL, parlorDiscoveryClient, notes.context, &code)
        guard unsafe client == nil else {
            notes.lastCode = { [unowned self] in unsafe client.map { unsafe avahi_client_errno($0) } ?? 0 }
            return nil
        }
        notes.clear()
        // "Daemon not running" means the bus here: a client made with NO_FAIL is there without the daemon.
        let daemonsCodes = [AVAHI_ERR_VERSION_MISMATCH, AVAHI_ERR_ACCESS_DENIED]
        return Failure(reason: AvahiNotes.words(for: code), isDaemonsDoing: daemonsCodes.contains(Int(code)))
    }

    /// Frees the client and all that was made with it.
    func disconnect() {
        if let client = unsafe client { unsafe avahi_client_free(client) }
        unsafe client = nil
        unsafe groups = [:]
        unsafe resolvers = [:]
        unsafe browsers = []
        notes.clear()
    }

    private var lastOutcome: AvahiOutcome {
        guard let client = unsafe client else { return .failed(reason: "not connected") }
        return unsafe AvahiOutcome(avahi_client_errno(client))
    }

    fileprivate static func client(_ raw: OpaquePointer?, in state: AvahiClientState) -> AvahiSignal.Client {
        switch state {
        case AVAHI_CLIENT_S_RUNNING: return .running
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: return .registering
        case AVAHI_CLIENT_CONNECTING: return .connecting
        default:
            guard let raw = unsafe raw else { return .failed(reason: "unknown") }
            return unsafe .failed(reason: AvahiNotes.words(for: avahi_client_errno(raw)))
        }
    }
}

// MARK: - Publishing

extension AvahiSession {
    func register(
        token: UInt64, name: String, port: UInt16, text: [[UInt8]], interfaces: [UInt32]?
    ) -> AvahiOutcome {
        guard let client = unsafe client else { return .failed(reason: "not connected") }
        let group: OpaquePointer
        if let known = unsafe groups[token] {
            unsafe group = known
            let emptied = unsafe AvahiOutcome(avahi_entry_group_reset(group))
            guard emptied == .done else { return emptied }
        } else {
            guard let made = unsafe avahi_entry_group_new(client, parlorDiscoveryGroup, notes.context) else {
                return lastOutcome
            }
            unsafe group = made
            unsafe groups[token] = group
            unsafe notes.groupTokens[group] = token
        }
        let strings = unsafe AvahiNotes.list(of: text)
        defer { unsafe avahi_string_list_free(strings) }
        for interface in AvahiNotes.indexes(interfaces) {
            let added = unsafe AvahiOutcome(
                avahi_entry_group_add_service_strlst(
                    group, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                    AvahiNotes.serviceType, nil, nil, port, strings))
            guard added == .done else { return added }
        }
        return unsafe AvahiOutcome(avahi_entry_group_commit(group))
    }

    func updateText(token: UInt64, name: String, text: [[UInt8]], interfaces: [UInt32]?) -> AvahiOutcome {
        guard let group = unsafe groups[token] else { return .failed(reason: "not announced") }
        let strings = unsafe AvahiNotes.list(of: text)
        defer { unsafe avahi_string_list_free(strings) }
        for interface in AvahiNotes.indexes(interfaces) {
            let changed = unsafe AvahiOutcome(
                avahi_entry_group_update_service_txt_strlst(
                    group, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                    AvahiNotes.serviceType, nil, strings))
            guard changed == .done else { return changed }
        }
        return .done
    }

    func resetGroup(token: UInt64) {
        if let group = unsafe groups[token] { unsafe avahi_entry_group_reset(group) }
    }

    func freeGroup(token: UInt64) {
        guard let group = unsafe groups.removeValue(forKey: token) else { return }
        unsafe notes.groupTokens[group] = nil
        unsafe avahi_entry_group_free(group)
    }
}

// MARK: - Browsing

extension AvahiSession {
    func browse(interfaces: [UInt32]?) -> AvahiOutcome {
        guard let client = unsafe client else { return .failed(reason: "not connected") }
        while let browser = unsafe browsers.popLast() { unsafe avahi_service_browser_free(browser) }
        let tokens = unsafe Array(resolvers.keys)
        for token in tokens { closeResolver(token: token) }
        for interface in AvahiNotes.indexes(interfaces) {
            guard
                let browser = unsafe avahi_service_browser_new(
                    client, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiNotes.serviceType, nil,
                    AvahiLookupFlags(0), parlorDiscoveryBrowser, notes.context)
            else { return lastOutcome }
            unsafe browsers.append(browser)
        }
        return .done
    }

    func openResolver(token: UInt64, key: ServiceKey) -> AvahiOutcome {
        guard let client = unsafe client else { return .failed(reason: "not connected") }
        let family = key.family == .inet ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6
        guard
            let resolver = unsafe avahi_service_resolver_new(
                client, AvahiIfIndex(truncatingIfNeeded: key.interface), CInt(family), key.name,
                AvahiNotes.serviceType, key.domain, CInt(family), AvahiLookupFlags(0),
                parlorDiscoveryResolver, notes.context)
        else { return lastOutcome }
        unsafe resolvers[token] = resolver
        unsafe notes.resolverTokens[resolver] = token
        return .done
    }

    func closeResolver(token: UInt64) {
        guard let resolver = unsafe resolvers.removeValue(forKey: token) else { return }
        unsafe notes.resolverTokens[resolver] = nil
        unsafe avahi_service_resolver_free(resolver)
    }
}

// MARK: - Callbacks, all on the discovery thread

@c private func parlorDiscoveryClient(
    _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
    let signal = unsafe AvahiSession.client(client, in: state)
    unsafe AvahiNotes.of(context)?.signals.append(.client(signal))
}

@c private func parlorDiscoveryGroup(
    _ group: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
    unsafe AvahiNotes.of(context)?.group(group, is: state)
}
