import CAvahi

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
        case ..<0: self = .failed(reason: AvahiNotes.words(for: code))
        default: self = .done
        }
    }
}

/// One way to the network: through the system's daemon, or by this process itself.
///
/// Confined to the discovery thread. What Avahi tells is noted by its callbacks and taken after them, because
/// Avahi runs some of them inside the call that makes their object, and none may free what it belongs to.
protocol Responder: AnyObject {
    /// Whether there is a client or a server, in whatever state.
    var isConnected: Bool { get }
    /// The host name on the network, such as `kitchen.local`.
    var hostName: String { get }
    /// Takes the signals noted so far.
    func takeSignals() -> [AvahiSignal]
    /// Frees everything; what was announced is withdrawn.
    func disconnect()
    /// Announces a service on some interfaces, given by index, or on all.
    ///
    /// Makes the group of this token, or empties it; adds the service on each interface; commits.
    func register(token: UInt64, name: String, port: UInt16, text: [[UInt8]], interfaces: [UInt32]?)
        -> AvahiOutcome
    /// Replaces the TXT record of an announced service.
    func updateText(token: UInt64, name: String, text: [[UInt8]], interfaces: [UInt32]?) -> AvahiOutcome
    /// Takes everything out of a group and keeps it.
    func resetGroup(token: UInt64)
    /// Takes a service off the network and forgets its group.
    func freeGroup(token: UInt64)
    /// Starts to look for rooms on some interfaces or on all; whatever was looked for before ends.
    func browse(interfaces: [UInt32]?) -> AvahiOutcome
    /// Asks for the content of an announcement, and keeps asking until ``closeResolver(token:)``.
    func openResolver(token: UInt64, key: ServiceKey) -> AvahiOutcome
    /// Stops asking.
    func closeResolver(token: UInt64)
}

/// What the callbacks of one responder note, and how they tell its objects apart.
@safe final class AvahiNotes {
    /// The service type of rooms.
    static let serviceType = "_parlor._tcp"

    var signals: [AvahiSignal] = []
    var groupTokens: [OpaquePointer: UInt64] = unsafe [:]
    var resolverTokens: [OpaquePointer: UInt64] = unsafe [:]
    /// Why the last call failed.
    var lastCode: () -> CInt = { CInt(AVAHI_ERR_FAILURE) }

    /// What callbacks are given.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    /// The notes that a callback was given.
    static func of(_ context: UnsafeMutableRawPointer?) -> AvahiNotes? {
        unsafe context.map { unsafe Unmanaged<AvahiNotes>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Takes the signals noted so far.
    func take() -> [AvahiSignal] {
        defer { signals = [] }
        return signals
    }

    /// Forgets everything.
    func clear() {
        signals = []
        unsafe groupTokens = [:]
        unsafe resolverTokens = [:]
    }

    /// A group's state as Avahi tells it.
    func group(_ group: OpaquePointer?, is state: AvahiEntryGroupState) {
        guard let group = unsafe group, let token = unsafe groupTokens[group] else { return }
        signals.append(.group(token: token, Self.groupState(state)))
    }

    static func groupState(_ state: AvahiEntryGroupState) -> GroupState {
        switch state {
        case AVAHI_ENTRY_GROUP_REGISTERING: .registering
        case AVAHI_ENTRY_GROUP_ESTABLISHED: .established
        case AVAHI_ENTRY_GROUP_COLLISION: .collision
        case AVAHI_ENTRY_GROUP_FAILURE: .failure
        default: .uncommitted
        }
    }

    /// Avahi's words for an error code.
    static func words(for code: CInt) -> String {
        guard let words = unsafe avahi_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }

    /// Strings as Avahi takes them; the caller frees the list.
    ///
    /// Avahi keeps the list in reverse and writes it out in the order of adding.
    static func list(of strings: [[UInt8]]) -> UnsafeMutablePointer<AvahiStringList>? {
        var list: UnsafeMutablePointer<AvahiStringList>?
        for string in strings {
            unsafe list = unsafe avahi_string_list_add_arbitrary(list, string, string.count)
        }
        return unsafe list
    }

    /// The interfaces to do something on, one after the other.
    static func indexes(_ interfaces: [UInt32]?) -> [AvahiIfIndex] {
        interfaces?.map { AvahiIfIndex(truncatingIfNeeded: $0) } ?? [AvahiIfIndex(AVAHI_IF_UNSPEC)]
    }
}

// MARK: - Callbacks of browsers and resolvers, which are the same for a client and for a server

@c func parlorDiscoveryBrowser(
    _ browser: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol, _ event: AvahiBrowserEvent,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ flags: AvahiLookupResultFlags, _ context: UnsafeMutableRawPointer?
) {
    guard let notes = unsafe AvahiNotes.of(context) else { return }
    switch event {
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
        guard let name = unsafe name, let domain = unsafe domain else { return }
        let key = unsafe ServiceKey(
            interface: UInt32(truncatingIfNeeded: interface),
            family: family == CInt(AVAHI_PROTO_INET6) ? .inet6 : .inet,
            name: String(cString: name), domain: String(cString: domain))
        let isCached = flags.rawValue & AVAHI_LOOKUP_RESULT_CACHED.rawValue != 0
        notes.signals.append(event == AVAHI_BROWSER_NEW ? .appeared(key, cached: isCached) : .removed(key))
    case AVAHI_BROWSER_FAILURE:
        notes.signals.append(.browseFailed(reason: AvahiNotes.words(for: notes.lastCode())))
    default: break
    }
}

@c func parlorDiscoveryResolver(
    _ resolver: OpaquePointer?, _ interface: AvahiIfIndex, _ family: AvahiProtocol,
    _ event: AvahiResolverEvent,
    _ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?,
    _ host: UnsafePointer<CChar>?, _ address: UnsafePointer<AvahiAddress>?, _ port: UInt16,
    _ text: UnsafeMutablePointer<AvahiStringList>?, _ flags: AvahiLookupResultFlags,
    _ context: UnsafeMutableRawPointer?
) {
    guard let notes = unsafe AvahiNotes.of(context), let resolver = unsafe resolver,
        let token = unsafe notes.resolverTokens[resolver]
    else { return }
    guard event == AVAHI_RESOLVER_FOUND, let address = unsafe address else {
        notes.signals.append(.resolveFailed(token: token))
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
    notes.signals.append(
        .resolved(
            token: token, txt: strings, address: String(decoding: digits, as: UTF8.self), port: port,
            cached: flags.rawValue & AVAHI_LOOKUP_RESULT_CACHED.rawValue != 0))
}
