import Foundation
import ParlorNet
import Testing

@Suite struct ChildProcessTests {
    /// Makes a program of a shell script.
    ///
    /// Another process writes it: what this one opens for writing a test beside this one may take along into
    /// a child, and what is open for writing cannot be run (ETXTBSY).
    private func program(_ text: String, in folder: String) throws -> String {
        let (script, path) = (folder + "/script", folder + "/program")
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        let copying = try Process.run(
            URL(fileURLWithPath: "/usr/bin/install"), arguments: ["-m", "700", script, path])
        copying.waitUntilExit()
        try #require(copying.terminationStatus == 0)
        return path
    }

    @Test func `a program reads what is sent and is heard, and its end is told`() throws {
        try withFolder { folder in
            let path = try program("#!/bin/sh\nread line\necho \"<$line>\"\n", in: folder)
            try withLoop { loop in
                let child = try ChildProcess(loop: loop, path: path)
                #expect(child.pid > 0)
                var said: [UInt8] = []
                child.onBytes = { said += $0 }
                child.onExit = { loop.stop() }
                child.send(Array("hello\n".utf8))
                loop.runUntilStopped()
                #expect(String(decoding: said, as: UTF8.self) == "<hello>\n")
                child.stop()
            }
        }
    }

    @Test func `a program that is not there is a failure at once`() throws {
        try withLoop { loop in
            let error = #expect(throws: NetError.self) {
                try ChildProcess(loop: loop, path: "/nowhere/at-all")
            }
            #expect(error?.code == .noSuchPath)
        }
    }

    @Test func `a program that does not want to end is killed`() throws {
        try withFolder { folder in
            let path = try program(
                "#!/bin/sh\ntrap '' TERM\necho ready\nwhile :; do sleep 0.1; done\n", in: folder)
            try withLoop { loop in
                let child = try ChildProcess(loop: loop, path: path)
                let pid = child.pid
                child.onBytes = { _ in loop.stop() }
                loop.runUntilStopped()
                child.stop()
                let timer = loop.timer { loop.stop() }
                for _ in 0..<100 where kill(pid, 0) == 0 {
                    timer.set(at: loop.now + 100_000_000)
                    loop.runUntilStopped()
                }
                #expect(kill(pid, 0) != 0)
            }
        }
    }

    @Test(arguments: [true, false])
    func `what a program has started ends with it`(isStopped: Bool) throws {
        try withFolder { folder in
            let path = try program(
                "#!/bin/sh\n(trap '' TERM; exec sleep 600) </dev/null >/dev/null 2>&1 &\n"
                    + "echo $!\nread line\n",
                in: folder)
            try withLoop { loop in
                let child = try ChildProcess(loop: loop, path: path)
                var said: [UInt8] = []
                child.onBytes = {
                    said += $0
                    loop.stop()
                }
                loop.runUntilStopped()
                let text = String(decoding: said, as: UTF8.self).trimmingCharacters(in: .newlines)
                let grandchild = try #require(Int32(text))
                #expect(kill(grandchild, 0) == 0)
                if isStopped { child.stop() } else { child.send(Array("end\n".utf8)) }
                let timer = loop.timer { loop.stop() }
                for _ in 0..<100 where isRunning(grandchild) {
                    timer.set(at: loop.now + 100_000_000)
                    loop.runUntilStopped()
                }
                #expect(!isRunning(grandchild))
                kill(grandchild, SIGKILL)
            }
        }
    }

    /// Whether a process is there and has not ended; one that nobody has waited for is there still.
    private func isRunning(_ pid: Int32) -> Bool {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8) else {
            return false
        }
        return stat.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    @Test func `a program ends with its loop`() throws {
        try withFolder { folder in
            let path = try program("#!/bin/sh\necho ready\nread line\nsleep 60\n", in: folder)
            var pid: Int32 = 0
            try withLoop { loop in
                let child = try ChildProcess(loop: loop, path: path)
                pid = child.pid
                child.onBytes = { _ in loop.stop() }
                loop.runUntilStopped()
            }
            var status: Int32 = 0
            #expect(waitpid(pid, &status, 0) == pid)
        }
    }
}
