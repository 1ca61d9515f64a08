import CUv

/// Where any thread leaves work for an ``EventLoop``.
@safe public final class Mailbox: Sendable {
    @safe private struct State: @unchecked Sendable {
        var bodies: [@Sendable () -> Void] = []
        var isWoken = false
        /// `nil` once the loop is closed.
        var async: UnsafeMutablePointer<uv_async_t>?
    }

    private let state: Locked<State>

    @safe init(_ async: UnsafeMutablePointer<uv_async_t>) {
        unsafe state = Locked(State(async: async))
    }

    /// Has `body` called on the loop's thread, soon, in the order of posting; from any thread.
    ///
    /// Never calls from inside this call. Once the loop is closed, `body` is dropped.
    public func post(_ body: @escaping @Sendable () -> Void) {
        state.withLock { state in
            guard let async = unsafe state.async else { return }
            state.bodies.append(body)
            guard !state.isWoken else { return }
            state.isWoken = true
            unsafe uv_async_send(async)
        }
    }

    /// Makes the loop go round once more instead of waiting.
    func wake() {
        state.withLock { state in
            if let async = unsafe state.async { unsafe uv_async_send(async) }
        }
    }

    /// Runs what has been posted so far; what these bodies post comes next time.
    func deliver() {
        let bodies = state.withLock { state in
            let bodies = state.bodies
            state.bodies = []
            state.isWoken = false
            return bodies
        }
        for body in bodies { body() }
    }

    func close() {
        state.withLock { state in
            if let async = unsafe state.async { HandleLife.discard(async) }
            unsafe state = State(async: nil)
        }
    }
}
