import ParlorDiscovery
import Testing

struct OffBackendTests {
    @Test func `off says off and nothing else`() {
        let recorder = Recorder()
        let off = OffBackend { recorder.add($0) }
        off.publish(record())
        off.update(record())
        off.setInterfaces([1])
        off.markUnreachable(roomID: id(1), hostID: id(1))
        off.resolveAgain(roomID: id(1))
        off.distrust()
        off.withdraw(roomID: id(1))
        off.stop()
        #expect(recorder.words == [.off])
        #expect(recorder.all.count == 1)
    }
}
