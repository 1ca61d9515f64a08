import CUv
import Glibc

/// One question to the system's resolver.
@safe final class Lookup {
    private let host: String
    private let port: UInt16
    private let request: UnsafeMutablePointer<uv_getaddrinfo_t>
    private let completion: (Lookup, Result<[SocketAddress], NetError>) -> Void

    /// The completion is called exactly once after ``start(on:)``, never from inside it.
    init(
        host: String, port: UInt16, completion: @escaping (Lookup, Result<[SocketAddress], NetError>) -> Void
    ) {
        self.host = host
        self.port = port
        self.completion = completion
        unsafe request = .allocate(capacity: 1)
    }

    deinit { unsafe request.deallocate() }

    func start(on loop: EventLoop) {
        unsafe request.pointee.data = Unmanaged.passRetained(self).toOpaque()
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let status = unsafe uv_getaddrinfo(loop.raw, request, parlorNetLookupEnded, host, nil, &hints)
        guard status != 0 else { return }
        unsafe Unmanaged<Lookup>.fromOpaque(request.pointee.data).release()
        loop.atTurnEnd { [self] in end(status, nil) }
    }

    /// Asks libuv to give up; it still answers, at the latest when the resolver does.
    func cancel() {
        unsafe request.withMemoryRebound(to: uv_req_t.self, capacity: 1) { _ = unsafe uv_cancel($0) }
    }

    @safe fileprivate func end(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        defer { unsafe uv_freeaddrinfo(list) }
        guard status == 0 else {
            completion(self, .failure(NetError(status: status, attempt: "cannot look up \(host)")))
            return
        }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let system = unsafe entry.pointee.ai_addr, var address = SocketAddress(system) {
                address.port = port
                if !addresses.contains(address) { addresses.append(address) }
            }
            unsafe next = entry.pointee.ai_next
        }
        completion(self, .success(addresses))
    }
}

/// Called by libuv on the loop's thread, exactly once for each look-up that started.
@c func parlorNetLookupEnded(
    _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, _ status: Int32,
    _ list: UnsafeMutablePointer<addrinfo>?
) {
    guard let data = unsafe request?.pointee.data else { return }
    unsafe Unmanaged<Lookup>.fromOpaque(data).takeRetainedValue().end(status, list)
}
