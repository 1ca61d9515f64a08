internal import ParlorProtocol

/// Stands between the transport of one connection and its link, and does to the bytes what the
/// ``FaultBook`` says.
final class FaultStream {
    /// What happens to what has got through, and what else the owner does.
    struct Handlers {
        /// Give it to the transport; the end means: close as asked.
        var out: (HeldStream.Part) -> Void
        /// Give it to the link; the end means: the transport has ended.
        var into: (HeldStream.Part) -> Void
        /// Reset the connection.
        var cut: () -> Void
        /// Call ``timePassed()`` at this tick; `nil`: not at all.
        var arm: (Tick?) -> Void
        /// The faults are over: nothing more is asked.
        var closed: () -> Void
    }

    let peer: PeerID
    private let book: FaultBook
    private let clock: () -> Tick
    private var handlers: Handlers?
    /// One for each direction; `nil` while nothing has ever been wrong.
    private var held: [HeldStream?]
    /// When the end goes out though bytes before it are still held.
    private var finishBy: Tick?

    /// Begins on a connection whose peer has just proved its key.
    init(_ book: FaultBook, peer: PeerID, clock: @escaping () -> Tick, handlers: Handlers) {
        self.book = book
        self.peer = peer
        self.clock = clock
        self.handlers = handlers
        held = FaultBook.Direction.allCases.map { direction in
            book.line(peer, direction).map { HeldStream($0) }
        }
        book.add(self)
    }

    /// Whether something that was written has not reached the transport.
    var isHoldingBack: Bool { !(held[FaultBook.Direction.out.rawValue]?.isEmpty ?? true) }

    /// Takes what is to be written.
    func send(_ part: HeldStream.Part) { pass(part, .out) }

    /// Takes what has been read.
    func receive(_ part: HeldStream.Part) { pass(part, .into) }

    /// Takes the wish to close: the end goes out behind what has been sent, or without the rest of it after so
    /// long.
    func finish(within wait: Duration) {
        guard finishBy == nil else { return }
        finishBy = clock() + wait
        send(.end)
    }

    /// Lets through what is due.
    func timePassed() {
        let now = clock()
        if let finishBy, now >= finishBy {
            let out = handlers?.out
            close()
            out?(.end)
            return
        }
        for direction in FaultBook.Direction.allCases {
            deliver(held[direction.rawValue]?.take(at: now) ?? [], direction)
        }
        arm()
    }

    /// Lets go of the connection; what is held is thrown away.
    func close() {
        handlers?.closed()
        handlers = nil
        book.remove(self)
    }

    /// Called by the book: what was held goes on its way, and what comes now suffers the new faults.
    func faultsChanged() {
        guard !book.isCut(peer, at: clock()) else {
            let cut = handlers?.cut
            close()
            cut?()
            return
        }
        for direction in FaultBook.Direction.allCases {
            let line = book.line(peer, direction)
            guard let line else {
                // A connection that has swallowed bytes stays dead.
                deliver(held[direction.rawValue]?.replace(StreamLine(.none, seed: 0)) ?? [], direction)
                continue
            }
            if held[direction.rawValue] == nil {
                held[direction.rawValue] = HeldStream(line)
            } else {
                deliver(held[direction.rawValue]?.replace(line) ?? [], direction)
            }
        }
        arm()
    }

    private func pass(_ part: HeldStream.Part, _ direction: FaultBook.Direction) {
        guard held[direction.rawValue] != nil else { return deliver([part], direction) }
        let now = clock()
        if book.isHalfOpen(peer, direction, at: now) { held[direction.rawValue]?.halfOpen() }
        held[direction.rawValue]?.put(part, at: now)
        deliver(held[direction.rawValue]?.take(at: now) ?? [], direction)
        arm()
    }

    private func deliver(_ parts: [HeldStream.Part], _ direction: FaultBook.Direction) {
        for part in parts {
            switch direction {
            case .out:
                handlers?.out(part)
                if part == .end { close() }
            case .into: handlers?.into(part)
            }
        }
    }

    private func arm() {
        handlers?.arm((held.map { $0?.next } + [finishBy]).compactMap { $0 }.min())
    }
}
