internal import ParlorControl
internal import ParlorNet
internal import ParlorProtocol

// What programs say to each other: `channel.send` and `channel.stats`.

extension ControlMethods {
    /// Sends a program's message to members of a room: to all of those meant, or to none.
    func sendMessage(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        let params = try request.params(as: ChannelSendParams.self)
        let room = try room(params.room)
        guard room.role != .watcher else {
            throw RPCError(.notAllowed, "You watch in \(room.state.name); only players send messages there.")
        }
        guard let data = Base64.decode(params.data) else {
            throw RPCError(.badParams, "'data' must be base64, filled up with '='.")
        }
        let receivers = try receivers(params.to, room)
        switch params.mode {
        case .reliable:
            guard params.key == nil, params.ttlMs == nil else {
                throw RPCError(.badParams, "'key' and 'ttl_ms' are for unreliable messages.")
            }
            for peer in receivers { try check(data.count, peer, room) }
            let lane: Lane = params.lane == .game ? .game : .bulk
            let queued = receivers.map { room.channels.send(data, on: lane, to: $0) }
            answer(.success(JSON(encoding: QueuedInfo(queuedBytes: queued.max() ?? 0))))
        case .unreliable:
            let (key, milliseconds) = try fate(params)
            guard data.count <= Limits.unreliableUserBytesMax else {
                throw tooLarge(data.count, Limits.unreliableUserBytesMax, "An unreliable message")
            }
            for peer in receivers {
                room.channels.sendUnreliable(data, key: key, milliseconds: milliseconds, to: peer)
            }
            answer(.success(JSON(encoding: QueuedInfo(queuedBytes: 0))))
        }
    }

    /// The members that are meant: those named, each once, or all others.
    private func receivers(_ named: [String]?, _ room: Room) throws(RPCError) -> [PeerID] {
        let others = room.state.people.compactMap { $0?.peer }.filter { $0 != room.me }
        guard let named else { return others }
        guard !named.isEmpty else {
            throw RPCError(.badParams, "'to' names nobody; without it the message goes to all others.")
        }
        var meant: [PeerID] = []
        for text in named {
            guard let peer = PeerID(hex: text), others.contains(peer) else {
                throw RPCError(.notFound, "Nobody else in \(room.state.name) is the peer '\(text)'.")
            }
            if !meant.contains(peer) { meant.append(peer) }
        }
        return meant
    }

    private func check(_ count: Int, _ peer: PeerID, _ room: Room) throws(RPCError) {
        do throws(ChannelOrder.Refusal) {
            try room.channels.check(count, to: peer)
        } catch {
            switch error {
            case .messageTooLarge: throw tooLarge(count, Limits.channelBytesMax, "A reliable message")
            case .queueFull:
                throw RPCError(
                    .queueFull,
                    "\(book.nameOf(peer)) has not taken what was sent before: with this message more than "
                        + "\(Limits.channelHeldBytesMax) bytes would wait. Try again when it has.")
            }
        }
    }

    private func tooLarge(_ count: Int, _ most: Int, _ what: String) -> RPCError {
        RPCError(.messageTooLarge, "\(what) has at most \(most) bytes; this one has \(count).")
    }

    /// What an unreliable message is about, and how long it is worth sending.
    private func fate(_ params: ChannelSendParams) throws(RPCError) -> (key: UInt32?, milliseconds: Int) {
        guard params.lane == nil else {
            throw RPCError(.badParams, "'lane' is for reliable messages.")
        }
        let key = params.key.map { UInt32(exactly: $0) }
        if let key, key == nil {
            throw RPCError(.badParams, "'key' must be between 0 and \(UInt32.max).")
        }
        let milliseconds = params.ttlMs ?? Limits.channelTimeToLiveMilliseconds
        guard (1...Limits.channelTimeToLiveMillisecondsMax).contains(milliseconds) else {
            throw RPCError(
                .badParams, "'ttl_ms' must be between 1 and \(Limits.channelTimeToLiveMillisecondsMax).")
        }
        return (key ?? nil, milliseconds)
    }

    /// What has gone through every link.
    var channelStats: ChannelStatsInfo {
        ChannelStatsInfo(
            links: book.hub.peers.map { peer, link in
                let statistics = link.statistics
                let trips = statistics.roundTrips
                return ChannelLinkInfo(
                    peer: PlayerInfo(id: "\(peer)", name: book.nameOf(peer)),
                    rttMs: RttInfo(p50: trips?.median.milliseconds ?? 0, p99: trips?.p99.milliseconds ?? 0),
                    lanes: Lane.allCases.map { LaneInfo($0, statistics.lanes[$0]) },
                    unreliable: UnreliableInfo(link.unreliable))
            })
    }
}

extension LaneInfo {
    /// What has gone through one lane.
    init(_ lane: Lane, _ counters: LinkStatistics.Lane) {
        self.init(
            lane: "\(lane)", sent: Int(clamping: counters.sentMessages),
            received: Int(clamping: counters.receivedMessages), queued: counters.queuedMessages,
            sentBytes: Int(clamping: counters.sentBytes),
            receivedBytes: Int(clamping: counters.receivedBytes),
            queuedBytes: counters.queuedBytes, unacknowledgedBytes: counters.unacknowledgedBytes)
    }
}

extension UnreliableInfo {
    /// What has gone through an unreliable channel.
    init(_ counters: UnreliableStatistics) {
        self.init(
            sent: Int(clamping: counters.sentMessages), received: Int(clamping: counters.receivedMessages),
            dropped: Int(clamping: counters.dropped.whileSending + counters.dropped.whileReceiving),
            queued: counters.queuedMessages)
    }
}
