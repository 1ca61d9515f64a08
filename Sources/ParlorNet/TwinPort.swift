/// A TCP port that accepts connections, and the UDP port of the same number beside it.
public struct TwinPort {
    /// How many numbers are tried where the system may choose one: it looks at TCP alone.
    private static let triesMax = 32

    /// Where connections arrive.
    public let listener: TCPListener
    /// Where datagrams arrive.
    public let datagrams: DatagramSocket

    /// The number that both have.
    public var port: UInt16 { listener.port }

    /// Takes both ports, or neither.
    ///
    /// - Parameters:
    ///   - loop: Where they live.
    ///   - address: Where to listen; with port 0 the system chooses one that is free for both.
    ///   - dualStack: Whether `::` takes IPv4 too; peers' addresses are then given as IPv4.
    ///   - datagramBytesMax: Longer datagrams are dropped and counted; see ``DatagramSocket``.
    /// - Throws: ``NetError`` with ``NetError/Code/addressInUse`` when somebody has one of them.
    public init(
        loop: EventLoop, on address: SocketAddress, dualStack: Bool = false,
        datagramBytesMax: Int = DatagramSocket.bytesMax
    ) throws(NetError) {
        // Listeners whose twin is taken stay until the search ends, so that the system names another number.
        var lonely: [TCPListener] = []
        defer { for listener in lonely { listener.close() } }
        while true {
            let listener = try TCPListener(loop: loop, on: address, dualStack: dualStack)
            do throws(NetError) {
                datagrams = try DatagramSocket(
                    loop: loop, on: listener.address, dualStack: dualStack, datagramBytesMax: datagramBytesMax
                )
                self.listener = listener
                return
            } catch {
                lonely.append(listener)
                let mayTryAnother =
                    error.code == .addressInUse && address.port == 0 && lonely.count < Self.triesMax
                guard mayTryAnother else { throw error }
            }
        }
    }

    /// Lets go of both ports; connections already accepted live on.
    public func close() {
        listener.close()
        datagrams.close()
    }
}
