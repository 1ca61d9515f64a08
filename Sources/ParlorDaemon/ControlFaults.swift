internal import ParlorControl
internal import ParlorProtocol

extension ControlMethods {
    /// `fault.set`: from now on, these faults and no others.
    func setFaults(_ request: RPCRequest, _ answer: Answer) throws(RPCError) {
        guard let faults = daemon.faults else {
            throw RPCError(
                .notAllowed, "Connections can be disturbed only in a daemon started with --faults.")
        }
        let params = try request.params(as: FaultParams.self)
        let unknown = request.params.members?.first { !FaultParams.members.contains($0.key) }
        if let unknown {
            throw RPCError(
                .badParams,
                "There is no fault '\(unknown.key)'; there are "
                    + "\(FaultParams.members.joined(separator: ", "))."
            )
        }
        var peer: PeerID?
        if let text = params.peer {
            peer = PeerID(hex: text)
            if peer == nil { throw RPCError(.badParams, "'peer' takes the 64 digits of a peer's ID.") }
        }
        faults.set(try FaultBook.Fault(params), for: peer, at: daemon.now)
        answer(.success([:]))
    }
}

extension FaultBook.Fault {
    /// Reads what a client asks for.
    ///
    /// - Throws: `bad-params` with what is possible.
    init(_ params: FaultParams) throws(RPCError) {
        conditions = NetworkConditions(
            delay: try Self.duration("delay_ms", params.delayMs),
            jitter: try Self.duration("jitter_ms", params.jitterMs),
            loss: try Self.part("loss", params.loss), duplicate: try Self.part("duplicate", params.duplicate),
            reorder: try Self.part("reorder", params.reorder))
        if let rate = params.rate {
            guard rate >= 0 else {
                throw RPCError(.badParams, "'rate' takes bytes a second, or 0 for any number.")
            }
            conditions.bytesPerSecond = rate == 0 ? nil : rate
        }
        switch params.direction ?? .both {
        case .in: directions = [.into]
        case .out: directions = [.out]
        case .both: directions = Set(FaultBook.Direction.allCases)
        }
        stall = try Self.duration("stall_ms", params.stallMs.map(Double.init))
        cut = try Self.duration("cut_ms", params.cutMs.map(Double.init))
        halfOpen = try Self.duration("half_open_ms", params.halfOpenMs.map(Double.init))
        seed = UInt64(bitPattern: Int64(params.seed ?? 0))
    }

    private static func part(_ name: String, _ value: Double?) throws(RPCError) -> Double {
        guard let value else { return 0 }
        guard (0...1).contains(value) else {
            throw RPCError(.badParams, "'\(name)' takes a part from 0 to 1.")
        }
        return value
    }

    private static func duration(_ name: String, _ milliseconds: Double?) throws(RPCError) -> Duration {
        guard let milliseconds else { return .zero }
        let most = FaultBook.durationMax.nanoseconds / 1_000_000
        guard milliseconds >= 0, milliseconds <= Double(most) else {
            throw RPCError(.badParams, "'\(name)' takes milliseconds from 0 to \(most).")
        }
        return .microseconds(Int64(milliseconds * 1_000))
    }
}
