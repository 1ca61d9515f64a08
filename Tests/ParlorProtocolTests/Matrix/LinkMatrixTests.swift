import Foundation
import ParlorProtocol
import Testing

/// What links promise, under every condition of the matrix, in virtual time.
///
/// One of them again, with a trace of all that happens: `PARLOR_MATRIX=17:3 swift test --filter LinkMatrix`
/// (index and seed). With more seeds than one each: `PARLOR_SEEDS=100 swift test --filter LinkMatrix`.
struct LinkMatrixTests {
    private static let replayed: (index: Int, seed: UInt64)? = {
        let parts = (ProcessInfo.processInfo.environment["PARLOR_MATRIX"] ?? "").split(separator: ":")
        guard parts.count == 2, let index = Int(parts[0]), let seed = UInt64(parts[1]) else { return nil }
        return (index, seed)
    }()

    private static let seeds: ClosedRange<UInt64> = {
        let count = ProcessInfo.processInfo.environment["PARLOR_SEEDS"].flatMap { UInt64($0) } ?? 1
        return replayed.map { $0.seed...$0.seed } ?? 1...max(1, count)
    }()

    private static let indices = replayed.map { [$0.index] } ?? Array(MatrixCase.all.indices)

    @Test func `there are enough conditions`() {
        #expect(MatrixCase.all.count >= 60)
        #expect(Set(MatrixCase.all.map(\.name)).count == MatrixCase.all.count)
    }

    @Test(arguments: LinkMatrixTests.indices)
    func `a link keeps its promises`(index: Int) {
        for seed in Self.seeds {
            var world = MatrixWorld(MatrixCase.all[index], seed: seed, isTracing: Self.replayed != nil)
            world.run()
            #expect(
                world.problems.isEmpty,
                """
                \(MatrixCase.all[index].name)
                again: PARLOR_MATRIX=\(index):\(seed) swift test --filter LinkMatrix
                \(world.problems.joined(separator: "\n"))
                """)
        }
    }
}
