import Foundation
import Testing

@testable import ParlorStore

@Suite struct TurnStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> TestStore { try TestStore(folder.path, MatchStore.Options()) }

    private func item(_ number: UInt8) -> TurnStoreRequest.Item {
        TurnStoreRequest.Item(hash: [number], bytes: [number, number])
    }

    private func keep(_ match: UInt8, _ items: [UInt8], changed: Int) -> StoreRequest {
        .turns(.keep(match: [match], genesis: [match, 0], items: items.map(item), changed: changed))
    }

    private func peer(_ number: UInt8, seen: Int) -> TurnPeerRow {
        TurnPeerRow(peer: [number], name: "P\(number)", address: [127, 0, 0, 1], port: 7, seen: seen)
    }

    @Test func `matches by turns and peers are there after a restart, each item once`() throws {
        let store = try open()
        #expect(store.ask(keep(1, [3, 2], changed: 10)) == .done)
        #expect(store.ask(keep(2, [], changed: 20)) == .done)
        #expect(store.ask(keep(1, [2, 5], changed: 30)) == .done)
        #expect(store.ask(.turns(.peer(peer(8, seen: 1)))) == .done)
        #expect(store.ask(.turns(.peer(peer(9, seen: 2)))) == .done)
        #expect(store.ask(.turns(.peer(peer(8, seen: 3)))) == .done)
        store.store.close()

        let again = try open()
        let rows = [
            TurnRow(match: [2], genesis: [2, 0], items: [], changed: 20),
            TurnRow(match: [1], genesis: [1, 0], items: [[2, 2], [3, 3], [5, 5]], changed: 30),
        ]
        #expect(again.ask(.turns(.all)) == .turns(rows, [peer(8, seen: 3), peer(9, seen: 2)]))
    }

    @Test func `a dropped match leaves nothing, and a removed one that it was removed`() throws {
        let store = try open()
        store.ask(keep(1, [3], changed: 10))
        store.ask(keep(2, [4], changed: 20))
        #expect(store.ask(.turns(.remove(match: [2]))) == .done)
        let removed = TurnRow(match: [2], genesis: [2, 0], items: [[4, 4]], isRemoved: true, changed: 20)
        let kept = TurnRow(match: [1], genesis: [1, 0], items: [[3, 3]], changed: 10)
        #expect(store.ask(.turns(.all)) == .turns([kept, removed], []))
        for match: UInt8 in [1, 2] { #expect(store.ask(.turns(.drop(match: [match]))) == .done) }
        let note = TurnRow(match: [2], genesis: [], items: [], isRemoved: true, changed: 20)
        #expect(store.ask(.turns(.all)) == .turns([note], []))
    }
}
