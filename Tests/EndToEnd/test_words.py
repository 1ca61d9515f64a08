"""Lists of words: the program's, the system's, and guests that do not have the host's. Also one board for all."""
import hashlib
import os

import harness
from harness import Scenario

LISTED = ["cat", "dog", "garden", "house", "window"]


def digest(words):
    return hashlib.blake2b("\n".join(words).encode(), digest_size=32).hexdigest()


class Words(Scenario):
    def peer_with(self, name, words):
        """A peer whose system has a list of its own; None: no list at all."""
        peer = self.prepare(name)
        path = os.path.join(self.folder, f"{name}.words")
        if words is not None:
            with open(path, "w") as file:
                file.write("\n".join(words) + "\n")
        os.makedirs(os.path.join(peer.home, "config"), 0o700)
        with open(os.path.join(peer.home, "config", "parlor.conf"), "w") as file:
            file.write(f"[games]\nwords = {path}\n")
        return peer.start()

    def host(self, peer, **options):
        return peer.call("room.host", game="hangman", seats=2, name="Table", options={"words": "system", **options})

    def test_the_room_says_which_list_it_plays_with(self):
        ada = self.peer_with("ada", ["Window", "dog", "cat's", "cat", "house", "garden", "dog", "x"])
        room = self.host(ada)
        self.assertEqual(
            room["words"], {"hash": digest(LISTED), "count": 5, "bytes": len("\n".join(LISTED)), "here": True})
        room = ada.call("room.set", options={"words": "builtin"})
        self.assertEqual((room["words"]["count"], room["words"]["here"]), (9474, True))
        self.assertEqual(ada.call("room.set", options={"words": "system"})["words"]["count"], 5)

    def test_without_a_list_of_the_system_it_says_what_to_do(self):
        ada = self.peer_with("ada", None)
        error = ada.refused("not-allowed", "room.host", game="hangman", options={"words": "system"})
        self.assertIn("wamerican", error.message)
        self.assertIn("words=builtin", error.message)
        ada.call("room.host", game="hangman", seats=2, options={})
        ada.refused("not-allowed", "room.set", options={"words": "system"})
        self.assertEqual(ada.call("room.get")["options"]["words"], "builtin")

    def test_a_guest_with_the_same_list_is_not_asked(self):
        ada, bea = self.peer_with("ada", LISTED), self.peer_with("bea", sorted(LISTED, reverse=True))
        self.host(ada)
        bea.join(ada)
        self.assertTrue(bea.call("room.get")["words"]["here"])
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        harness.play_hangman([ada, bea], word="window")
        self.assert_same_match([ada, bea])

    def test_a_guest_with_another_list_is_asked_and_takes_it_over(self):
        ada, bea = self.peer_with("ada", LISTED), self.peer_with("bea", ["another"])
        self.host(ada)
        bea.join(ada)
        words = bea.call("room.get")["words"]
        self.assertEqual((words["hash"], words["count"], words["here"]), (digest(LISTED), 5, False))
        error = bea.refused("words-differ", "room.ready", ready=True)
        for part in ("5 words", digest(LISTED)[:8], "--accept-words", "words=builtin"):
            self.assertIn(part, error.message)
        self.assertIn("bea", ada.refused("not-ready", "room.start").message)
        self.assertIn("5 words", self.parlor("ready", home=bea.home, status=1).stderr)
        self.parlor("ready", "--accept-words", home=bea.home)
        self.assertTrue(bea.call("room.get")["words"]["here"])
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        setter = [ada, bea][ada.call("match.view")["draw"]["first"]]
        setter.refused("word-invalid", "match.act", action={"do": "word", "word": "another"})
        harness.play_hangman([ada, bea], word="house")
        match = self.assert_same_match([ada, bea])[0]["id"]
        # The list is kept: the match is read, checked and its log verified when nothing else has it.
        bea.stop()
        os.remove(os.path.join(self.folder, "bea.words"))
        bea.start()
        self.assertEqual(bea.call("match.verify", match=match)["verdict"], "complete")
        log = bea.call("match.export", match=match)["text"]
        path = os.path.join(self.folder, "match.log")
        with open(path, "w") as file:
            file.write(log)
        self.parlor("verify", path, home=bea.home)
        self.parlor("verify", path, home=self.home("stranger"), status=1)

    def test_a_long_list_comes_whole_and_a_rematch_asks_for_nothing(self):
        long = sorted({a + b + c + d + "ing" for a in "abcdefgh" for b in "aeiou" for c in "bcdfghjklm" for d in "aeiouy"})
        long += [f"z{'a' * n}" for n in range(2, 30)]
        many = sorted(set(long) | {word + other for word in long[:1200] for other in ("ab", "cd", "ef", "gh", "ij", "kl")})
        self.assertGreater(len("\n".join(many)), 65536)
        ada, bea = self.peer_with("ada", many), self.peer_with("bea", None)
        self.host(ada)
        bea.join(ada)
        bea.call("room.ready", ready=True, accept_words=True)
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        harness.play_hangman([ada, bea], word="zaaaa", letters="zaetoinshrdlucmfwypvbgkjqx")
        self.assert_same_match([ada, bea])
        harness.eventually(lambda: bea.call("room.get")["state"] == "finished", "the lobby")
        ada.call("room.rematch")
        bea.call("room.rematch")
        for peer in (ada, bea):
            peer.match("playing")

    def test_another_list_makes_nobody_ready(self):
        ada, bea = self.peer_with("ada", LISTED), self.peer_with("bea", None)
        ada.call("room.host", game="hangman", seats=2, name="Table", options={})
        bea.join(ada)
        bea.call("room.ready", ready=True)
        ada.call("room.set", options={"words": "system"})
        harness.eventually(lambda: bea.call("room.get")["words"]["count"] == 5, "the list")
        self.assertFalse(bea.call("room.get")["seats"][1]["ready"])
        bea.refused("words-differ", "room.ready", ready=True)
        ada.refused("not-ready", "room.start")
        ada.call("room.set", options={"words": "builtin"})
        harness.eventually(lambda: bea.call("room.get")["words"]["here"], "the own list")
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        bea.match("playing")

    def test_a_watcher_fetches_the_list_by_itself(self):
        ada, bea, eve = self.peer_with("ada", LISTED), self.peer_with("bea", LISTED), self.peer_with("eve", None)
        self.host(ada)
        bea.join(ada)
        bea.call("room.ready", ready=True)
        eve.call("room.join", address=ada.address, watch=True)
        ada.call("room.start")
        for peer in (ada, bea, eve):
            peer.match("playing")
        harness.play_hangman([ada, bea], word="garden")
        harness.eventually(lambda: eve.call("match.view")["state"] == "ended", "the end")
        self.assertEqual(eve.call("match.view")["state_hash"], ada.call("match.view")["state_hash"])

    def test_all_on_one_board_take_turns(self):
        peers = self.table("hangman", 3, {"mode": "together"})
        first = peers[0].call("match.view")["draw"]["first"]
        setter, one, other = peers[first], peers[(first + 1) % 3], peers[(first + 2) % 3]
        setter.call("match.act", action={"do": "word", "word": "garden"})
        harness.eventually(lambda: one.call("match.view")["legal"], "the first guesser's turn")
        other.refused("not-your-turn", "match.act", action={"do": "guess", "letter": "e"})
        harness.guess(one, "e")
        harness.guess(other, "q")
        one.refused("illegal-move", "match.act", action={"do": "guess", "letter": "Q"})
        harness.guess(one, "a")
        for peer in peers:
            harness.eventually(lambda: peer.call("match.view")["view"]["mask"] == "_ A _ _ E _", "the letters")
            board = peer.call("match.view")["view"]["boards"][0]
            self.assertEqual((board["seat"], board["wrong"], board["bad"], board["score"]), (None, ["Q"], 1, 20))
        harness.play_hangman(peers)
        self.assert_ended_well(peers)

    def test_alone_the_seat_guesses_a_word_of_the_list(self):
        ada = self.peer("ada")
        ada.call("room.host", game="hangman", seats=1, options={})
        ada.call("room.start")
        ada.match("playing")
        harness.eventually(lambda: ada.call("match.view")["legal"], "the word")
        view = ada.call("match.view")["view"]
        self.assertIn(view["length"], range(4, 9))
        self.assertNotIn("word", view)
        harness.play_hangman([ada])
        end = ada.call("match.view")
        self.assertIn(end["seats"][0]["outcome"], ("won", "lost"))
        self.assertEqual(len(end["view"]["reveal"]["word"]), view["length"])
