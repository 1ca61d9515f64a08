import Foundation
import ParlorControl

/// A program that has run: what it printed and how it ended.
struct Ran {
    let code: Int32
    let output: String
    let errors: String

    /// Runs a program to its end, with this to read.
    static func program(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) throws -> Ran {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ran-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files instead of pipes: what the program leaves running must not keep the test waiting.
        let files = try ["in", "out", "err"].map { name in
            let url = folder.appendingPathComponent(name)
            try Data(name == "in" ? Array(input.utf8) : []).write(to: url)
            return try FileHandle(forUpdating: url)
        }
        process.standardInput = files[0]
        process.standardOutput = files[1]
        process.standardError = files[2]
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
        }
        return Ran(code: process.terminationStatus, output: try text("out"), errors: try text("err"))
    }
}

/// Why a program could not be put where it is to run.
struct CannotCopy: Error {
    let reason: String
}

/// A folder with `parlor`, the stand-in daemon beside it as `parlord`, and a home.
final class FakeHouse {
    let folder: URL
    var home: String { folder.appendingPathComponent("home").path }
    var parlor: String { folder.appendingPathComponent("parlor").path }

    init() throws {
        folder = URL(fileURLWithPath: "/tmp/parlor-fake-\(UUID().uuidString.prefix(8))")
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path + "/home", withIntermediateDirectories: true)
        let program = try manager.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let built = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("parlor")
        // Not copied by this process: a child that another test starts meanwhile would inherit the file open
        // for writing, and what is open for writing cannot be run (ETXTBSY).
        for (file, name) in [(built.path, "parlor"), (Self.fixtures + "/fake-parlord", "parlord")] {
            let copied = try Ran.program("/bin/cp", [file, folder.path + "/" + name])
            guard copied.code == 0 else { throw CannotCopy(reason: copied.errors) }
        }
    }

    static var fixtures: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
            + "/Fixtures"
    }

    /// Makes the stand-in misbehave; see its head.
    func misbehave(_ json: String) throws {
        try Data(json.utf8).write(to: URL(fileURLWithPath: home + "/fake.json"))
    }

    func run(_ arguments: String..., input: String = "") throws -> Ran {
        try Ran.program(parlor, arguments, environment: ["PARLOR_HOME": home], input: input)
    }

    func lines(_ name: String) -> [String] {
        let text = (try? String(contentsOfFile: home + "/" + name, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Ends the stand-in, whatever it does, and removes everything.
    func close() {
        if let endpoints = Endpoints.read(from: home + "/run/endpoints.json") {
            kill(pid_t(endpoints.pid), SIGKILL)
        }
        try? FileManager.default.removeItem(at: folder)
    }
}
