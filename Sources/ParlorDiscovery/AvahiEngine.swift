import Glibc

/// What the discovery thread does: keeps a way to the network open, rooms announced, and rows up to date.
///
/// Confined to its thread. Reads no C type: ``AvahiSession`` and ``EmbeddedSession`` stand between it and
/// Avahi.
final class AvahiEngine {
    private static let second: UInt64 = 1_000_000_000
    /// Seconds between two attempts to get on with a daemon that refuses, doubled each time.
    private static let retrySecondsMax: UInt64 = 30
    /// Seconds between two looks for a bus: rooms are announced soon after it is back, however long it was
    /// away, and a look costs next to nothing.
    private static let busRetrySecondsMax: UInt64 = 2
    /// Nanoseconds that rooms have, after the daemon is back, to be heard again.
    private static let returnNanoseconds = 5 * second
    /// Nanoseconds that rooms stay in the list without a daemon: their addresses' time to live.
    private static let orphanNanoseconds = 120 * second
    /// Nanoseconds to the next attempt at an announcement that could not be resolved; doubled up to eight
    /// times that.
    private static let resolveRetryNanoseconds = 5 * second
    /// Nanoseconds from the moment a service turns out to be another room's to a fresh look at it: Avahi
    /// forgets what was taken back after a second.
    private static let contestedNanoseconds = 2 * second

    /// Nanoseconds for which changes of the network are gathered before they are looked at.
    private static let networkNanoseconds = second / 4
    /// Nanoseconds by which the clock that goes on in sleep must have run ahead to tell that the machine
    /// slept.
    private static let sleepNanoseconds = 2 * second

    /// Whose turn it is: the daemon's, or this process's.
    private enum Way {
        case daemon
        case embedded
    }

    private struct Resolution {
        var token: UInt64
        var failures = 0
        var retryAt: UInt64?
    }

    private let inbox: Inbox
    private let loop: AvahiLoop
    private let client: AvahiSession
    private let server: EmbeddedSession
    private let sink: @Sendable (DiscoveryEvent) -> Void

    private var interfaces: [UInt32]?
    private var choice: ResponderChoice
    private var way = Way.daemon
    /// Whether the daemon is ready, used or not.
    private var daemonRuns = false
    /// Whether rooms can be announced the way that is used.
    private var isRunning = false
    private var state: DiscoveryState?
    private var retrySeconds: UInt64 = 1
    private var reconnectAt: UInt64?
    private var serverRetrySeconds: UInt64 = 1
    private var serverAt: UInt64?
    private var networkAt: UInt64?
    private var route = Routes.standard()
    private var slept = Clock.asleep
    private var dropOrphansAt: UInt64?

    private var lastToken: UInt64 = 0
    private var publications: [[UInt8]: Publication] = [:]
    private var groupTokens: [[UInt8]: UInt64] = [:]
    private var roomOfGroup: [UInt64: [UInt8]] = [:]
    private var table = RowTable()
    private var resolutions: [ServiceKey: Resolution] = [:]
    private var keyOfResolver: [UInt64: ServiceKey] = [:]

    init(
        inbox: Inbox, loop: AvahiLoop, mode: ResponderChoice.Mode, interfaces: [UInt32]?,
        sink: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        self.inbox = inbox
        self.loop = loop
        client = AvahiSession(poll: loop)
        server = EmbeddedSession(poll: loop)
        choice = ResponderChoice(mode, at: Clock.now)
        reconnectAt = choice.wantsDaemon ? 0 : nil
        self.interfaces = interfaces
        self.sink = sink
    }

    /// The thread's life: until the inbox says stop.
    func run() {
        if choice.wantsDaemon { say(.searching, "looking for the Avahi daemon") }
        while !inbox.isStopping {
            handleSignals()
            for command in inbox.take() where !inbox.isStopping { perform(command) }
            handleSignals()
            tick(at: Clock.now)
            handleSignals()
            guard !inbox.isStopping else { break }
            loop.iterate(milliseconds: milliseconds(until: nextDeadline))
        }
        client.disconnect()
        server.disconnect()
    }

    /// The way that is used.
    private var session: any Responder { way == .daemon ? client : server }

    // MARK: Time

    private var nextDeadline: UInt64? {
        let times = [reconnectAt, serverAt, networkAt, dropOrphansAt, choice.deadline, table.deadline]
        var all = times.compactMap { $0 }
        if isRunning {
            all += publications.values.compactMap(\.deadline)
            all += resolutions.values.compactMap(\.retryAt)
        }
        return all.min()
    }

    /// Rounded up, so that nothing is looked at just before it is due; -1 waits for ever.
    private func milliseconds(until deadline: UInt64?) -> CInt {
        guard let deadline else { return -1 }
        let now = Clock.now
        guard deadline > now else { return 0 }
        return CInt(clamping: (deadline - now + 999_999) / 1_000_000)
    }

    private func tick(at now: UInt64) {
        lookAtNetwork(at: now)
        if let due = reconnectAt, now >= due { connect() }
        for action in choice.tick(at: now) { carryOut(action, at: now) }
        if let due = serverAt, now >= due { startServer() }
        if let due = dropOrphansAt, now >= due {
            dropOrphansAt = nil
            emit(table.dropOrphans(at: now))
        }
        emit(table.expire(at: now))
        guard isRunning else { return }
        for roomID in publications.keys where !inbox.isStopping {
            carryOut(publications[roomID]?.tick(at: now) ?? [], for: roomID)
        }
        for (key, resolution) in resolutions where !inbox.isStopping {
            if let due = resolution.retryAt, now >= due { resolve(key, at: now) }
        }
    }

    // MARK: Commands

    private func perform(_ command: DiscoveryCommand) {
        switch command {
        case .publish(let record): publish(record)
        case .update(let record): if publications[record.roomID] != nil { publish(record) }
        case .withdraw(let roomID): withdraw(roomID)
        case .markUnreachable(let roomID, let hostID):
            emit(table.markUnreachable(roomID: roomID, hostID: hostID, at: Clock.now))
        case .resolveAgain(let roomID):
            for key in table.services(of: roomID) where resolutions[key] != nil {
                resolve(key, at: Clock.now)
            }
        case .distrust: emit(table.distrust())
        case .setInterfaces(let interfaces): move(to: interfaces)
        }
    }

    private func publish(_ record: RoomRecord) {
        let now = Clock.now
        let roomID = record.roomID
        do {
            if var known = publications[roomID] {
                let actions = try known.change(to: record, at: now)
                publications[roomID] = known
                carryOut(actions, for: roomID)
            } else {
                var made = try Publication(record)
                let actions = isRunning ? made.start(at: now) : []
                publications[roomID] = made
                groupTokens[roomID] = newToken()
                if let token = groupTokens[roomID] { roomOfGroup[token] = roomID }
                carryOut(actions, for: roomID)
            }
        } catch {
            emit([.failed(roomID: roomID, text: "the room is not announced: \(error)")])
        }
    }

    private func withdraw(_ roomID: [UInt8]) {
        publications[roomID] = nil
        guard let token = groupTokens.removeValue(forKey: roomID) else { return }
        roomOfGroup[token] = nil
        session.freeGroup(token: token)
    }

    private func move(to next: [UInt32]?) {
        guard next != interfaces else { return }
        interfaces = next
        if way == .embedded { return startServer() }
        guard isRunning else { return }
        let now = Clock.now
        emit(table.orphanAll())
        dropOrphansAt = now + Self.returnNanoseconds
        browse()
        for roomID in publications.keys { carryOut(publications[roomID]?.move(at: now) ?? [], for: roomID) }
        sayRunning()
    }

    // MARK: The daemon

    private func connect() {
        reconnectAt = nil
        client.disconnect()
        guard let failure = client.connect() else { return }
        let now = Clock.now
        if !failure.isDaemonsDoing { retrySeconds = min(retrySeconds, Self.busRetrySecondsMax) }
        choice.daemonGone(at: now)
        scheduleReconnect(at: now)
        guard way == .daemon else { return }
        say(failure.isDaemonsDoing ? .noDaemon : .noBus, detail(of: failure))
    }

    private func scheduleReconnect(at now: UInt64) {
        reconnectAt = now + retrySeconds * Self.second
        retrySeconds = min(retrySeconds * 2, Self.retrySecondsMax)
    }

    private func clientChanged(to state: AvahiSignal.Client) {
        let now = Clock.now
        daemonRuns = false
        switch state {
        case .connecting:
            choice.daemonGone(at: now)
            if way == .daemon { say(.noDaemon, detailWithoutDaemon) }
        case .registering:
            choice.daemonAppeared()
            guard way == .daemon else { return }
            pause()
            say(.searching, "the Avahi daemon is claiming this machine's name on the network")
        case .running:
            daemonRuns = true
            retrySeconds = 1
            for action in choice.daemonRuns(at: now) { carryOut(action, at: now) }
        case .failed(let reason): loseDaemon(reason)
        }
    }

    private func loseDaemon(_ reason: String) {
        let now = Clock.now
        daemonRuns = false
        client.disconnect()
        choice.daemonGone(at: now)
        scheduleReconnect(at: now)
        guard way == .daemon else { return }
        lose(at: now)
        say(.searching, "the connection to the Avahi daemon was lost (\(reason)); trying again")
    }

    // MARK: The responder of this process

    private func carryOut(_ action: ResponderChoice.Action, at now: UInt64) {
        switch action {
        case .useDaemon:
            way = .daemon
            if daemonRuns { start() }
        case .useEmbedded:
            lose(at: now)
            way = .embedded
            startServer()
        case .leaveEmbedded:
            lose(at: now)
            server.disconnect()
            serverAt = nil
            way = .daemon
            say(.searching, "the Avahi daemon is there now, and takes over")
        }
    }

    private func startServer() {
        serverAt = nil
        lose(at: Clock.now)
        server.disconnect()
        if let reason = server.connect(interfaces: interfaces) { failServer(reason) }
    }

    private func serverChanged(to state: AvahiSignal.Client) {
        switch state {
        case .connecting, .registering: pause()
        case .running:
            serverRetrySeconds = 1
            server.refreshAddresses()
            start()
        case .failed(let reason):
            lose(at: Clock.now)
            server.disconnect()
            failServer(reason)
        }
    }

    private func failServer(_ reason: String) {
        serverAt = Clock.now + serverRetrySeconds * Self.second
        serverRetrySeconds = min(serverRetrySeconds * 2, Self.retrySecondsMax)
        let detail =
            "Parlor's own responder cannot use port 5353 (\(reason)): \(Self.stillWorks). "
            + "See who has the port with: sudo ss -lunp sport = :5353"
        say(.failed, detail)
    }

    // MARK: Either

    private func pause() {
        isRunning = false
        for roomID in publications.keys { carryOut(publications[roomID]?.pause() ?? [], for: roomID) }
    }

    private func start() {
        let now = Clock.now
        isRunning = true
        browse()
        guard isRunning else { return }
        dropOrphansAt = now + Self.returnNanoseconds
        for roomID in publications.keys where !inbox.isStopping {
            carryOut(publications[roomID]?.start(at: now) ?? [], for: roomID)
        }
        sayRunning()
    }

    /// All that was made the way that is used is void.
    ///
    /// What is seen stays for a while, as cached.
    private func lose(at now: UInt64) {
        isRunning = false
        for roomID in publications.keys { publications[roomID]?.void() }
        forgetResolutions()
        emit(table.orphanAll())
        dropOrphansAt = now + Self.orphanNanoseconds
    }

    private func browse() {
        forgetResolutions()
        switch session.browse(interfaces: interfaces) {
        case .done: break
        case .collision: loseWay("it refused to browse")
        case .failed(let reason): loseWay(reason)
        }
    }

    private func loseWay(_ reason: String) {
        switch way {
        case .daemon: loseDaemon(reason)
        case .embedded: serverChanged(to: .failed(reason: reason))
        }
    }

    // MARK: The network

    /// Notes that links, addresses or routes changed, and looks at them once they rest for a moment.
    private func lookAtNetwork(at now: UInt64) {
        if loop.takeNetworkChange() { networkAt = now + Self.networkNanoseconds }
        if Clock.asleep > slept + Self.sleepNanoseconds {
            slept = Clock.asleep
            emit(table.distrust())
        }
        guard let due = networkAt, now >= due else { return }
        networkAt = nil
        let current = Routes.standard()
        if current != route {
            route = current
            emit(table.distrust())
        }
        guard isRunning else { return }
        if way == .embedded { server.refreshAddresses() }
        sayRunning()
    }

    private func forgetResolutions() {
        resolutions = [:]
        keyOfResolver = [:]
    }

    // MARK: Signals

    private func handleSignals() {
        while true {
            let (fromClient, fromServer) = (client.takeSignals(), server.takeSignals())
            if fromClient.isEmpty, fromServer.isEmpty { return }
            for signal in fromClient where !inbox.isStopping { handle(signal, from: .daemon) }
            for signal in fromServer where !inbox.isStopping { handle(signal, from: .embedded) }
            if inbox.isStopping { return }
        }
    }

    /// What was noted before a client or a server was given up means nothing, and of the way that is not used
    /// only the state counts.
    private func handle(_ signal: AvahiSignal, from source: Way) {
        let isConnected = source == .daemon ? client.isConnected : server.isConnected
        guard isConnected else { return }
        if case .client(let state) = signal {
            return source == .daemon ? clientChanged(to: state) : serverChanged(to: state)
        }
        guard source == way else { return }
        let now = Clock.now
        switch signal {
        case .client: break
        case .group(let token, let groupState):
            guard let roomID = roomOfGroup[token], let publication = publications[roomID] else { return }
            let own = publication.hasYielded ? nil : publication.record
            let isTaken = groupState == .collision && table.hasName(publication.name.text, besides: own)
            let actions = publications[roomID]?.groupChanged(to: groupState, at: now, isTaken: isTaken)
            carryOut(actions ?? [], for: roomID)
        case .appeared(let key, let cached):
            guard table.appeared(key, cached: cached), resolutions[key] == nil else { return }
            resolve(key, at: now)
        case .removed(let key):
            if let resolution = resolutions.removeValue(forKey: key) {
                keyOfResolver[resolution.token] = nil
                session.closeResolver(token: resolution.token)
            }
            emit(table.removed(key, at: now))
        case .browseFailed(let reason): loseWay(reason)
        case .resolved(let token, let txt, let address, let port, let cached):
            guard let key = keyOfResolver[token] else { return }
            resolutions[key]?.failures = 0
            guard let record = try? RoomRecord(name: key.name, txt: txt, port: port) else {
                emit(table.failed(key, at: now))
                return
            }
            let endpoint = RoomEndpoint(address: address, port: port, interface: key.interface)
            // Two had the name for a moment. A resolver that saw both may keep the address of the one and
            // the text of the other; a new one sees what is left.
            if table.isOfAnother(record, than: key) {
                resolutions[key]?.retryAt = now + Self.contestedNanoseconds
            }
            emit(table.resolved(key, record: record, endpoint: endpoint, cached: cached, at: now))
        case .resolveFailed(let token):
            guard let key = keyOfResolver[token] else { return }
            retryLater(key, at: now)
            emit(table.failed(key, at: now))
        }
    }

    private func resolve(_ key: ServiceKey, at now: UInt64) {
        let token = newToken()
        var resolution = resolutions[key] ?? Resolution(token: token)
        keyOfResolver[resolution.token] = nil
        session.closeResolver(token: resolution.token)
        resolution.token = token
        resolution.retryAt = nil
        resolutions[key] = resolution
        keyOfResolver[token] = key
        if session.openResolver(token: token, key: key) != .done { retryLater(key, at: now) }
    }

    private func retryLater(_ key: ServiceKey, at now: UInt64) {
        let failures = resolutions[key]?.failures ?? 0
        resolutions[key]?.retryAt = now + Self.resolveRetryNanoseconds << UInt64(min(failures, 3))
        resolutions[key]?.failures = failures + 1
    }

    private func newToken() -> UInt64 {
        lastToken += 1
        return lastToken
    }

    // MARK: Publications

    private func carryOut(_ actions: [Publication.Action], for roomID: [UInt8]) {
        var queue = actions
        while !queue.isEmpty {
            guard let publication = publications[roomID], let token = groupTokens[roomID] else { return }
            let now = Clock.now
            switch queue.removeFirst() {
            case .report(let event): emit([event])
            case .reset: session.resetGroup(token: token)
            case .register where table.isTaken(publication.name.text, byOtherThan: publication.record):
                queue += publications[roomID]?.collided(at: now) ?? []
            case .register:
                let outcome = session.register(
                    token: token, name: publication.name.text, port: publication.record.port,
                    text: publication.text, interfaces: interfaces)
                switch outcome {
                case .done: break
                case .collision: queue += publications[roomID]?.collided(at: now) ?? []
                case .failed(let reason): queue += publications[roomID]?.refused(reason, at: now) ?? []
                }
            case .updateText:
                let outcome = session.updateText(
                    token: token, name: publication.name.text, text: publication.text, interfaces: interfaces)
                if outcome != .done { queue += publications[roomID]?.move(at: now) ?? [] }
            }
        }
    }

    // MARK: Reports

    private func emit(_ events: [DiscoveryEvent]) {
        for event in events where !inbox.isStopping { sink(event) }
    }

    private func sayRunning() {
        switch way {
        case .daemon:
            say(.running, "rooms are announced and found through Avahi, as \(session.hostName)")
        case .embedded:
            let why = choice.wantsDaemon ? "there is no Avahi daemon, so " : ""
            say(.running, "\(why)Parlor announces and finds rooms by itself, as \(session.hostName)")
        }
    }

    /// Reports a state, once a change: the words may differ from one attempt to the next.
    private func say(_ word: DiscoveryState.Word, _ detail: String) {
        let names = interfaces.map { $0.compactMap(Interfaces.name) } ?? Interfaces.usable()
        let next = DiscoveryState(
            backend: way == .daemon ? .avahi : .embedded, word: word, detail: detail, interfaces: names,
            isFallingBack: isFallingBack && (word == .noBus || word == .noDaemon))
        if let state, next.word == state.word, next.interfaces == state.interfaces,
            next.backend == state.backend
        {
            return
        }
        state = next
        emit([.state(next)])
    }

    /// Whether the daemon is waited for, and no longer than for a moment.
    private var isFallingBack: Bool { way == .daemon && choice.deadline != nil }

    private func withoutDaemon(_ what: String, _ command: String) -> String {
        isFallingBack
            ? "\(what), so Parlor announces and finds rooms by itself within 10 seconds; joining by address "
                + "works already (parlor join --address HOST:PORT)"
            : "\(what): \(Self.stillWorks). \(command)"
    }

    private var detailWithoutDaemon: String {
        withoutDaemon("the Avahi daemon is not running", "Start it with: sudo systemctl start avahi-daemon")
    }

    private func detail(of failure: AvahiSession.Failure) -> String {
        failure.isDaemonsDoing
            ? withoutDaemon(
                "the Avahi daemon does not answer (\(failure.reason))",
                "Look at it with: systemctl status avahi-daemon")
            : withoutDaemon(
                "no system bus answers at \(Self.busAddress)",
                "Get both with: sudo apt install dbus avahi-daemon")
    }
}

// MARK: - Words for people

extension AvahiEngine {
    private static let stillWorks =
        "rooms are neither announced nor found; joining by address works (parlor join --address HOST:PORT)"

    /// Where libdbus looks for the bus.
    private static var busAddress: String {
        guard let address = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") else {
            return "unix:path=/run/dbus/system_bus_socket"
        }
        return unsafe String(cString: address)
    }
}
