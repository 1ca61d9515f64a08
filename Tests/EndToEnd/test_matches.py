"""Finished and running matches: the list, what is told of one, its log as a file, and seeing it again."""
import json
import os
import signal
import subprocess
import time

import harness
from harness import PARLOR, Scenario


class Matches(Scenario):
    def played(self):
        """Two peers that have played a Hangman and a Snap match, newest first."""
        peers = self.table("hangman", 2)
        harness.play_hangman(peers)
        hangman = peers[0].match("ended")["id"]
        for peer in reversed(peers):
            peer.call("room.leave")
        peers[0].call("room.host", game="snap", seats=2, options={"max_flips": 12}, name="Den")
        peers[1].join(peers[0])
        peers[1].call("room.ready", ready=True)
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")
        harness.play_snap(peers)
        return peers, peers[0].match("ended")["id"], hangman

    def json(self, *arguments, **options):
        return json.loads(self.parlor(*arguments, "--json", **options).stdout)

    def test_a_match_that_was_left_is_listed_as_left_also_after_a_restart(self):
        ada, bea, cyd = peers = self.table("hangman", 3)
        bea.call("room.leave")
        ada.event("seat.left", seat=1, why="left")
        ada.call("room.kick", seat=2)
        cyd.event("room.closed", reason="kicked")
        for peer in (bea, cyd):
            row, = peer.call("matches.list")["matches"]
            self.assertEqual((row["state"], row.get("left"), row["outcomes"]), ("playing", True, []))
            peer.stop()
            peer.start()
            self.assertEqual(peer.call("matches.list")["matches"], [row])
            self.assertIn(" left ", self.parlor("matches", home=peer.home).stdout)
        row, = ada.call("matches.list")["matches"]
        self.assertEqual((row["state"], row.get("left")), ("ended", None))
        # A host that leaves its match of two.
        ada, bea = self.table("snap", 2)
        ada.call("room.leave")
        bea.event("match.ended")
        row, = ada.call("matches.list")["matches"]
        self.assertEqual((row["state"], row.get("left")), ("playing", True))

    def test_list_show_and_forget(self):
        (ada, bea), snap, hangman = self.played()
        rows = self.json("matches", home=bea.home)["matches"]
        self.assertEqual([row["id"] for row in rows], [snap, hangman])
        row = rows[0]
        view = bea.call("match.view", match=snap)
        self.assertEqual(
            (row["game"], row["room"], row["state"], row["my_seat"], row["entries"]),
            ("snap", {"id": view["room"], "name": "Den"}, "ended", 1, view["entries"]))
        self.assertEqual(row["outcomes"], [seat["outcome"] for seat in view["seats"]])
        self.assertEqual([seat["player"]["name"] for seat in row["seats"]], ["ada", "bea"])
        now = time.time() * 1000
        self.assertTrue(now - 60_000 < row["started"] < row["ended"] < now + 5_000, row)
        self.assertNotIn("alone", row)
        self.assertEqual([one["id"] for one in self.json("matches", "--game", "hangman", home=bea.home)["matches"]], [hangman])
        self.assertEqual(self.json("matches", "--state", "playing", home=bea.home)["matches"], [])
        self.assertEqual(len(bea.call("matches.list", limit=1)["matches"]), 1)
        text = self.parlor("matches", home=bea.home).stdout.splitlines()
        self.assertTrue(text[0].startswith("ID "), text)
        self.assertTrue(text[1].startswith(snap[:8]) and "you " in text[1], text)
        shown = self.parlor("show", hangman[:8], home=bea.home).stdout
        for part in (f"Hangman, match {hangman}", "The draw: ada ", "Words: garden, garden.", "Valid and complete"):
            self.assertIn(part, shown)
        whole = self.json("show", snap[:8], home=bea.home)
        self.assertEqual((whole["match"]["id"], whole["draw"], whole["verify"]["valid"]), (snap, view["draw"], True))
        for wrong, status in (("xyz", 5), ("00" * 16, 5), ("0123456789abcdef0", 5)):
            self.parlor("show", wrong, home=bea.home, status=status)
        self.parlor("matches", "drop", home=bea.home, status=2)
        self.parlor("matches", "--state", "lost", home=bea.home, status=2)
        self.assertIn("forgotten", self.parlor("matches", "remove", hangman[:8], home=bea.home).stdout)
        self.assertEqual([one["id"] for one in self.json("matches", home=bea.home)["matches"]], [snap])
        self.parlor("matches", "remove", hangman, home=bea.home, status=5)
        self.assertEqual(len(self.json("matches", home=ada.home)["matches"]), 2, "only one's own copy is forgotten")

    def test_a_running_match_is_listed_and_kept(self):
        ada, _ = self.table("snap", 2)
        row = self.json("matches", "--state", "playing", home=ada.home)["matches"][0]
        self.assertEqual((row["state"], row["outcomes"], "ended" in row), ("playing", [], False))
        self.parlor("matches", "remove", row["id"], home=ada.home, status=1)
        verdict = json.loads(self.parlor("verify", row["id"][:12], "--json", home=ada.home, status=1).stdout)
        self.assertEqual((verdict["verdict"], verdict["rule"], verdict["index"]), ("incomplete", "incomplete", verdict["entries"]))
        self.assertIn("Incomplete", self.parlor("replay", row["id"], "--fast", home=ada.home).stderr)

    def test_a_log_is_written_and_read_anywhere(self):
        (ada, bea), snap, hangman = self.played()
        path = os.path.join(self.folder, "match.log")
        self.assertIn("Wrote", self.parlor("export", snap[:10], path, home=ada.home).stdout)
        with open(path) as file:
            text = file.read()
        self.assertEqual(text, bea.call("match.export", match=snap)["text"])
        self.assertEqual(self.parlor("export", snap, home=bea.home).stdout, text)
        self.assertEqual(self.json("export", snap, home=bea.home), {"text": text})
        refused = self.parlor("export", hangman, path, home=ada.home, status=1)
        self.assertIn("--force", refused.stderr)
        with open(path) as file:
            self.assertEqual(file.read(), text, "a file that was there was changed")
        self.parlor("export", hangman, path, "--force", home=ada.home)
        with open(path) as file:
            self.assertEqual(file.read(), ada.call("match.export", match=hangman)["text"])
        self.parlor("export", snap, os.path.join(self.folder, "no", "match.log"), home=ada.home, status=1)
        self.assertEqual([name for name in os.listdir(self.folder) if "part" in name], [])
        # Far from any daemon.
        nowhere = os.path.join(self.folder, "nowhere")
        found = self.json("verify", path, home=nowhere)
        self.assertEqual(found, ada.call("match.verify", match=hangman))
        self.assertEqual([seat["player"]["name"] for seat in found["seats"]], ["ada", "bea"])
        self.assertIn("The word was: garden", self.parlor("replay", path, "--fast", home=nowhere).stdout)
        lines = text.split("\n")
        lines[20] = lines[20][:-1] + ("0" if lines[20][-1] != "0" else "1")
        broken = "\n".join(lines)
        told = json.loads(self.parlor("verify", "-", "--json", home=nowhere, input=broken, status=1).stdout)
        self.assertEqual((told["index"], told["rule"], told["sequencer"]), (18, "signature", 0))
        self.assertEqual(told, ada.call("match.verify", text=broken))
        said = self.parlor("verify", "-", home=nowhere, input=broken, status=1).stdout
        self.assertIn("Entry 18 is by", said)
        self.assertFalse(os.path.exists(nowhere), "a daemon was started")

    def test_seeing_a_match_again(self):
        (ada, bea), snap, _ = self.played()
        fast = self.parlor("replay", snap[:8], "--fast", home=bea.home).stdout
        lines = fast.splitlines()
        self.assertEqual(lines[0], "Snap: ada, bea")
        self.assertTrue(lines[-1].startswith("The match is over: "), lines)
        flips = bea.call("match.view", match=snap)["view"]["flips"]
        self.assertEqual(sum(" flipped: " in line for line in lines), flips)
        self.assertEqual(self.parlor("replay", snap, "--speed", "200", home=bea.home).stdout, fast)
        views = [json.loads(line) for line in self.parlor("replay", snap, "--fast", "--json", home=bea.home).stdout.splitlines()]
        self.assertEqual(views[-1]["head"], bea.call("match.view", match=snap)["head"])
        self.assertIsNone(views[-1]["my_seat"])
        run = subprocess.Popen(
            [PARLOR, "--home", bea.home, "replay", snap, "--speed", "0.01"], text=True, env=harness.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        self.assertEqual(run.stdout.readline(), "Snap: ada, bea\n")
        run.stdout.readline()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(10), 130)
        run.stdout.close(), run.stderr.close()
