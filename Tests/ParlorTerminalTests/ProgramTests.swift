import Foundation
import ParlorControl
import Testing

/// The built `parlor` against a stand-in daemon.
@Suite(.serialized) struct ProgramTests {
    private func withHouse(_ body: (FakeHouse) throws -> Void) throws {
        let house = try FakeHouse()
        defer { house.close() }
        try body(house)
    }

    @Test func `a room is hosted, listed, spoken in and left`() throws {
        try withHouse { house in
            let host = try house.run("host", "hangman", "--name", "Kitchen")
            #expect(host.code == 0)
            #expect(
                host.errors == "This is no terminal to play on: the daemon keeps your seat. "
                    + "Go on with parlor view, parlor act and parlor leave.\n")
            #expect(
                host.output == """
                    Kitchen: hangman, hosted by you, waiting to start
                      Seat 1  mia (you)  host
                      Seat 2  (open)
                      Others get in with: parlor join --address 127.0.0.1:27720

                    """)
            #expect(
                try house.run("list").output == """
                    NAME   GAME     SEATS  STATE  HOST  NOTE
                    Attic  hangman  1/2    open   Tom

                    """)
            #expect(try house.run("say", "come", "in").code == 0)
            #expect(try house.run("ready").output == "You are ready in Kitchen.\n")
            #expect(try house.run("lock", "--room", "kit").output == "Kitchen is locked.\n")
            #expect(try house.run("kick", "tom").output == "Tom is out of Kitchen.\n")
            #expect(try house.run("kick", "2").code == 5)
            #expect(try house.run("lock", "--room", "Attic").code == 5)
            #expect(try house.run("leave").output == "You left.\n")
            #expect(try house.run("leave").code == 1)
        }
    }

    @Test func `with --json the result is the daemon's and nothing else`() throws {
        try withHouse { house in
            let host = try house.run("host", "hangman", "--json")
            let room = try JSON(parsing: host.output).decode(RoomInfo.self)
            #expect(room.mySeat == 0 && host.errors == "")
            let status = try house.run("--json", "status")
            #expect(try JSON(parsing: status.output).decode(StatusInfo.self).rooms == [room])
            #expect(try JSON(parsing: try house.run("rpc", "room.get").output).decode(RoomInfo.self) == room)
            let list = try house.run("list", "--game", "snap", "--json")
            #expect(
                list.output == "{\"searching\":true,\"rooms\":[]}\n" && list.code == 0 && list.errors == "")
        }
    }

    @Test func `errors are one line, with --json also an object`() throws {
        try withHouse { house in
            let plain = try house.run("join", "Nowhere")
            #expect(plain.code == 5 && plain.output == "")
            #expect(
                plain.errors == "parlor: There is no room Nowhere near. See what is near: parlor list --all\n"
            )
            let json = try house.run("join", "Nowhere", "--json")
            let error = try JSON(parsing: json.output)["error"]
            #expect(error?["code"] == -32002 && error?["reason"] == "no-such-room")
            #expect(json.errors.split(separator: "\n").count == 1)
            let usage = try house.run("kick", "--json")
            #expect(usage.code == 2)
            #expect(try JSON(parsing: usage.output)["error"]?["code"] == 0)
            #expect(try JSON(parsing: usage.output)["error"]?["reason"] == "usage")
            #expect(try house.run("host", "chess").code == 2)
            #expect(try house.run("rpc", "no.method").code == 1)
            #expect(try house.run("rpc", "status", "{").code == 2)
        }
    }

    @Test func `a match is viewed, acted in and verified`() throws {
        try withHouse { house in
            _ = try house.run("host", "hangman")
            #expect(try house.run("view").code == 5)
            #expect(try house.run("start").code == 1)
            _ = try house.run("say", "come in")
            #expect(try house.run("start").code == 0)
            #expect(try house.run("act", "guess", "a").output == "Done. See the table: parlor view\n")
            #expect(try house.run("act", "guess", "a").code == 1)
            #expect(try house.run("act", #"{"do":"guess","letter":"z"}"#).code == 0)
            #expect(
                try house.run("view", "--plain").output == """
                    _ A _ _ _ _. wrong 1 of 6: Z. You: 10 points.
                    Points: you 10, Tom 0.
                    Your turn. Type parlor act guess LETTER or parlor act solve WORD.

                    """)
            #expect(
                try house.run("verify", "0123456789abcdef0123456789abcdef").output
                    == "Valid and complete: all 3 entries hold.\n  seat 1 won, seat 2 lost\n")
            let bad = try house.run("verify", "fe")
            #expect(bad.code == 1 && bad.output == "Not valid: entry 2 is not signed\n")
            #expect(try house.run("verify", "f").code == 1, "two matches begin so")
            #expect(try house.run("verify", "00ff").code == 5)
            #expect(try house.run("verify", house.home + "/nothing").code == 5)
        }
    }

    @Test func `events come one a line until the time is up`() throws {
        try withHouse { house in
            let json = try house.run("events", "--since", "0", "--type", "say", "--json", "--timeout", "2")
            #expect(json.code == 6)
            #expect(try JSON(parsing: json.output)["type"] == "say")
            let text = try house.run("events", "--since", "0", "--timeout", "2")
            #expect(
                text.output == "00:00:01 say room=0123456789abcdef0123456789abcdef from=Tom text=before\n")
            let watch = try house.run("list", "--watch", "--json", "--timeout", "2")
            #expect(watch.code == 6 && watch.output.split(separator: "\n").count == 1)
        }
    }

    @Test func `an empty list says why and can be told apart`() throws {
        try withHouse { house in
            let empty = try house.run("list", "--game", "snap", "--fail-empty")
            #expect(empty.code == 5 && empty.output == "")
            #expect(empty.errors.hasPrefix("No room found; searched on lo."))
            #expect(try house.run("list", "--game", "snap").code == 0)
        }
    }

    @Test func `joining without a name takes the only room and otherwise lists them`() throws {
        try withHouse { house in
            #expect(try house.run("join").output.hasPrefix("Attic: hangman, hosted by Tom"))
            try house.misbehave(#"{"rooms": 0}"#)
            _ = try house.run("daemon", "restart")
            #expect(try house.run("join").code == 5)
            try house.misbehave(#"{"rooms": 2}"#)
            _ = try house.run("daemon", "restart")
            let several = try house.run("join")
            #expect(several.code == 1)
            #expect(
                several.errors
                    == "parlor: Several rooms are open: Attic, Den[31m. Name one: parlor join ROOM\n")
            #expect(try house.run("join", "--quick").code == 0)
        }
    }

    @Test func `racing commands start the daemon exactly once`() throws {
        try withHouse { house in
            let commands = try (0..<6).map { _ in
                let process = Process()
                process.executableURL = URL(fileURLWithPath: house.parlor)
                process.arguments = ["status", "--home", house.home]
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                return process
            }
            for command in commands {
                command.waitUntilExit()
                #expect(command.terminationStatus == 0)
            }
            // A second daemon would have written its line by the time other scripts have run.
            for _ in 0..<3 {
                _ = try Ran.program("/usr/bin/env", ["python3", "-c", "import json, selectors, socket"])
            }
            #expect(house.lines("starts") == ["--on-demand --home \(house.home)"])
        }
    }

    @Test func `the daemon is started to stay, found running, and stopped`() throws {
        try withHouse { house in
            let start = try house.run("daemon", "start", "--json")
            #expect(try JSON(parsing: start.output)["state"] == "running")
            #expect(house.lines("starts") == ["--home \(house.home)"])
            #expect(try house.run("daemon", "start").output.contains("running already"))
            #expect(try house.run("daemon", "stop").output.contains("has stopped"))
            #expect(try house.run("daemon", "stop").output == "The daemon was not running.\n")
            #expect(try house.run("daemon", "dance").code == 2)
        }
    }

    @Test func `a daemon that is not there, does not answer, or is another version is told apart`() throws {
        try withHouse { house in
            let none = try house.run("status", "--no-start", "--json")
            #expect(none.code == 3)
            #expect(try JSON(parsing: none.output)["error"]?["reason"] == "no-daemon")
            #expect(try house.run("status", "--socket", house.home + "/none").code == 3)
            #expect(house.lines("starts") == [])

            try house.misbehave(#"{"exit": 4}"#)
            let taken = try house.run("status")
            #expect(taken.code == 4)
            #expect(taken.errors.contains("port 27720 is taken"))

            try house.misbehave(#"{"api": 2}"#)
            #expect(try house.run("status").code == 7)

            try house.misbehave(#"{"silent": true}"#)
            #expect(try house.run("daemon", "restart").code == 3)
            let silent = try house.run("status")
            #expect(silent.code == 3)
            #expect(silent.errors.contains("did not answer in 2 s. See: parlor daemon logs."))
            try house.misbehave("{}")
            #expect(try house.run("daemon", "restart").code == 0)
            #expect(try house.run("status").code == 0)
        }
    }

    @Test func `a home that cannot be is a mistake of usage and an open one is not used`() throws {
        try withHouse { house in
            let long = try house.run("status", "--home", "/tmp/" + String(repeating: "x", count: 100))
            #expect(long.code == 2 && long.errors.contains("at most 107"))
            _ = try house.run("status")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o777], ofItemAtPath: house.home + "/run")
            _ = try house.run("daemon", "stop")
            #expect(try house.run("status").code == 3)
        }
    }

    @Test func `the terminal's line mode passes its own tests`() throws {
        try withHouse { house in
            let script = FakeHouse.fixtures + "/../EndToEnd/line_mode.py"
            let result = try Ran.program(
                "/usr/bin/env", ["python3", script, house.parlor, FakeHouse.fixtures + "/fake-parlord"])
            #expect(result.code == 0, "\(result.errors)")
        }
    }
}
