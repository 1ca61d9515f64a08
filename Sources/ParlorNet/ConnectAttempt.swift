import CUv

/// A connection being made; given to whoever asked for it, to change their mind.
@safe public final class ConnectAttempt {
    private let stream: SocketStream
    private let goal: String
    private var completion: ((NetError?) -> Void)?

    /// The completion gets `nil` once the stream is connected, or the reason why it never will be.
    init(_ stream: SocketStream, goal: String, completion: @escaping (NetError?) -> Void) {
        self.stream = stream
        self.goal = goal
        self.completion = completion
    }

    /// Gives up: the completion is not called any more, if it has not been already.
    public func cancel() {
        stream.loop.preconditionOnLoop()
        guard completion != nil else { return }
        completion = nil
        stream.finish(.closedHere)
    }

    /// Calls the connecting function with a request whose callback is ``parlorNetConnected(_:_:)``.
    ///
    /// It returns a status; when that is not 0 the callback will not come.
    @safe func start(_ connect: (UnsafeMutablePointer<uv_connect_t>) -> Int32) {
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        unsafe request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        let status = unsafe connect(request)
        guard status != 0 else { return }
        unsafe Unmanaged<ConnectAttempt>.fromOpaque(request.pointee.data).release()
        unsafe request.deallocate()
        stream.loop.atTurnEnd { [self] in ended(status) }
    }

    fileprivate func ended(_ status: Int32) {
        guard let completion else { return }
        self.completion = nil
        if status == 0 {
            stream.opened()
            completion(nil)
        } else {
            stream.finish(.closedHere)
            // A loop that is being closed ends its attempts; that is nobody's news.
            if status != UV_ECANCELED.rawValue {
                completion(NetError(status: status, attempt: "cannot connect to \(goal)"))
            }
        }
    }
}

/// Called by libuv once for each request that was begun, before the stream's close callback.
@c func parlorNetConnected(_ request: UnsafeMutablePointer<uv_connect_t>?, _ status: Int32) {
    guard let request = unsafe request else { return }
    let data = unsafe request.pointee.data
    unsafe request.deallocate()
    guard let data = unsafe data else { return }
    unsafe Unmanaged<ConnectAttempt>.fromOpaque(data).takeRetainedValue().ended(status)
}
