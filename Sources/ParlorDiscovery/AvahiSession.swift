import CAvahi
import Glibc

/// What Avahi told, as values: made in its callbacks, handled after them.
enum AvahiSignal: Sendable {
    /// The client's state.
    enum Client: Sendable {
        /// No daemon on the bus yet.
        case connecting
        /// The daemon is claiming its host name.
        case registering
        case running
        /// Everything made with this client is void.
        case failed(reason: String)
    }

    case client(Client)
    case group(token: UInt64, GroupState)
    case appeared(ServiceKey, cached: Bool)
    case removed(ServiceKey)
    case browseFailed(reason: String)
    case resolved(token: UInt64, txt: [[UInt8]], address: String, port: UInt16, cached: Bool)
    case resolveFailed(token: UInt64)
}

/// How one call to Avahi ended.
enum AvahiOutcome: Equatable, Sendable {
    case done
    case collision
    case failed(reason: String)

    init(_ code: CInt) {
        switch Int(code) {
        case AVAHI_ERR_COLLISION: self = .collision
        case ..<0: self = .failed(reason: AvahiSession.words(for: code))
        default: self = .done
        }
    }
}

/// Everything of Avahi that one thread owns: the poll, the client, its groups, browsers and resolvers.
///
/// Confined to the discovery thread. Its callbacks do nothing but note an ``AvahiSignal``, because Avahi runs
/// some of them inside the call that makes their object, and none may free what it belongs to.
@safe final class AvahiSession {
    /// The service type of rooms.
    static let serviceType = "_parlor._tcp"

    /// Why there is no client.
    struct Failure: Sendable {
        let reason: String
        /// The bus is there, but the daemon is not to be used.
        let isDaemonsDoing: Bool
    }

    private let poll: OpaquePointer
    private let wake: OpaquePointer?
    private let inbox: Inbox
    private var client: OpaquePointer?
    private var groups: [UInt64: OpaquePointer] = unsafe [:]
    private var resolvers: [UInt64: OpaquePointer] = unsafe [:]
    private var groupTokens: [OpaquePointer: UInt64] = unsafe [:]
    private var resolverTokens: [OpaquePointer: UInt64] = unsafe [:]
    private var browsers: [OpaquePointer] = unsafe []
    fileprivate(set) var signals: [AvahiSignal] = []

    /// `nil` when there is no memory or no descriptor left.
    init?(inbox: Inbox) {
        guard let poll = unsafe avahi_simple_poll_new() else { return nil }
        unsafe self.poll = poll
        self.inbox = inbox
        let api = unsafe avahi_simple_poll_get(poll)
        unsafe wake = unsafe parlor_avahi_watch(
            api, inbox.wakeDescriptor, parlorDiscoveryWoken, Unmanaged.passUnretained(inbox).toOpaque())
    }

    deinit {
        disconnect()
        if let wake = unsafe wake { unsafe parlor_avahi_unwatch(avahi_simple_poll_get(poll), wake) }
        unsafe avahi_simple_poll_free(poll)
    }

    /// Whether there is a client, in whatever state.
    var isConnected: Bool { unsafe client != nil }

    /// The daemon's host name on the network, such as `kitchen.local`.
    var hostName: String {
        guard let client = unsafe client, let name = unsafe avahi_client_get_host_name_fqdn(client) else {
            return ""
        }
        return unsafe String(cString: name)
    }

    /// Takes the signals noted so far.
    func takeSignals() -> [AvahiSignal] {
        defer { signals = [] }
        return signals
    }

    /// Waits for something to happen, at most so long, and lets Avahi handle it.
    func iterate(milliseconds: CInt) { _ = unsafe avahi_simple_poll_iterate(poll, milliseconds) }

    /// Makes the client.
    ///
    /// It need not find a daemon; without a bus it fails.
    ///
    /// - Returns: `nil`, or why not.
    func connect() -> Failure? {
        var code: CInt = 0
        unsafe client = unsafe avahi_client_new(
            avahi_simple_poll_get(poll), AVAHI_CLIENT_NO_FAIL, parlorDiscoveryClient, me, &code)
        guard unsafe client == nil else { return nil }
        signals = []
        // "Daemon not running" means the bus here: a client made with NO_FAIL is there without the daemon.
        let daemonsCodes = [AVAHI_ERR_VERSION_MISMATCH, AVAHI_ERR_ACCESS_DENIED]
        return Failure(reason: Self.words(for: code), isDaemonsDoing: daemonsCodes.contains(Int(code)))
    }

    /// Frees the client and all that was made with it.
    func disconnect() {
        if let client = unsafe client { unsafe avahi_client_free(client) }
        unsafe client = nil
        unsafe groups = [:]
        unsafe groupTokens = [:]
        unsafe resolvers = [:]
        unsafe resolverTokens = [:]
        unsafe browsers = []
        signals = []
    }

    private var me: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

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
            return unsafe .failed(reason: words(for: avahi_client_errno(raw)))
        }
    }

    fileprivate func token(ofGroup raw: OpaquePointer?) -> UInt64? {
        unsafe raw.flatMap { unsafe groupTokens[$0] }
    }
    fileprivate func token(ofResolver raw: OpaquePointer?) -> UInt64? {
        unsafe raw.flatMap { unsafe resolverTokens[$0] }
    }

    /// Avahi's words for an error code.
    static func words(for code: CInt) -> String {
        guard let words = unsafe avahi_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }
}

// MARK: - Publishing

extension AvahiSession {
    /// Announces a service on some interfaces, given by index, or on all.
    ///
    /// Makes the group of this token, or empties it; adds the service on each interface; commits.
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
            guard let made = unsafe avahi_entry_group_new(client, parlorDiscoveryGroup, me) else {
                return lastOutcome
            }
            unsafe group = made
            unsafe groups[token] = group
            unsafe groupTokens[group] = token
        }
        let strings = unsafe Self.list(of: text)
        defer { unsafe avahi_string_list_free(strings) }
        for interface in Self.indexes(interfaces) {
            let added = unsafe AvahiOutcome(
                avahi_entry_group_add_service_strlst(
                    group, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                    Self.serviceType, nil, nil, port, strings))
            guard added == .done else { return added }
        }
        return unsafe AvahiOutcome(avahi_entry_group_commit(group))
    }

    /// Replaces the TXT record of an announced service.
    func updateText(token: UInt64, name: String, text: [[UInt8]], interfaces: [UInt32]?) -> AvahiOutcome {
        guard let group = unsafe groups[token] else { return .failed(reason: "not announced") }
        let strings = unsafe Self.list(of: text)
        defer { unsafe avahi_string_list_free(strings) }
        for interface in Self.indexes(interfaces) {
            let changed = unsafe AvahiOutcome(
                avahi_entry_group_update_service_txt_strlst(
                    group, interface, CInt(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0), name,
                    Self.serviceType, nil, strings))
            guard changed == .done else { return changed }
        }
        return .done
    }

    /// Takes everything out of a group and keeps it.
    func resetGroup(token: UInt64) {
        if let group = unsafe groups[token] { unsafe avahi_entry_group_reset(group) }
    }

    /// Takes a service off the network and forgets its group.
    func freeGroup(token: UInt64) {
        guard let group = unsafe groups.removeValue(forKey: token) else { return }
        unsafe groupTokens[group] = nil
        unsafe avahi_entry_group_free(group)
    }

    /// Avahi keeps the list in reverse and writes it out in the order of adding.
    private static func list(of text: [[UInt8]]) -> UnsafeMutablePointer<AvahiStringList>? {
        var list: UnsafeMutablePointer<AvahiStringList>?
        for string in text {
            unsafe list = unsafe avahi_string_list_add_arbitrary(list, string, string.count)
        }
        return unsafe list
    }

    private static func indexes(_ interfaces: [UInt32]?) -> [AvahiIfIndex] {
        interfaces?.map { AvahiIfIndex(truncatingIfNeeded: $0) } ?? [AvahiIfIndex(AVAHI_IF_UNSPEC)]
    }
}

// MARK: - Browsing

extension AvahiSession {
    /// Starts to look for rooms; whatever was looked for before ends.
    ///
    /// On some interfaces, given by index, or on all.
    func browse(interfaces: [UInt32]?) -> AvahiOutcome {
        guard let client = unsafe client else { return .failed(reason: "not connected") }
        while let browser = unsafe browsers.popLast() { unsafe avahi_service_browser_free(browser) }
        let tokens = unsafe Array(resolvers.keys)
        for token in tokens { closeResolver(token: token) }
        for interface in Self.indexes(interfaces) {
            guard
                let browser = unsafe avahi_service_browser_new(
                    client, interface, CInt(AVAHI_PROTO_UNSPEC), Self.serviceType, nil,
                    AvahiLookupFlags(0), parlorDiscoveryBrowser, me)
            else { return lastOutcome }
            unsafe browsers.append(browser)
        }
        return .done
    }

    /// Asks for the content of an announcement, and keeps asking until ``closeResolver(token:)``.
    func openResolver(token: UInt64, key: ServiceKey) -> AvahiOutcome {
        guard let client = unsafe client else { return .failed(reason: "not connected") }
        let family = key.family == .inet ? AVAHI_PROTO_INET : AVAHI_PROTO_INET6
        guard
            let resolver = unsafe avahi_service_resolver_new(
                client, AvahiIfIndex(truncatingIfNeeded: key.interface), CInt(family), key.name,
                Self.serviceType, key.domain, CInt(family), AvahiLookupFlags(0), parlorDiscoveryResolver, me)
        else { return lastOutcome }
        unsafe resolvers[token] = resolver
        unsafe resolverTokens[resolver] = token
        return .done
    }

    /// Stops asking.
    func closeResolver(token: UInt64) {
        guard let resolver = unsafe resolvers.removeValue(forKey: token) else { return }
        unsafe resolverTokens[resolver] = nil
        unsafe avahi_service_resolver_free(resolver)
    }
}

// MARK: - Callbacks, all on the discovery thread

@c private func parlorDiscoveryWoken(
    _ watch: OpaquePointer?, _ descriptor: CInt, _ event: AvahiWatchEvent, _ context: UnsafeMutableRawPointer?
) {
    guard let context = unsafe context else { return }
    unsafe Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().drain()
}

private func session(_ context: UnsafeMutableRawPointer?) -> AvahiSession? {
    unsafe context.map { unsafe Unmanaged<AvahiSession>.fromOpaque($0).takeUnretainedValue() }
}

@c private func parlorDiscoveryClient(
    _ client: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?
) {
    let signal = unsafe AvahiSession.client(client, in: state)
    unsafe session(context)?.signals.append(.client(signal))
}

@c private func parlorDiscoveryGroup(
    _ group: OpaquePointer?, _ state: AvahiEntryGroupState, _ context: UnsafeMutableRawPointer?
) {
    guard let session = unsafe session(context), let token = unsafe session.token(ofGroup: group) else {
        return
    }
    let groupState: GroupState =
        switch state {
        case AVAHI_ENTRY_GROUP_REGISTERING: .registering
        case AVAHI_ENTRY_GROUP_ESTABLISHED: .established
        case AVAHI_ENTRY_GROUP_COLLISION: .collision
        case AVAHI_ENTRY_GROUP_FAILURE: .failure
        default: .uncommitted
        }
    session.signals.append(.group(token: token, groupState))
}

@c private func parlorDiscoveryBrowser(
    _ browser: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol, _ event: AvahiBrowserEvent,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ flags: AvahiLookupResultFlags, _ context: UnsafeMutableRawPointer?
) {
    guard let session = unsafe session(context) else { return }
    switch event {
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
        guard let name = unsafe name, let domain = unsafe domain else { return }
        let key = unsafe ServiceKey(
            interface: UInt32(truncatingIfNeeded: interface),
            family: family == CInt(AVAHI_PROTO_INET6) ? .inet6 : .inet,
            name: String(cString: name), domain: String(cString: domain))
        let isCached = flags.rawValue & AVAHI_LOOKUP_RESULT_CACHED.rawValue != 0
        session.signals.append(event == AVAHI_BROWSER_NEW ? .appeared(key, cached: isCached) : .removed(key))
    case AVAHI_BROWSER_FAILURE:
        let reason = unsafe AvahiSession.words(
            for: avahi_client_errno(avahi_service_browser_get_client(browser)))
        session.signals.append(.browseFailed(reason: reason))
    default: break
    }
}

@c private func parlorDiscoveryResolver(
    _ resolver: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol,
    _ event: AvahiResolverEvent,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ host: UnsafePointer<CChar>?, _ address: UnsafePointer<AvahiAddress>?, _ port: UInt16,
    _ text: UnsafeMutablePointer<AvahiStringList>?, _ flags: AvahiLookupResultFlags,
    _ context: UnsafeMutableRawPointer?
) {
    guard let session = unsafe session(context), let token = unsafe session.token(ofResolver: resolver) else {
        return
    }
    guard event == AVAHI_RESOLVER_FOUND, let address = unsafe address else {
        session.signals.append(.resolveFailed(token: token))
        return
    }
    var characters = [CChar](repeating: 0, count: Int(AVAHI_ADDRESS_STR_MAX))
    unsafe avahi_address_snprint(&characters, characters.count, address)
    let digits = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    var strings: [[UInt8]] = []
    var next = unsafe text
    while let string = unsafe next {
        let bytes = unsafe UnsafeBufferPointer(
            start: avahi_string_list_get_text(string), count: avahi_string_list_get_size(string))
        unsafe strings.append(Array(bytes))
        unsafe next = unsafe avahi_string_list_get_next(string)
    }
    session.signals.append(
        .resolved(
            token: token, txt: strings, address: String(decoding: digits, as: UTF8.self), port: port,
            cached: flags.rawValue & AVAHI_LOOKUP_RESULT_CACHED.rawValue != 0))
}
