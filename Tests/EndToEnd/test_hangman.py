"""Moves that are wrong, in Hangman and in general."""
import json
import os

import harness
from harness import Scenario, my_board


class Moves(Scenario):
    def roles(self, peers):
        """The setter and the guessers."""
        first = peers[0].call("match.view")["draw"]["first"]
        return peers[first], [peer for peer in peers if peer is not peers[first]]

    def test_a_word_that_does_not_qualify_is_asked_for_again_and_again(self):
        peers = self.table("hangman", 2)
        setter, (guesser,) = self.roles(peers)
        before = setter.call("match.view")
        self.assertEqual([action["do"] for action in before["legal"]], ["word"])
        messages = set()
        for word in ("zzqx", "a", "", "   ", "ab1", "12345", "x" * 33, "x" * 5000, "gar\u0007den", "?", "'-'", "\u202e"):
            with self.subTest(word=word[:8]):
                messages.add(setter.refused("word-invalid", "match.act", action={"do": "word", "word": word}).message)
        self.assertGreaterEqual(len(messages), 3, messages)
        for _ in range(30):
            setter.refused("word-invalid", "match.act", action={"do": "word", "word": "zzqx"})
        self.assertEqual(setter.call("match.view")["head"], before["head"])
        self.assertEqual(guesser.seen("match.refused"), [])
        entry = setter.call("match.act", action={"do": "word", "word": "  Garden "})["entry"]
        self.assertEqual((entry["index"], entry["kind"], entry["author"]), (before["entries"], "move", before["my_seat"]))
        view = setter.call("match.view")["view"]
        self.assertEqual((view["word"].lower(), view["length"]), ("garden", 6))
        harness.eventually(lambda: guesser.call("match.view")["view"]["length"] == 6, "the mask at the guesser")
        seen = guesser.call("match.view")
        self.assertNotIn("word", seen["view"])
        self.assertEqual(seen["view"]["mask"], "_ _ _ _ _ _")
        self.assertNotIn("garden", str(guesser.call("match.log", match=seen["id"])).lower())
        harness.play_hangman(peers)
        self.assert_ended_well(peers)

    def test_a_letter_twice_costs_nothing(self):
        peers = self.table("hangman", 2)
        setter, (guesser,) = self.roles(peers)
        setter.call("match.act", action={"do": "word", "word": "garden"})
        for letter in ("e", "z"):
            harness.guess(guesser, letter)
            before = guesser.call("match.view")
            for again in (letter, letter.upper()):
                self.assertTrue(
                    guesser.refused("illegal-move", "match.act", action={"do": "guess", "letter": again}).message)
            after = guesser.call("match.view")
            self.assertEqual(
                (my_board(after), after["head"], after["entries"]), (my_board(before), before["head"], before["entries"]))
        board = my_board(guesser.call("match.view"))
        self.assertEqual((board["mask"], board["wrong"], board["bad"], board["score"]), ("_ _ _ _ E _", ["Z"], 1, 10))

    def test_what_is_no_letter_is_refused_and_costs_nothing(self):
        peers = self.table("hangman", 2)
        setter, (guesser,) = self.roles(peers)
        setter.call("match.act", action={"do": "word", "word": "garden"})
        harness.eventually(lambda: guesser.call("match.view")["legal"], "the guesser's turn")
        for letter in ("", "ab", "1", " ", "-", "\u0007", "x" * 10000):
            guesser.refused("illegal-move", "match.act", action={"do": "guess", "letter": letter})
        self.assertEqual(my_board(guesser.call("match.view"))["bad"], 0)

    def test_moves_out_of_turn(self):
        peers = self.table("hangman", 3)
        setter, (bea, cyd) = self.roles(peers)
        bea.refused("not-your-turn", "match.act", action={"do": "word", "word": "garden"})
        for peer in (setter, bea):
            self.assertIn("no word", peer.refused("illegal-move", "match.act", action={"do": "guess", "letter": "e"}).message)
        setter.call("match.act", action={"do": "word", "word": "garden"})
        self.assertIn(
            setter.refused_any("match.act", action={"do": "word", "word": "window"}), ("not-your-turn", "illegal-move"))
        self.assertIn(
            setter.refused_any("match.act", action={"do": "guess", "letter": "e"}), ("not-your-turn", "illegal-move"))
        harness.guess(bea, "e")

    def test_snap_out_of_turn(self):
        peers = self.table("snap", 2, {"max_flips": 10})
        first = peers[0].call("match.view")["draw"]["first"]
        self.assertEqual(peers[0].call("match.view")["turn"], [first])
        peers[1 - first].refused("not-your-turn", "match.act", action={"do": "flip"})
        entry = peers[first].call("match.act", action={"do": "flip"})["entry"]
        self.assertEqual(entry["author"], first)
        for peer in peers:
            harness.eventually(lambda: peer.call("match.view")["view"]["flips"] == 1, "the card")
            view = peer.call("match.view")["view"]
            self.assertRegex(view["seats"][first]["top"], "^[A2-9TJQK][SHDC]$")
            self.assertEqual((view["seats"][first]["closed"], view["seats"][first]["open"]), (25, 1))
        self.assertIn({"do": "snap"}, peers[first].call("match.view")["legal"])

    def test_actions_that_make_no_sense(self):
        ada = self.table("hangman", 2)[0]
        for action in ({"do": "fly"}, {"do": "flip"}, {"do": 1}, {}, {"word": "garden"}, {"do": None}):
            self.assertIn(
                ada.refused_any("match.act", action=action), ("illegal-move", "bad-params", "not-your-turn"), action)
        for action in (None, 1, "guess e", [], True):
            self.assertIn(ada.refused_any("match.act", action=action), ("illegal-move", "bad-params"), action)
        ada.refused("bad-params", "match.act")
        ada.refused("not-found", "match.act", match="00" * 16, action={"do": "flip"})
        ada.refused("not-found", "match.view", match="xyz")
        ada.refused("not-in-room", "match.view", room="Attic")

    def test_acting_before_a_match_and_after_it(self):
        peers = self.lobby("hangman", 2)
        for peer in peers:
            peer.refused("not-in-match", "match.act", action={"do": "guess", "letter": "e"})
            peer.refused("not-in-match", "match.view")
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")
        harness.play_hangman(peers)
        before = self.assert_ended_well(peers)
        for peer in peers:
            for action in ({"do": "guess", "letter": "e"}, {"do": "word", "word": "garden"}, {"do": "fly"}):
                peer.refused("match-ended", "match.act", action=action)
        self.assertEqual([view["head"] for view in self.assert_same_match(peers)], [view["head"] for view in before])

    def test_a_changed_log_is_not_valid(self):
        peers = self.table("hangman", 2)
        text = peers[0].call("match.export", match=peers[0].call("match.view")["id"])["text"]
        self.assertFalse(peers[0].call("match.verify", text=text)["valid"], "a match that goes on is incomplete")
        harness.play_hangman(peers)
        match = self.assert_ended_well(peers)[0]["id"]
        lines = peers[1].call("match.export", match=match)["text"].split("\n")
        stranger = self.peer("eve")
        self.assertTrue(stranger.call("match.verify", text="\n".join(lines))["valid"])
        entry = lines[8]
        flipped = entry[:-1] + ("0" if entry[-1] != "0" else "1")
        for changed in (
            lines[:8] + [flipped] + lines[9:], lines[:8] + lines[9:], lines[:-2] + [""], lines + [""], lines[1:],
            lines[:8] + [lines[9], lines[8]] + lines[10:], ["garbage"], [""],
        ):
            verdict = stranger.call("match.verify", text="\n".join(changed))
            self.assertFalse(verdict["valid"])
            self.assertTrue(verdict["problem"])
        stranger.refused("not-found", "match.verify", match=match)
        stranger.refused("bad-params", "match.verify")
        stranger.refused("bad-params", "match.verify", match=match, text="")

    def test_a_log_is_read_in_parts(self):
        peers = self.table("hangman", 2)
        harness.play_hangman(peers)
        match = self.assert_ended_well(peers)[0]
        whole = peers[1].call("match.log", match=match["id"])["entries"]
        part = peers[1].call("match.log", match=match["id"], **{"from": 3, "limit": 2})
        self.assertEqual(part, {"entries": whole[3:5], "head": match["head"]})
        self.assertEqual(peers[1].call("match.log", match=match["id"], **{"from": 10000})["entries"], [])
        peers[1].refused("bad-params", "match.log", match=match["id"], **{"from": -1})
        peers[1].refused("bad-params", "match.log", match=match["id"], limit=0)

    def test_a_log_that_does_not_fit_a_line_is_not_sent(self):
        peers = self.table("hangman", 4, {"rounds": 5, "any_word": True})
        harness.play_hangman(peers, "the quick brown fox jumps over", "abcdefghijklmnopqrstuvwxyz")
        view = peers[3].match("ended")
        self.assertGreater(view["entries"], 2500)
        self.assertIn("2097152", peers[3].refused("message-too-large", "match.export", match=view["id"]).message)
        self.assertTrue(peers[3].call("match.verify", match=view["id"])["valid"])
        indexes = []
        while len(indexes) < view["entries"]:
            page = peers[3].call("match.log", match=view["id"], **{"from": len(indexes), "limit": 500})["entries"]
            indexes += [entry["index"] for entry in page]
        self.assertEqual(indexes, list(range(view["entries"])))
        path = os.path.join(self.folder, "long.log")
        self.parlor("export", view["id"], path, home=peers[3].home)
        self.assertGreater(os.path.getsize(path), 2_097_152)
        verdict = json.loads(self.parlor("verify", path, "--json", timeout=60).stdout)
        self.assertEqual((verdict["valid"], verdict["entries"]), (True, view["entries"]))
