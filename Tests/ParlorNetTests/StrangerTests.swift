import Foundation
import ParlorNet
import Testing

/// Peers that are not Parlor: the `openssl` program with certificates and offers of its own.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
struct StrangerTests {
    private static let program = "/usr/bin/openssl"

    /// Starts `openssl` with nothing to read but what `input` holds open; what it says goes nowhere.
    private static func start(_ arguments: [String], input: Int32? = nil) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for descriptor: Int32 in [1, 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        let words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, program, &actions, nil, words + [nil], environ)
        try #require(status == 0)
        return process
    }

    /// Runs `openssl` to its end.
    private static func run(_ arguments: [String]) throws {
        let process = try start(arguments)
        var status: Int32 = -1
        waitpid(process, &status, 0)
        #expect(status == 0, "openssl \(arguments)")
    }

    /// Has `openssl s_client` connect to a secure port of ours; returns how our side ended, `nil` when it got
    /// ready.
    private static func end(of arguments: [String]) throws -> StreamEnd? {
        var end: StreamEnd?
        try withLoop { loop in
            let context = try TLSContext(seed: [UInt8](repeating: 7, count: 32))
            let listener = try TCPListener(loop: loop, on: .loopback(port: 0))
            listener.onAccept = { tcp in
                guard let stream = try? SecureStream(tcp, context: context, role: .server) else { return }
                var isWelcome = false
                stream.onReady = { _ in
                    isWelcome = true
                    loop.stop()
                }
                stream.onClosed = {
                    if !isWelcome { end = $0 }
                    loop.stop()
                }
            }
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            let process = try start(
                ["s_client", "-connect", "127.0.0.1:\(listener.port)", "-quiet"] + arguments, input: ends[0])
            loop.runUntilStopped()
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        return end
    }

    private static func withCertificate(_ algorithm: [String], _ body: ([String]) throws -> Void) throws {
        try withFolder { folder in
            let (key, certificate) = (folder + "/key.pem", folder + "/certificate.pem")
            try run(
                ["req", "-x509", "-newkey"] + algorithm
                    + ["-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=stranger", "-days", "2"])
            try body(["-cert", certificate, "-key", key])
        }
    }

    private func refusal(_ end: StreamEnd?) throws -> String {
        guard case .secureFailure(let text) = try #require(end, "the stranger was accepted") else {
            Issue.record("ended with \(String(describing: end))")
            return ""
        }
        return text
    }

    @Test func `another program with an Ed25519 certificate and our protocol is welcome`() throws {
        try Self.withCertificate(["ed25519"]) { identity in
            for offer in ["parlor/1", "http/1.1,parlor/1"] {
                let end = try Self.end(of: ["-alpn", offer] + identity)
                #expect(end == nil)
            }
        }
    }

    @Test func `no certificate is refused`() throws {
        let text = try refusal(try Self.end(of: ["-alpn", "parlor/1"]))
        #expect(text.contains("did not return a certificate"))
    }

    @Test(arguments: [["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["rsa:2048"]])
    func `a certificate of another kind of key is refused`(algorithm: [String]) throws {
        try Self.withCertificate(algorithm) { identity in
            _ = try refusal(try Self.end(of: ["-alpn", "parlor/1"] + identity))
        }
    }

    @Test func `no protocol, another protocol and an older TLS are refused`() throws {
        try Self.withCertificate(["ed25519"]) { identity in
            _ = try refusal(try Self.end(of: identity))
            _ = try refusal(try Self.end(of: ["-alpn", "http/1.1"] + identity))
            let old = try refusal(try Self.end(of: ["-alpn", "parlor/1", "-tls1_2"] + identity))
            #expect(old.contains("unsupported protocol"))
        }
    }
}
