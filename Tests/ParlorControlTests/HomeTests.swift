import Foundation
import ParlorControl
import Testing

struct HomeTests {
    private func home(
        _ folder: String? = nil, _ variables: [String: String] = [:]
    ) throws(HomeError) -> Home {
        try Home(folder: folder, user: 1000, workingFolder: "/w") { variables[$0] }
    }

    @Test func `a named folder holds everything`() throws {
        let home = try home("/h//x/", ["PARLOR_HOME": "/other", "XDG_RUNTIME_DIR": "/run/user/1000"])
        #expect(home.settingsFiles == ["/h/x/config/parlor.conf"])
        #expect([home.data, home.state, home.run] == ["/h/x/data", "/h/x/state", "/h/x/run"])
        #expect(home.controlSocket == "/h/x/run/control.sock")
        #expect(home.endpointsFile == "/h/x/run/endpoints.json")
        #expect(home.logFile == "/h/x/state/parlord.log")
    }

    @Test
    func `a relative folder starts at the working folder and the variable counts when nothing is named`()
        throws
    {
        #expect(try home("a/./b").folder == "/w/a/b")
        #expect(try home(nil, ["PARLOR_HOME": "c"]).folder == "/w/c")
        #expect(try home(nil, ["PARLOR_HOME": "", "HOME": "/home/mia"]).folder == nil)
    }

    @Test func `the standard places`() throws {
        let plain = try home(nil, ["HOME": "/home/mia", "XDG_DATA_HOME": "relative"])
        #expect(
            plain.settingsFiles == ["/home/mia/.config/parlor/parlor.conf", "/etc/xdg/parlor/parlor.conf"])
        #expect(plain.data == "/home/mia/.local/share/parlor")
        #expect(plain.state == "/home/mia/.local/state/parlor")
        #expect(plain.run == "/tmp/parlor-1000")
        let set = try home(
            nil,
            ["XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"])
        #expect(set.settingsFiles == ["/c/parlor/parlor.conf", "/etc/xdg/parlor/parlor.conf"])
        #expect([set.data, set.state, set.run] == ["/d/parlor", "/s/parlor", "/r/parlor"])
    }

    @Test func `a folder too long for a socket is a mistake of usage that says so`() throws {
        let longest =
            "/" + String(repeating: "a", count: Home.socketPathBytesMax - "//run/control.sock".utf8.count)
        #expect(try home(longest).controlSocket.utf8.count == Home.socketPathBytesMax)
        let error = #expect(throws: HomeError.self) { try home(longest + "a") }
        #expect(error?.reason == .usage)
        #expect(error?.message.contains("107") == true)
    }

    @Test func `nowhere to go is a mistake of usage`() {
        #expect(throws: HomeError.unknown) { try home() }
    }

    @Test func `folders are made for the owner alone and open ones are refused`() throws {
        let base = NSTemporaryDirectory() + "/parlor-home-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: base) }
        let home = try home(base)
        try home.createFolders()
        try home.createFolders()
        for path in [home.data, home.state, home.run, base + "/config"] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: home.run)
        #expect(throws: HomeError.self) { try home.createFolders() }
        try FileManager.default.removeItem(atPath: home.run)
        try FileManager.default.createSymbolicLink(atPath: home.run, withDestinationPath: home.data)
        #expect(throws: HomeError.self) { try home.createFolders() }
    }

    @Test func `a folder that cannot be made is told with the one above it`() throws {
        let base = NSTemporaryDirectory() + "/parlor-file-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { try? FileManager.default.removeItem(atPath: base) }
        try Data().write(to: URL(fileURLWithPath: base))
        let error = #expect(throws: HomeError.self) { try home(base).createFolders() }
        let message = try #require(error).message
        #expect(message.contains("because \(base.replacing("//", with: "/")) is not a folder"), "\(message)")
        #expect(message.contains("--home DIR"))
        #expect(
            HomeError.notMade(path: "/a/b", above: "/a", code: EACCES).message
                == "/a/b cannot be made in /a: Permission denied. Look who may write there: ls -ld /a. "
                + "Or choose another folder: parlor --home DIR")
    }

    @Test func `endpoints are written whole and read back`() throws {
        let path = NSTemporaryDirectory() + "/endpoints-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(Endpoints.read(from: path) == nil)
        let endpoints = Endpoints(
            pid: 7, peer: "aa", tcpPort: 27720, udpPort: 27720, addresses: ["127.0.0.1"], socket: "/s")
        try endpoints.write(to: path)
        #expect(Endpoints.read(from: path) == endpoints)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(Endpoints.read(from: path) == nil)
    }
}
