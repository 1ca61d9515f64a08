import ParlorCrypto
import ParlorGames
import Testing

@testable import ParlorProtocol

@Suite("The list of words of a room")
struct WordTermsTests {
    private let list = WordList(["cup", "garden", "tea"])

    private func terms(_ list: WordList) -> WordTerms {
        let bytes = list.joined
        return WordTerms(hash: Hash.blake2b256(bytes), count: list.words.count, bytes: bytes.count)
    }

    @Test func `nobody is ready for a list that it has not agreed to`() throws {
        var table = try HostTable("hangman", joined: ["Bob", "Cid"])
        let mine = terms(list)
        table.feed(.wordsChosen(mine))
        #expect(table.state.words == mine)
        #expect(table.ask(1, .ready(true)) == .wordsDiffer)
        #expect(table.ask(1, .ready(false)) == nil)
        #expect(table.ask(1, .takeWords(Array(repeating: 3, count: 32))) == .wordsDiffer)
        #expect(table.ask(1, .ready(true)) == .wordsDiffer)
        #expect(table.ask(1, .takeWords(mine.hash)) == nil)
        #expect(table.ask(1, .ready(true)) == nil)
        #expect(table.ask(0, .start) == .notReady)
        #expect(table.ask(2, .takeWords(mine.hash)) == nil)
        #expect(table.ask(2, .ready(true)) == nil)
        #expect(table.askAll(0, .start).actions.contains(.beginMatch))
    }

    @Test func `another list asks everybody anew, also for a rematch`() throws {
        var table = try HostTable("hangman", joined: ["Bob"])
        let mine = terms(list)
        table.feed(.wordsChosen(mine))
        table.ask(1, .takeWords(mine.hash))
        table.play()
        table.feed(.matchEnded([.won, .lost]))
        #expect(table.ask(1, .ready(true)) == nil)
        #expect(table.ask(1, .rematch) == nil)
        let other = terms(WordList(["tea"]))
        let actions = table.feed(.wordsChosen(other))
        #expect(actions.contains(.send(.state(table.state, left: []), to: peer(1))))
        #expect(table.state.seats[1]?.ready == false)
        #expect(table.state.seats[1]?.rematch == false)
        #expect(table.state.host?.ready == true)
        #expect(table.ask(1, .rematch) == .wordsDiffer)
        #expect(table.ask(0, .rematch) == nil)
        #expect(table.ask(1, .takeWords(other.hash)) == nil)
        #expect(table.askAll(1, .rematch).actions.contains(.beginMatch))
    }

    @Test func `whoever takes another's seat has agreed to nothing`() throws {
        var table = try HostTable("hangman", joined: ["Bob"])
        let mine = terms(list)
        table.feed(.wordsChosen(mine))
        table.ask(1, .takeWords(mine.hash))
        table.ask(1, .leave)
        table.enter(1, "Bob")
        #expect(table.ask(1, .ready(true)) == .wordsDiffer)
    }

    @Test func `a list comes in pieces and is checked as a whole`() throws {
        let bytes = list.joined
        var fetch = WordsFetch(terms(list), hash: Hash.blake2b256)
        let hash = fetch.terms.hash
        func piece(_ from: Int, _ data: some Sequence<UInt8>) -> WordsMessage {
            .piece(hash: hash, from: from, data: Array(data))
        }
        #expect(fetch.received(piece(4, bytes.dropFirst(4))) == nil)
        #expect(fetch.received(.piece(hash: Array(repeating: 1, count: 32), from: 0, data: bytes)) == nil)
        #expect(fetch.received(.want(hash: hash, from: 0)) == nil)
        #expect(fetch.received(piece(0, bytes.prefix(4))) == .want(from: 4))
        #expect(fetch.received(piece(0, bytes.prefix(4))) == nil)
        #expect(fetch.received(piece(4, bytes.dropFirst(4))) == .done(bytes))
        #expect(fetch.received(piece(bytes.count, [1])) == nil)
    }

    @Test func `what is not the list is not taken`() throws {
        let bytes = list.joined
        let hash = terms(list).hash
        for data in [Array(bytes.dropLast()) + [0x62], bytes + [0x62], []] {
            var fetch = WordsFetch(terms(list), hash: Hash.blake2b256)
            #expect(fetch.received(.piece(hash: hash, from: 0, data: data)) == .failed)
        }
        let none = WordTerms(hash: Hash.blake2b256([]), count: 0, bytes: 0)
        var fetch = WordsFetch(none, hash: Hash.blake2b256)
        #expect(fetch.received(.piece(hash: none.hash, from: 0, data: [])) == .done([]))
    }

    @Test func `messages and terms out of bounds are none`() throws {
        let hash = [UInt8](repeating: 5, count: 32)
        let most = WordList.bytesMost
        func reads(_ message: WordsMessage) -> Bool {
            RoomMessage(decoding: RoomMessage.words(room: roomID, message).encoded) != nil
        }
        #expect(reads(.want(hash: hash, from: most)))
        #expect(!reads(.want(hash: hash, from: most + 1)))
        #expect(!reads(.want(hash: hash, from: -1)))
        #expect(!reads(.want(hash: Array(hash.dropLast()), from: 0)))
        let piece = [UInt8](repeating: 1, count: Limits.wordsPieceBytesMax)
        #expect(reads(.piece(hash: hash, from: 0, data: piece)))
        #expect(!reads(.piece(hash: hash, from: 0, data: piece + [1])))
        for terms in [
            WordTerms(hash: hash, count: 1, bytes: most + 1), WordTerms(hash: hash, count: 9, bytes: 7),
            WordTerms(hash: [], count: 1, bytes: 7), WordTerms(hash: hash, count: -1, bytes: 7),
        ] {
            #expect(WordTerms(cbor: terms.cbor) == nil)
        }
        let fits = WordTerms(hash: hash, count: 8, bytes: 7)
        #expect(WordTerms(cbor: fits.cbor) == fits)
    }
}
