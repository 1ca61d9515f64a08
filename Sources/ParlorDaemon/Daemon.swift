internal import Glibc
internal import ParlorControl
internal import ParlorCrypto
internal import ParlorDiscovery
internal import ParlorGames
internal import ParlorNet
internal import ParlorProtocol
internal import ParlorStore

/// One running peer: puts the parts together, and takes them apart in order.
final class Daemon {
    static let version = ParlorVersion.current
    /// The ports that are tried, in order, when none is named.
    static let ports: ClosedRange<UInt16> = 27_720...27_735
    /// How long closing may take.
    static let stopWait = Duration.seconds(3)
    /// How often it is looked whether everything is closed.
    static let quietInterval = Duration.milliseconds(5)
    /// How long a daemon started on demand stays without anything to do.
    static let idleWait = Duration.seconds(600)
    /// How often it is looked whether the home is still there.
    static let homeInterval = Duration.seconds(1)
    /// How long requests about rooms wait, from the start, for the store and for the rooms from before.
    static let settleWait = Duration.seconds(10)

    let loop: EventLoop
    let journal = EventJournal(unixTime: Calendar.unixMilliseconds)
    let book: RoomBook
    private let archive: MatchArchive
    /// What `fault.set` has asked for; `nil` unless started with `--faults`.
    let faults: FaultBook?
    private let hub: LinkHub
    private let discovery: DiscoveryService
    private let plan: DaemonPlan
    private let control: ControlServer
    private let naming: NameCell
    private let startedAt: UInt64
    private var lookers: [RoomLooker] = []
    private var isStopping = false
    private var idleTimer: LoopTimer?
    private var stopTimer: LoopTimer?
    /// What waits for the rooms from before the start; `nil` once they have been looked up.
    private var unsettled: [() -> Void]? = []
    private var settleTimer: LoopTimer?
    private var homeTimer: LoopTimer?

    /// Listens on all that is to be listened on.
    ///
    /// - Throws: ``StartFailure`` with the exit status.
    init(_ plan: DaemonPlan) throws(StartFailure) {
        self.plan = plan
        faults = plan.allowsFaults ? FaultBook() : nil
        do throws(NetError) {
            loop = try EventLoop()
            startedAt = loop.now
            let naming = NameCell(plan.name)
            self.naming = naming
            hub = try LinkHub(
                loop: loop, seed: plan.seed, software: Self.version, name: { naming.name },
                games: Catalog.declarations.map { Hello.Game(id: $0.id, rules: $0.rules) })
            hub.faults = faults
            discovery = DiscoveryService(loop: loop, journal: journal)
            archive = MatchArchive(loop: loop, journal: journal)
            let words = WordLibrary(folder: plan.home.words) { plan.wordFile }
            book = RoomBook(
                loop: loop, hub: hub, discovery: discovery, journal: journal, archive: archive, words: words,
                seed: plan.seed, name: { naming.name })
        } catch {
            throw StartFailure(1, error.sentence)
        }
        let file = RoomsFile(path: "\(plan.home.state)/\(RoomsFile.name)") { text in Log.say(text) }
        book.disk = RoomsOnDisk(file)
        // Whoever reaches the control socket may count on a daemon that has come up.
        try Self.listen(plan, hub)
        do throws(NetError) {
            control = try ControlServer(loop: loop, path: plan.home.controlSocket, journal: journal)
        } catch {
            throw StartFailure(1, error.sentence)
        }
    }

    /// Whether a client of the control socket other than this one stays in a room.
    func isShared(_ room: String, besides client: ControlClient) -> Bool {
        control.isShared(room, besides: client)
    }
    /// The monotonic clock.
    var now: Tick { Tick(nanoseconds: loop.now) }
    /// Seconds since the start.
    var uptimeSeconds: Double { Self.seconds(from: startedAt, to: loop.now) }
    /// Seconds between two moments in nanoseconds; 0 where the clock has gone back, as after some suspends.
    static func seconds(from start: UInt64, to end: UInt64) -> Double {
        end > start ? (Double(end - start) / 1_000_000).rounded() / 1_000 : 0
    }
    /// Who this peer is.
    var profile: PlayerInfo { PlayerInfo(id: "\(book.me)", name: naming.name) }
    /// Unpredictable bytes.
    func entropy(_ count: Int) -> [UInt8] { Entropy.bytes(count) }

    /// Where this peer can be reached, as `HOST:PORT`; for a wildcard, the addresses of all interfaces.
    var addresses: [String] { hub.ownAddresses.map(\.description) }

    // MARK: Starting

    private static func listen(_ plan: DaemonPlan, _ hub: LinkHub) throws(StartFailure) {
        let named = plan.listen.compactMap(\.port).first ?? plan.port
        let tries = named.map { [UInt16($0)] } ?? Array(ports) + [0]
        var failure: NetError?
        for port in tries {
            do throws(NetError) {
                try listen(port, plan, hub)
                return
            } catch {
                hub.stopListening()
                failure = error
                if error.code != .addressInUse { break }
            }
        }
        throw StartFailure(
            failure?.code == .addressInUse ? 4 : 1,
            "\(failure?.sentence ?? "cannot listen"); name another port with --listen ADDR:PORT")
    }

    private static func listen(_ port: UInt16, _ plan: DaemonPlan, _ hub: LinkHub) throws(NetError) {
        guard !plan.listen.isEmpty else {
            do throws(NetError) {
                return try hub.listen(on: .any(port: port), dualStack: true)
            } catch {
                if error.code == .addressInUse { throw error }
                return try hub.listen(on: .anyIPv4(port: port), dualStack: false)  // a system without IPv6
            }
        }
        for (index, wanted) in plan.listen.enumerated() {
            guard var address = SocketAddress(wanted.host) else {
                throw NetError(code: .badAddress, sentence: "'\(wanted)' is no address")
            }
            address.port = index == 0 ? port : hub.port
            try hub.listen(on: address, dualStack: false)
        }
    }

    /// The interfaces that own an address that is listened on; `nil` for all.
    private var interfaces: [UInt32]? {
        guard !hub.addresses.contains(where: \.isWildcard) else { return nil }
        let hosts = hub.addresses.map(\.bytes)
        return ((try? Interfaces.list()) ?? [])
            .filter { interface in
                interface.addresses.contains { hosts.contains($0.address.bytes) }
                    || interface.isLoopback && hub.addresses.contains(where: \.isLoopback)
            }
            .map(\.index)
    }

    /// Answers clients, announces and browses, and runs until told to stop.
    func run() throws(StartFailure) {
        let methods = ControlMethods(self)
        control.handle = { request, client, answer in methods.handle(request, client, answer) }
        control.changed = { [weak self] in self?.armIdleTimer() }
        discovery.describe = { methods.row($0) }
        discovery.changed = { [weak self] in self?.lookAgain() }
        book.findRooms()
        book.records.read = { match, done in
            methods.stored.read(match) { done(try? $0.get()) }
        }
        archive.looked = { [weak self] in
            self?.book.reenter()
            self?.book.records.load()
            self?.book.turns.load()
            self?.settle()
        }
        settleTimer = loop.timer { [weak self] in self?.settle() }
        settleTimer?.set(at: (now + Self.settleWait).nanoseconds)
        archive.open("\(plan.home.data)/\(MatchStore.name)")
        startDiscovery()
        do throws(NetError) {
            for signal in [SIGTERM, SIGINT, SIGQUIT] {
                try loop.onSignal(signal) { [weak self] in self?.stop() }
            }
            try loop.onSignal(SIGHUP) { [weak self] in self?.reload() }
        } catch {
            throw StartFailure(1, error.sentence)
        }
        let endpoints = Endpoints(
            pid: Int(getpid()), peer: "\(book.me)", tcpPort: Int(hub.port), udpPort: Int(hub.port),
            addresses: addresses, socket: plan.home.controlSocket)
        do throws(HomeError) { try endpoints.write(to: plan.home.endpointsFile) } catch {
            throw StartFailure(1, error.message)
        }
        Log.say(
            "\(profile.name) (\(profile.id.prefix(8))) listens on "
                + hub.addresses.map(\.description).joined(separator: ", ")
        )
        armIdleTimer()
        watchHome()
        loop.run()
        book.records.close()
        book.turns.close()
        archive.close()
        if Endpoints.read(from: plan.home.endpointsFile)?.pid == Int(getpid()) {
            unsafe unlink(plan.home.endpointsFile)
        }
        loop.close()
    }

    private func startDiscovery() {
        let interfaces = interfaces
        let mode: AvahiBackend.Mode? =
            switch plan.discovery {
            case .auto: .automatic
            case .avahi: .daemon
            case .embedded: .embedded
            case .off: nil
            }
        discovery.start { events in
            if let mode, let avahi = AvahiBackend(mode: mode, interfaces: interfaces, events: events) {
                return avahi
            }
            return OffBackend(events: events)
        }
    }

    private func reload() {
        let (settings, problems) = plan.readSettings()
        for problem in problems { Log.say(problem) }
        if plan.isNameFixed { return Log.say("settings read again; the name stays as --name says") }
        if let name = settings.name, let clean = try? PlayerName(name) { naming.name = clean.text }
        Log.say("settings read again: the name is \(naming.name); the others hold from the next start")
    }

    /// Changes the player's name, also for the next start.
    func setName(_ name: String) throws(RPCError) {
        naming.name = name
        do throws(StoreError) {
            try AtomicFile.write(Array("\(name)\n".utf8), to: plan.nameFile)
        } catch {
            throw RPCError(
                .notAllowed, "The name holds until the daemon stops; it could not be kept: \(error.message)")
        }
    }

    // MARK: Waiting for rooms

    /// Calls `done` once the rooms that this daemon was in when it ended have been looked up: at once but for
    /// the first moments, and at the latest ``settleWait`` after the start.
    func whenSettled(_ done: @escaping () -> Void) {
        if unsettled == nil { done() } else { unsettled?.append(done) }
    }

    private func settle() {
        settleTimer?.close()
        settleTimer = nil
        let waiting = unsettled ?? []
        unsettled = nil
        for done in waiting { done() }
    }

    /// Calls `done` once `isEnough` says so, or after so many milliseconds.
    func waitForRooms(milliseconds: Int, until isEnough: @escaping () -> Bool, done: @escaping () -> Void) {
        guard milliseconds > 0, !isEnough() else { return done() }
        let looker = RoomLooker(isEnough: isEnough, done: done)
        looker.timer = loop.timer { [weak self, weak looker] in
            guard let self, let looker else { return }
            finish(looker)
        }
        looker.timer?.set(at: (now + .milliseconds(milliseconds)).nanoseconds)
        lookers.append(looker)
    }

    private func lookAgain() {
        for looker in lookers where looker.isEnough() { finish(looker) }
    }

    private func finish(_ looker: RoomLooker) {
        lookers.removeAll { $0 === looker }
        looker.timer?.close()
        looker.done()
    }

    // MARK: Stopping

    /// Ends the daemon once nobody can reach it any more: its control socket is gone, with its home as a
    /// rule, or another has taken the place.
    private func watchHome() {
        let socket = plan.home.controlSocket
        guard let mine = FileMark(socket) else { return }
        homeTimer = loop.timer { [weak self] in
            guard let self, !isStopping else { return }
            guard FileMark(socket) == mine else {
                Log.say(
                    "\(socket) is gone, so that nobody can reach this daemon and nothing is kept: it ends")
                return stop()
            }
            homeTimer?.set(at: (now + Self.homeInterval).nanoseconds)
        }
        homeTimer?.set(at: (now + Self.homeInterval).nanoseconds)
    }

    private func armIdleTimer() {
        guard plan.isOnDemand, !isStopping else { return }
        if idleTimer == nil { idleTimer = loop.timer { [weak self] in self?.idleTimePassed() } }
        idleTimer?.set(at: (now + Self.idleWait).nanoseconds)
    }

    private func idleTimePassed() {
        if control.clientCount == 0, book.rooms.isEmpty, book.reentries.isEmpty, book.turns.isIdle {
            stop()
        } else {
            armIdleTimer()
        }
    }

    /// Tells peers, withdraws, flushes, and lets ``run()`` return.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        Log.say("stopping")
        discovery.stop()
        book.shutDown()
        control.stop(flushingFor: 500_000_000)
        let deadline = now + Self.stopWait
        stopTimer = loop.timer { [weak self] in self?.stopWhenQuiet(until: deadline) }
        stopWhenQuiet(until: deadline)
    }

    private func stopWhenQuiet(until deadline: Tick) {
        let isQuiet = hub.isQuiet && control.clientCount == 0
        guard isQuiet || now >= deadline else {
            stopTimer?.set(at: (now + Self.quietInterval).nanoseconds)
            return
        }
        loop.stop()
    }
}

/// Which file is at a path.
private struct FileMark: Equatable {
    let device: dev_t
    let number: ino_t

    /// Looks; `nil` when nothing is there.
    init?(_ path: String) {
        var found = stat()
        guard unsafe lstat(path, &found) == 0 else { return nil }
        (device, number) = (found.st_dev, found.st_ino)
    }
}

/// Somebody who waits for rooms to be found.
private final class RoomLooker {
    let isEnough: () -> Bool
    let done: () -> Void
    var timer: LoopTimer?

    init(isEnough: @escaping () -> Bool, done: @escaping () -> Void) {
        self.isEnough = isEnough
        self.done = done
    }
}

/// The player's name, where all who need it look.
private final class NameCell {
    var name: String

    init(_ name: String) { self.name = name }
}
