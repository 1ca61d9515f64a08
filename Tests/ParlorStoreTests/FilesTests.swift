import Foundation
import Testing

@testable import ParlorStore

/// A folder of the test's own, removed with its content.
final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "parlor-store-\(UUID().uuidString)")
        .path()
    init() throws { try Folders.makePrivate(path) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: file))
        try setMode(mode, of: file)
        return file
    }
}

func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

/// Whether this test may give files away.
let isRoot = geteuid() == 0

@Suite struct FoldersTests {
    @Test func `folders are made private, those above them too`() throws {
        let folder = try TemporaryFolder()
        try Folders.makePrivate("\(folder.path)/a/b/c")
        for path in ["", "/a", "/a/b", "/a/b/c"] { #expect(try mode(of: folder.path + path) == 0o700) }
        try Folders.makePrivate("\(folder.path)/a/b/c")
    }

    @Test func `a folder of ours that is too open is narrowed`() throws {
        let folder = try TemporaryFolder()
        try setMode(0o755, of: folder.path)
        try Folders.makePrivate(folder.path)
        #expect(try mode(of: folder.path) == 0o700)
    }

    @Test func `a file in the way is named`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "file")
        #expect(throws: StoreError.self) { try Folders.makePrivate("\(file)/below") }
        #expect(try #require(throws: StoreError.self) { try Folders.makePrivate(file) }.code == .notAFolder)
    }

    @Test(.enabled(if: isRoot)) func `a folder of another user is refused, and so is a link`() throws {
        let folder = try TemporaryFolder()
        try Folders.makePrivate("\(folder.path)/theirs")
        try Folders.makePrivate("\(folder.path)/ours")
        #expect(chown("\(folder.path)/theirs", 12_345, 12_345) == 0)
        #expect(
            try #require(throws: StoreError.self) { try Folders.makePrivate("\(folder.path)/theirs") }.code
                == .notOurs)
        #expect(symlink("\(folder.path)/ours", "\(folder.path)/link") == 0)
        try Folders.makePrivate("\(folder.path)/link")
        #expect(lchown("\(folder.path)/link", 12_345, 12_345) == 0)
        #expect(
            try #require(throws: StoreError.self) { try Folders.makePrivate("\(folder.path)/link") }.code
                == .notOurs)
    }

    @Test(arguments: [("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b/", "a/b")])
    func `the folder above a path`(path: String, above: String) { #expect(Folders.parent(of: path) == above) }
}

@Suite struct AtomicFileTests {
    @Test func `a file is replaced whole and nothing is left beside it`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/state"
        for content in ["first", String(repeating: "long", count: 50_000), ""] {
            try AtomicFile.write(Array(content.utf8), to: path, mode: 0o640)
            #expect(try AtomicFile.read(path, bytesMax: 1 << 20) == Array(content.utf8))
        }
        #expect(try mode(of: path) == 0o640)
        #expect(try folder.names == ["state"])
    }

    @Test func `a failure leaves what was there and nothing else`() throws {
        let folder = try TemporaryFolder()
        try Folders.makePrivate("\(folder.path)/state/full")
        #expect(throws: StoreError.self) { try AtomicFile.write([1], to: "\(folder.path)/state") }
        #expect(try folder.names == ["state"])
        let missing = try #require(throws: StoreError.self) {
            try AtomicFile.write([1], to: "\(folder.path)/no/x")
        }
        #expect(missing.code == .notFound)
    }

    @Test func `create never replaces`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/once"
        #expect(try AtomicFile.create([1], at: path))
        #expect(try AtomicFile.create([2], at: path) == false)
        #expect(try AtomicFile.read(path, bytesMax: 10) == [1])
        #expect(try folder.names == ["once"])
    }

    @Test func `what cannot be read says why`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("12345", to: "five")
        #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
        func code(_ path: String) throws -> StoreError.Code {
            try #require(throws: StoreError.self) { _ = try AtomicFile.read(path, bytesMax: 4) }.code
        }
        #expect(try code(file) == .tooLarge)
        #expect(try code("\(folder.path)/none") == .notFound)
        #expect(try code(folder.path) == .notAFile)
        #expect(try code("\(folder.path)/pipe") == .notAFile)
    }
}

@Suite struct HomeLockTests {
    @Test func `one holder at a time, and the other learns who`() throws {
        let folder = try TemporaryFolder()
        do {
            let lock = try HomeLock(inFolder: folder.path)
            #expect(failure(folder.path) == .held(byPID: getpid()))
            _ = consume lock
        }
        #expect(failure(folder.path) == nil)
    }

    @Test func `the lock of a dead process is taken over`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("999999\n", to: HomeLock.fileName)
        let lock = try HomeLock(inFolder: folder.path)
        #expect(failure(folder.path) == .held(byPID: getpid()))
        _ = consume lock
    }

    @Test func `a holder that has not written its number yet is one nevertheless`() throws {
        let folder = try TemporaryFolder()
        let lock = try HomeLock(inFolder: folder.path)
        _ = try folder.write("", to: HomeLock.fileName)
        _ = consume lock
        let descriptor = open("\(folder.path)/\(HomeLock.fileName)", O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)
        #expect(failure(folder.path) == .held(byPID: nil))
    }

    @Test func `a missing folder is an error of the store`() {
        guard case .store(let error) = failure("/nowhere/at/all") else {
            Issue.record("expected a store error")
            return
        }
        #expect(error.code == .notFound)
    }

    /// Tries to take the lock; `nil` when it was free.
    private func failure(_ folder: String) -> HomeLock.Failure? {
        do throws(HomeLock.Failure) {
            _ = try HomeLock(inFolder: folder)
            return nil
        } catch {
            return error
        }
    }
}
