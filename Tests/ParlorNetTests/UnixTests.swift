import Foundation
import ParlorNet
import Testing

@Suite struct UnixTests {
    @Test func `an echo over a private socket, with the peer's user`() throws {
        try withFolder { folder in
            let path = folder + "/socket"
            try withLoop { loop in
                let listener = try UnixListener(loop: loop, path: path)
                let mode =
                    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
                #expect(mode?.intValue == 0o600)
                var uids: [UInt32?] = []
                listener.onAccept = { stream in
                    uids.append(stream.peerUID)
                    stream.onBytes = { stream.send($0) }
                }
                let witness = Witness()
                try UnixStream.connect(loop: loop, path: path) { result in
                    guard let stream = try? result.get() else { return loop.stop() }
                    uids.append(stream.peerUID)
                    witness.watch(stream)
                    stream.onBytes = {
                        witness.bytes += $0
                        loop.stop()
                    }
                    stream.send([5, 6, 7])
                }
                loop.runUntilStopped()
                #expect(witness.bytes == [5, 6, 7])
                #expect(uids == [getuid(), getuid()])
                listener.close()
            }
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test func `a path longer than the system's limit is refused before anything is made`() throws {
        try withFolder { folder in
            try withLoop { loop in
                let name = String(repeating: "x", count: UnixListener.pathBytesMax - folder.utf8.count - 1)
                let fits = "\(folder)/\(name)"
                let listener = try UnixListener(loop: loop, path: fits)
                listener.close()
                let error = #expect(throws: NetError.self) { try UnixListener(loop: loop, path: fits + "x") }
                #expect(error?.code == .pathTooLong)
                #expect(!FileManager.default.fileExists(atPath: fits + "x"))
                let other = #expect(throws: NetError.self) {
                    try UnixStream.connect(loop: loop, path: fits + "x") { _ in }
                }
                #expect(other?.code == .pathTooLong)
            }
        }
    }

    @Test func `a file that is there already is in use, and nobody there is told apart`() throws {
        try withFolder { folder in
            try withLoop { loop in
                let path = folder + "/socket"
                try Data().write(to: URL(fileURLWithPath: path))
                let error = #expect(throws: NetError.self) { try UnixListener(loop: loop, path: path) }
                #expect(error?.code == .addressInUse)
                #expect(FileManager.default.fileExists(atPath: path))
                var codes: [NetError.Code] = []
                for path in [path, folder + "/none"] {
                    try UnixStream.connect(loop: loop, path: path) { result in
                        if case .failure(let error) = result { codes.append(error.code) }
                        if codes.count == 2 { loop.stop() }
                    }
                }
                loop.runUntilStopped()
                #expect(Set(codes) == [.refused, .noSuchPath])
            }
        }
    }
}
