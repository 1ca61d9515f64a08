"""Matches on disk: what a killed daemon still has, and what becomes of a file that cannot be used."""
import os
import re
import sqlite3

import harness
from harness import Scenario, eventually


class Store(Scenario):
    def file(self, peer):
        return os.path.join(peer.home, "data", "matches.db")

    def ready(self, peer, state="ready"):
        """Waits until the file is open."""
        return eventually(
            lambda: (store := peer.call("status")["store"])["state"] == state and store, f"a store that is {state}")

    def restart(self, peer):
        peer.kill()
        peer.socket.close()
        peer.start()
        self.ready(peer)

    def played(self, seats=2):
        """A match of Hangman that has ended."""
        peers = self.table("hangman", seats)
        harness.play_hangman(peers)
        return peers, self.assert_ended_well(peers)

    def error(self, peer):
        """What the daemon said about its store when it started."""
        peer.call("events.subscribe", types=["error"], since=0)
        return peer.event("error", reason="not-stored")["message"]

    def test_a_killed_daemon_has_every_match_it_has_shown(self):
        peers, views = self.played()
        for peer, view in zip(peers, views):
            match = view["id"]
            before = {
                "log": peer.call("match.log", match=match), "export": peer.call("match.export", match=match),
                "list": peer.call("matches.list")}
            self.restart(peer)
            self.assertEqual(peer.call("matches.list"), before["list"])
            self.assertEqual(peer.call("match.log", match=match), before["log"])
            self.assertEqual(peer.call("match.export", match=match), before["export"])
            self.assertEqual(
                peer.call("match.log", match=match, **{"from": 2}, limit=3)["entries"], before["log"]["entries"][2:5])
            verdict = peer.call("match.verify", match=match)
            self.assertEqual(
                (verdict["valid"], verdict["verdict"], verdict["entries"], verdict["outcomes"]),
                (True, "complete", view["entries"], [seat["outcome"] for seat in view["seats"]]))
            after = peer.call("match.view", match=match)
            for key in view:
                if key != "now_ms":
                    self.assertEqual(after[key], view[key], key)

    def test_a_row_says_what_a_match_was(self):
        (ada, bea), views = self.played()
        for peer, view in ((ada, views[0]), (bea, views[1])):
            row, = peer.call("matches.list")["matches"]
            self.assertEqual(
                {key: row[key] for key in ("id", "game", "state", "my_seat", "entries")},
                {key: view[key] for key in ("id", "game", "state", "my_seat", "entries")})
            self.assertEqual(row["room"], {"id": view["room"], "name": "Table"})
            self.assertEqual(
                row["seats"], [{key: seat[key] for key in seat if key != "state"} for seat in view["seats"]])
            self.assertEqual(row["outcomes"], [seat["outcome"] for seat in view["seats"]])
            self.assertLess(row["started"], row["ended"])
            self.assertNotIn("alone", row)
            for params, count in (
                    ({"state": "ended"}, 1), ({"state": "playing"}, 0), ({"game": "hangman"}, 1), ({"game": "snap"}, 0),
                    ({"limit": 1}, 1)):
                self.assertEqual(len(peer.call("matches.list", **params)["matches"]), count, params)
        ada.refused("bad-params", "matches.list", limit=0)
        ada.refused("bad-params", "matches.list", game="chess")
        ada.refused("bad-params", "matches.list", state="over")

    def test_matches_are_listed_newest_first_and_can_be_removed(self):
        peers, views = self.played()
        first = views[0]["id"]
        for peer in peers:
            peer.call("room.rematch")
        eventually(lambda: all(peer.call("match.view")["id"] != first for peer in peers), "another match")
        second = peers[0].match("playing")["id"]
        ada = peers[0]
        self.assertEqual([row["id"] for row in ada.call("matches.list")["matches"]], [second, first])
        self.assertEqual([row["id"] for row in ada.call("matches.list", limit=1)["matches"]], [second])
        ada.refused("not-allowed", "matches.remove", match=second)
        self.assertEqual(ada.call("matches.remove", match=first), {})
        ada.refused("not-found", "matches.remove", match=first)
        ada.refused("not-found", "match.log", match=first)
        self.restart(ada)
        self.assertEqual([row["id"] for row in ada.call("matches.list")["matches"]], [second])
        ada.refused("not-found", "match.export", match=first)

    def test_a_match_that_was_on_is_there_as_far_as_it_was_shown(self):
        peers = self.table("hangman", 2)
        first = peers[0].call("match.view")["draw"]["first"]
        setter, guesser = peers[first], peers[1 - first]
        setter.call("match.act", action={"do": "word", "word": "garden"})
        for letter in "eaz":
            harness.guess(guesser, letter)
        for peer in peers:
            view = peer.call("match.view")
            log = peer.call("match.log", match=view["id"])["entries"]
            self.restart(peer)
            row, = peer.call("matches.list", state="playing")["matches"]
            self.assertEqual((row["id"], row["state"]), (view["id"], "playing"))
            self.assertNotIn("ended", row)
            self.assertGreaterEqual(row["entries"], view["entries"])
            self.assertEqual(peer.call("match.log", match=view["id"])["entries"][:len(log)], log)
            # The others may go on with it meanwhile: it is read between two looks at its length.
            exported = len(peer.call("match.export", match=view["id"])["text"].splitlines()) - 2
            verdict = peer.call("match.verify", match=view["id"])
            after, = peer.call("matches.list", state="playing")["matches"]
            self.assertFalse(verdict["valid"])
            for entries in exported, verdict["entries"]:
                self.assertIn(entries, range(row["entries"], after["entries"] + 1))
            self.assertIn("incomplete", verdict["problem"])
            # What only this seat knows comes out of the log again.
            again = peer.call("match.view", match=view["id"])["view"]
            self.assertEqual(again.get("word"), view["view"].get("word"))

    def test_a_killed_guest_that_joins_again_goes_on_from_what_it_had(self):
        ada, bea = self.table("hangman", 2)
        first = ada.call("match.view")["draw"]["first"]
        setter, guesser = ((ada, bea), (bea, ada))[first]
        setter.call("match.act", action={"do": "word", "word": "garden"})
        harness.guess(guesser, "e")
        before = bea.call("match.view")
        row, = bea.call("matches.list")["matches"]
        self.restart(bea)
        bea.join(ada)
        after = eventually(lambda: self.in_match(bea), "the match to be there again")
        self.assertEqual((after["id"], after["my_seat"]), (before["id"], before["my_seat"]))
        self.assertGreaterEqual(after["entries"], before["entries"])
        again, = bea.call("matches.list")["matches"]
        self.assertEqual((again["id"], again["started"]), (row["id"], row["started"]))
        self.assertGreaterEqual(again["entries"], row["entries"])
        harness.play_hangman([ada, bea], word="garden")
        self.assert_ended_well([ada, bea])
        self.restart(bea)
        row, = bea.call("matches.list")["matches"]
        self.assertEqual(row["state"], "ended")
        self.assertTrue(bea.call("match.verify", match=row["id"])["valid"])

    def in_match(self, peer):
        try:
            return peer.call("match.view")
        except harness.Refused:
            return None

    def test_a_damaged_file_is_set_aside_and_said(self):
        (ada, _), _ = self.played()
        self.assertEqual(ada.stop()[0], 0)
        with open(self.file(ada), "r+b") as file:
            file.seek(4096)
            file.write(b"\0" * 4096)
        damaged = open(self.file(ada), "rb").read()
        ada.socket.close()
        ada.start()
        self.ready(ada)
        self.assertEqual(ada.call("matches.list")["matches"], [])
        names = os.listdir(os.path.dirname(self.file(ada)))
        aside, = [name for name in names if re.fullmatch(r"matches\.db\.damaged-\d{8}-\d{6}", name)]
        self.assertEqual(open(os.path.join(os.path.dirname(self.file(ada)), aside), "rb").read(), damaged)
        message = self.error(ada)
        self.assertIn(aside, message)
        self.assertIn(message, ada.log())
        self.assertEqual(ada.call("status")["store"], {"state": "ready", "detail": message})

    def test_a_newer_file_is_left_alone_and_play_goes_on(self):
        ada = self.peer("ada")
        self.ready(ada)
        self.assertEqual(ada.stop()[0], 0)
        ada.socket.close()
        database = sqlite3.connect(self.file(ada))
        database.execute("PRAGMA user_version = 99")
        database.close()
        before = open(self.file(ada), "rb").read()
        ada.start()
        store = self.ready(ada, "memory")
        self.assertIn("newer", store["detail"])
        self.assertEqual(self.error(ada), store["detail"])
        bea = self.peer("bea")
        ada.call("room.host", game="hangman", seats=2)
        bea.join(ada)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        harness.play_hangman([ada, bea])
        view = self.assert_ended_well([ada, bea])[0]
        self.assertEqual([row["id"] for row in ada.call("matches.list")["matches"]], [view["id"]])
        self.assertEqual(ada.call("matches.remove", match=view["id"]), {})
        self.assertEqual(ada.call("matches.list")["matches"], [])
        self.assertEqual(ada.stop()[0], 0)
        self.assertEqual(open(self.file(ada), "rb").read(), before)

    def test_a_folder_that_cannot_be_written_stops_nobody(self):
        """Where the file should be, there is a folder: SQLite cannot open it, now or later."""
        ada = self.prepare("ada")
        os.makedirs(self.file(ada), 0o700)
        ada.start()
        store = self.ready(ada, "failing")
        self.assertIn("matches.db", store["detail"])
        self.assertEqual(ada.call("matches.list")["matches"], [])
        os.rmdir(self.file(ada))
        self.ready(ada)
        self.assertTrue(os.path.isfile(self.file(ada)))
