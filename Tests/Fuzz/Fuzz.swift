import CFuzzer
import Glibc

/// One thing that is fuzzed.
struct FuzzTarget: Sendable {
    /// How it is called, in `Scripts/fuzz` and in `Corpus`.
    let name: String
    /// Takes one input and returns; stops the program where a rule is broken.
    let run: @Sendable ([UInt8]) -> Void

    /// All of them.
    static let all: [FuzzTarget] = [
        .cbor, .frames, .greeting, .roomMessages, .matchMessages, .logs, .fold, .json, .requests, .lines,
        .settings, .records, .datagrams, .link, .unreliable, .room, .match,
    ]

    /// The one that the environment names.
    static let chosen: FuzzTarget? = {
        guard let name = unsafe getenv("PARLOR_FUZZ_TARGET").map({ unsafe String(cString: $0) }) else {
            return nil
        }
        return all.first { $0.name == name }
    }()
}

/// Stops the program, as a finding, where what must hold does not.
func demand(_ truth: Bool, _ rule: @autoclosure () -> String, line: Int = #line, file: String = #fileID) {
    guard !truth else { return }
    let text = Array("broken at \(file):\(line): \(rule())\n".utf8)
    _ = unsafe text.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
    preconditionFailure("a rule is broken")
}

/// Called by libFuzzer with each input.
@c func parlorFuzzOne(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    FuzzTarget.chosen?.run(unsafe Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}

/// `parlor-fuzz --targets` names the targets, a line each; otherwise the one that `PARLOR_FUZZ_TARGET` names
/// is run, with libFuzzer's own options.
@main enum Fuzz {
    static func main() {
        if CommandLine.arguments.dropFirst().first == "--targets" {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        guard FuzzTarget.chosen != nil else {
            print("PARLOR_FUZZ_TARGET names no target; parlor-fuzz --targets lists them")
            exit(2)
        }
        var count = CommandLine.argc
        var words = unsafe Optional(CommandLine.unsafeArgv)
        exit(unsafe LLVMFuzzerRunDriver(&count, &words, parlorFuzzOne))
    }
}
