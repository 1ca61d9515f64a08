import Testing

@testable import ParlorGames

@Suite struct BuiltinWordsTests {
    private let words = WordList.builtin.words

    @Test func `the list is the one that was agreed on`() {
        // Peers with different lists cannot play Hangman together: a change here is a change of the list.
        let print = words.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        #expect(words.count == 9_474)
        #expect(print == 0xC6EFF29F3657113D)
    }

    @Test func `the words are in order and each is there once`() {
        for (word, next) in zip(words, words.dropFirst()) {
            #expect(Array(word.utf8).lexicographicallyPrecedes(Array(next.utf8)), "\(word), \(next)")
        }
    }

    @Test func `every word has 3 to 12 letters a-z`() {
        #expect(
            words.allSatisfy {
                (3...12).contains($0.utf8.count) && $0.utf8.allSatisfy { (97...122).contains($0) }
            })
    }

    @Test(arguments: ["garden", "apple", "window", "kitchen", "planet"])
    func `common words are there`(word: String) { #expect(WordList.builtin.contains(word)) }

    @Test(arguments: ["zzqx", "", "Garden", "the garden"])
    func `what is no word is not there`(word: String) { #expect(!WordList.builtin.contains(word)) }

    @Test func `nothing rude is there`() {
        let stems = [
            "arse", "bastard", "bitch", "bollock", "breast", "bugger", "coon", "crap", "cripple", "cunt",
            "damn",
            "dick", "drunk", "dumb", "dyke", "fag", "fart", "fuck", "gook", "hooker", "idiot", "kike", "kill",
            "moron", "murder", "naked", "nazi", "negro", "nigg", "nude", "orgasm", "penis", "piss", "porn",
            "prick",
            "pussy", "queer", "rape", "rapist", "retard", "screw", "semen", "sex", "shag", "shit", "slave",
            "slut",
            "sperm", "stupid", "suicid", "testic", "tits", "tramp", "turd", "twat", "vagin", "wank", "whor",
        ]
        // Innocent words that begin alike.
        let innocent: Set<String> = ["prickly", "screwdriver", "screwdrivers", "shaggy"]
        for word in words where !innocent.contains(word) {
            #expect(!stems.contains { word.hasPrefix($0) }, "\(word)")
        }
    }
}
