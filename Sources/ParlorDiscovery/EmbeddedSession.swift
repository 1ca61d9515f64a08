import CAvahi
import Glibc

/// The way without a daemon: a responder in this process, which shares port 5353 with others on the machine.
///
/// It has a host name of its own, so that any number of processes announce side by side, and announces the
/// addresses of its interfaces itself.
@safe final class EmbeddedSession: Responder {
    /// One address of one interface.
    private struct OwnAddress: Hashable {
        let interface: UInt32
        let address: InterfaceAddress
    }

    private let poll: AvahiLoop
    private let notes = AvahiNotes()
    private var server: OpaquePointer?
    private var groups: [UInt64: OpaquePointer] = unsafe [:]
    private var resolvers: [UInt64: OpaquePointer] = unsafe [:]
    private var browsers: [OpaquePointer] = unsafe []
    private var addressGroups: [OwnAddress: OpaquePointer] = unsafe [:]
    /// On which interfaces addresses are announced; `nil` means on all.
    private var interfaces: [UInt32]?

    init(poll: AvahiLoop) { self.poll = poll }

    deinit { disconnect() }

    var isConnected: Bool { unsafe server != nil }

    var hostName: String {
        guard let server = unsafe server, let name = unsafe avahi_server_get_host_name_fqdn(server) else {
            return ""
        }
        return unsafe String(cString: name)
    }

    func takeSignals() -> [AvahiSignal] { notes.take() }

    /// Makes the responder, under a host name that nobody else is likely to have.
    ///
    /// - Returns: `nil`, or why there is none.
    func connect(interfaces: [UInt32]?) -> String? {
        disconnect()
        self.interfaces = interfaces
        let names = interfaces?.compactMap(Interfaces.name).map { Array($0.utf8) }
        if let names, names.isEmpty { return "the network interface is gone" }
        let allowed = unsafe AvahiNotes.list(of: names ?? [])
        defer { unsafe avahi_string_list_free(allowed) }
        var code: CInt = 0
        unsafe server = unsafe parlor_avahi_server(
            poll.api, Self.hostName(UInt32.random(in: .min ... .max)), allowed, parlorDiscoveryServer,
            notes.context, &code)
        guard let server = unsafe server else {
            notes.clear()
            return AvahiNotes.words(for: code)
        }
        let key = UInt(bitPattern: server)
        EntryGroups.servers.withLock { _ = $0.insert(key) }
        notes.lastCode = { [unowned self] in unsafe self.server.map { unsafe avahi_server_errno($0) } ?? 0 }
        return nil
    }

    /// `parlor-` and eight hexadecimal digits.
    static func hostName(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return "parlor-" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// Frees the server and all that was made with it; what was announced is withdrawn at once.
    func disconnect() {
        if let server = unsafe server {
            unsafe avahi_server_free(server)
            let key = UInt(bitPattern: server)
            EntryGroups.servers.withLock { _ = $0.remove(key) }
        }
        unsafe server = nil
        unsafe groups = [:]
        unsafe resolvers = [:]
        unsafe browsers = []
        unsafe addressGroups = [:]
        notes.clear()
    }

    /// Announces the addresses that the interfaces have now, and withdraws those they had.
    ///
    /// Called once the server runs, and whenever the network changed.
    func refreshAddresses() {
        guard let server = unsafe server else { return }
        var wanted: Set<OwnAddress> = []
        for (interface, addresses) in Interfaces.announced(on: interfaces) {
            wanted.formUnion(addresses.map { OwnAddress(interface: interface, address: $0) })
        }
        let known = unsafe Set(addressGroups.keys)
        for gone in known.subtracting(wanted) {
            if let group = unsafe addressGroups.removeValue(forKey: gone) {
                unsafe avahi_s_entry_group_free(group)
            }
        }
        for new in wanted.subtracting(known) {
            guard let group = unsafe avahi_s_entry_group_new(server, parlorDiscoveryAddresses, notes.context)
            else { continue }
            let family = CInt(new.address.isIPv6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET)
            var address = AvahiAddress()
            unsafe avahi_address_parse(new.address.text, family, &address)
            let isAdded =
                unsafe avahi_server_add_address(
                    server, group, AvahiIfIndex(truncatingIfNeeded: new.interface), family,
                    AVAHI_PUBLISH_NO_REVERSE, nil, &address) >= 0
                && avahi_s_entry_group_commit(group) >= 0
            if isAdded {
                unsafe addressGroups[new] = group
            } else {
                unsafe avahi_s_entry_group_free(group)
            }
        }
    }

    private var lastOutcome: AvahiOutcome {
        guard let server = unsafe server else { return .failed(reason: "not running") }
        return unsafe AvahiOutcome(avahi_server_errno(server))
    }

    fileprivate static func server(_ raw: OpaquePointer?, in state: AvahiServerState) -> AvahiSignal.Client {
        switch state {
        case AVAHI_SERVER_RUNNING: return .running
        case AVAHI_SERVER_REGISTERING: return .registering
        case AVAHI_SERVER_COLLISION: return .failed(reason: hostNameTaken)
        default:
            guard let raw = unsafe raw else { return .failed(reason: "unknown") }
            return unsafe .failed(reason: AvahiNotes.words(for: avahi_server_errno(raw)))
        }
    }

    fileprivate static let hostNameTaken = "its host name is taken"
}

// MARK: - Publishing

extension EmbeddedSession {
    func register(
        token: UInt64, name: String, port: UInt16, text: [[UInt8]], interfaces: [UInt32]?
    ) -> AvahiOutcome {
        guard let server = unsafe server else { return .failed(reason: "not running") }
        let group: OpaquePointer
        if let known = unsafe groups[token] {
            unsafe group = known
            unsafe avahi_s_entry_group_reset(group)
        } else {
            guard let made = unsafe avahi_s_entry_group_new(server, parlorDiscoveryEntries, notes.context)
            else { return lastOutcome }
            unsafe group = made
            unsafe groups[token] = group
            unsafe notes.groupTokens[group] = token
        }
        let strings = unsafe AvahiNotes.list(of: text)
        defer { unsafe avahi_string_list_free(strings) }
        for interface in AvahiNotes.indexes(interfaces) {
            let added = unsafe AvahiOutcome(
                avahi_server_add_service_strlst(
                    server, group, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                    AvahiNotes.serviceType, nil, nil, port, strings))
            guard added == .done else {
                unsafe avahi_s_entry_group_reset(group)
                return added
            }
        }
        return unsafe AvahiOutcome(avahi_s_entry_group_commit(group))
    }

    func updateText(token: UInt64, name: String, text: [[UInt8]], interfaces: [UInt32]?) -> AvahiOutcome {
        guard let server = unsafe server, let group = unsafe groups[token] else {
            return .failed(reason: "not announced")
        }
        let strings = unsafe AvahiNotes.list(of: text)
        defer { unsafe avahi_string_list_free(strings) }
        for interface in AvahiNotes.indexes(interfaces) {
            let changed = unsafe AvahiOutcome(
                avahi_server_update_service_txt_strlst(
                    server, group, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                    AvahiNotes.serviceType, nil, strings))
            guard changed == .done else { return changed }
        }
        return .done
    }

    func resetGroup(token: UInt64) {
        if let group = unsafe groups[token] { unsafe avahi_s_entry_group_reset(group) }
    }

    func freeGroup(token: UInt64) {
        guard let group = unsafe groups.removeValue(forKey: token) else { return }
        unsafe notes.groupTokens[group] = nil
        unsafe avahi_s_entry_group_free(group)
    }
}

// MARK: - Browsing

extension EmbeddedSession {
    func browse(interfaces: [UInt32]?) -> AvahiOutcome {
        guard let server = unsafe server else { return .failed(reason: "not running") }
        while let browser = unsafe browsers.popLast() { unsafe avahi_s_service_browser_free(browser) }
        let tokens = unsafe Array(resolvers.keys)
        for token in tokens { closeResolver(token: token) }
        for interface in AvahiNotes.indexes(interfaces) {
            guard
                let browser = unsafe avahi_s_service_browser_new(
                    server, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiNotes.serviceType, nil,
                    AvahiLookupFlags(0), parlorDiscoveryBrowser, notes.context)
            else { return lastOutcome }
            unsafe browsers.append(browser)
        }
        return .done
    }

    func openResolver(token: UInt64, key: ServiceKey) -> AvahiOutcome {
        guard let server = unsafe server else { return .failed(reason: "not running") }
        let family = CInt(key.family == .inet ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6)
        guard
            let resolver = unsafe avahi_s_service_resolver_new(
                server, AvahiIfIndex(truncatingIfNeeded: key.interface), family, key.name,
                AvahiNotes.serviceType, key.domain, family, AvahiLookupFlags(0), parlorDiscoveryResolver,
                notes.context)
        else { return lastOutcome }
        unsafe resolvers[token] = resolver
        unsafe notes.resolverTokens[resolver] = token
        return .done
    }

    func closeResolver(token: UInt64) {
        guard let resolver = unsafe resolvers.removeValue(forKey: token) else { return }
        unsafe notes.resolverTokens[resolver] = nil
        unsafe avahi_s_service_resolver_free(resolver)
    }
}

// MARK: - Callbacks, all on the discovery thread

@c private func parlorDiscoveryServer(
    _ server: OpaquePointer?, _ state: AvahiServerState, _ context: UnsafeMutableRawPointer?
) {
    let signal = unsafe EmbeddedSession.server(server, in: state)
    unsafe AvahiNotes.of(context)?.signals.append(.client(signal))
}

@c private func parlorDiscoveryEntries(
    _ server: OpaquePointer?, _ group: OpaquePointer?, _ state: AvahiEntryGroupState,
    _ context: UnsafeMutableRawPointer?
) {
    unsafe AvahiNotes.of(context)?.group(group, is: state)
}

/// Another machine has this host name: everything is made anew, under another.
@c private func parlorDiscoveryAddresses(
    _ server: OpaquePointer?, _ group: OpaquePointer?, _ state: AvahiEntryGroupState,
    _ context: UnsafeMutableRawPointer?
) {
    guard state == AVAHI_ENTRY_GROUP_COLLISION else { return }
    unsafe AvahiNotes.of(context)?.signals.append(.client(.failed(reason: EmbeddedSession.hostNameTaken)))
}
