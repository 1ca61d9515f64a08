"""Tic Tac Toe and Story in rooms, Lucky alone: with real daemons, from the draw to the exported text."""
import json
import os
import subprocess

import harness
from harness import PARLOR, Scenario, environment, eventually


def act(peer, **action):
    """One action of the peer."""
    return peer.call("match.act", action=action)["entry"]


class TurnGames(Scenario):
    limit_s = 120

    def to_move(self, peers):
        """The peer whose turn it is by everybody's view, and the view; None once it is over."""
        def agree():
            views = [peer.call("match.view") for peer in peers]
            return views if len({view["head"] for view in views}) == 1 else None
        view = eventually(agree, "everybody to see the same", 10)[0]
        mover = next((peer for peer in peers if peer.call("match.view")["my_seat"] in view["turn"]), None)
        return mover, view

    def test_tic_tac_toe_from_the_draw_to_the_outcomes(self):
        peers = self.table("tictactoe", 2)
        first, view = self.to_move(peers)
        self.assertEqual(view["draw"]["first"], view["turn"][0])
        other = peers[1 - view["turn"][0]]
        mine, theirs = (peer.call("match.view")["view"] for peer in (first, other))
        self.assertEqual((mine["mark"], theirs["mark"]), ("X", "O"))
        self.assertEqual(mine["cells"], [""] * 9)
        self.assertEqual(first.call("match.view")["legal"], [{"do": "place", "cell": cell} for cell in range(1, 10)])
        self.assertEqual(other.call("match.view")["legal"], [])
        other.refused("not-your-turn", "match.act", action={"do": "place", "cell": 1})
        first.refused("bad-params", "match.act", action={"do": "place", "cell": 10})
        act(first, do="place", cell=5)
        eventually(lambda: other.call("match.view")["legal"], "the other's turn")
        self.assertIn(
            "pick an empty square", other.refused("illegal-move", "match.act", action={"do": "place", "cell": 5}).message)
        for cell in (1, 3, 2, 7):
            mover, _ = self.to_move(peers)
            act(mover, do="place", cell=cell)
        # X has 5, 3 and 7: a diagonal.
        views = self.assert_ended_well(peers)
        self.assertEqual(views[0]["view"]["line"], [3, 5, 7])
        self.assertEqual(
            [seat["outcome"] for seat in views[0]["seats"]], ["won", "lost"] if first is peers[0] else ["lost", "won"])
        first.refused("match-ended", "match.act", action={"do": "place", "cell": 9})

    def test_who_leaves_tic_tac_toe_has_quit(self):
        ada, bea = self.table("tictactoe", 2)
        bea.call("room.leave")
        view = eventually(lambda: ada.match("ended"), "the end")
        self.assertEqual([seat["outcome"] for seat in view["seats"]], ["won", "quit"])
        self.assertTrue(ada.call("match.verify", match=view["id"])["valid"])

    def test_tic_tac_toe_waits_for_who_is_away(self):
        ada, bea = self.table("tictactoe", 2, {"grace_s": 60})
        mover, _ = self.to_move([ada, bea])
        bea.kill()
        eventually(lambda: ada.call("match.view")["seats"][1]["state"] == "away", "bea to be away", 15)
        self.assertEqual(ada.call("match.view")["state"], "playing")
        bea.start()
        eventually(lambda: ada.call("match.view")["seats"][1]["state"] == "active", "bea to be back", 30)
        bea.match("playing")
        for cell in (1, 5, 2, 4, 3):
            mover, _ = self.to_move([ada, bea])
            act(mover, do="place", cell=cell)
        self.assert_ended_well([ada, bea])

    def test_a_story_of_three_with_its_limits(self):
        peers = self.table("story", 3)
        mover, view = self.to_move(peers)
        self.assertEqual(view["view"], {
            "text": "Once upon a time", "bytes": 16, "left": None, "authors": [], "turn": view["turn"][0]})
        self.assertEqual(mover.call("match.view")["legal"], [{"do": "append", "text": None}])
        for text in ("", "a\nb", "\u0007", "x" * 251, "\u202eabc"):
            mover.refused("illegal-move", "match.act", action={"do": "append", "text": text})
        rocket = "\U0001f469\u200d\U0001f680"
        act(mover, do="append", text=rocket * 250)
        mover, view = self.to_move(peers)
        self.assertEqual((view["view"]["bytes"], view["view"]["left"]), (2767, None))
        act(mover, do="append", text="\u00e9" * 233)
        mover, view = self.to_move(peers)
        self.assertEqual((view["view"]["bytes"], view["view"]["left"]), (3234, 862))
        self.assertIn(
            "862 bytes left",
            mover.refused("illegal-move", "match.act", action={"do": "append", "text": rocket * 79}).message)
        act(mover, do="append", text="\U0001f989" * 141)
        mover, view = self.to_move(peers)
        self.assertEqual((view["view"]["bytes"], view["state"]), (3799, "playing"))
        act(mover, do="append", text="The end: " + "z" * 241)
        views = self.assert_ended_well(peers)
        self.assertEqual([seat["outcome"] for seat in views[0]["seats"]], ["tied"] * 3)
        story = views[0]["view"]
        written = story["text"].encode()
        self.assertEqual(len(written), story["bytes"])
        parts = [written[part["from"]:part["to"]].decode() for part in story["authors"]]
        self.assertEqual(parts[1], "\u00e9" * 233)
        self.assertEqual("Once upon a time " + " ".join(parts), story["text"])
        # As text, to a file and to standard output.
        home = os.path.dirname(os.path.dirname(peers[1].control))
        path = os.path.join(self.folder, "story.txt")
        self.parlor("export", "--story", views[0]["id"], path, home=home)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), story["text"] + "\n")
        said = self.parlor("--json", "export", "--story", views[0]["id"], home=home).stdout
        self.assertEqual(json.loads(said)["text"], story["text"])
        shown = self.parlor("replay", "--fast", views[0]["id"], home=home).stdout
        self.assertIn("Once upon a time", shown)

    def test_who_leaves_a_story_is_skipped_and_the_last_one_ends_it(self):
        ada, bea, cyd = self.table("story", 3)
        mover, view = self.to_move([ada, bea, cyd])
        bea.call("room.leave")
        eventually(lambda: ada.call("match.view")["seats"][1]["state"] == "left", "bea to have left")
        mover, view = self.to_move([ada, cyd])
        act(mover, do="append", text="there were two.")
        cyd.call("room.leave")
        view = eventually(lambda: ada.match("ended"), "the end")
        self.assertEqual([seat["outcome"] for seat in view["seats"]], ["tied", "quit", "quit"])

    def test_bots_play_both_games(self):
        ada, = self.peers("ada")
        for game, bots in (("tictactoe", 1), ("story", 3)):
            with self.subTest(game=game):
                room = ada.call(
                    "room.host", game=game, seats=bots + 1, bots=bots, bot_level="hard", hidden=True,
                    options={"turn_s": 1} if game == "story" else {})
                ada.call("room.start")
                ada.match("playing")
                def go():
                    view = ada.call("match.view", room=room["id"])
                    if view["legal"] and game == "tictactoe":
                        act(ada, **view["legal"][0])
                    return view if view["state"] == "ended" or len(view["view"].get("authors", [])) >= 2 else None
                view = eventually(go, "the bots to play", 30)
                if game == "tictactoe":
                    self.assertIn(view["seats"][0]["outcome"], ("lost", "tied"))
                else:
                    self.assertTrue(view["view"]["text"].startswith("Once upon a time there "))
                ada.call("room.leave", room=room["id"])

    def test_lucky_alone_by_commands(self):
        home = self.home()
        room = json.loads(self.parlor("play", "lucky", "--level", "easy", "--json", home=home).stdout)
        self.assertEqual((len(room["seats"]), room["options"]["level"]), (1, "easy"))
        def view():
            return json.loads(self.parlor("view", "--json", home=home).stdout)
        eventually(lambda: view()["state"] == "playing", "the game")
        safe = 0
        while True:
            self.parlor("act", "press", str(safe % 4 + 1), home=home)
            seen = view()
            if seen["view"]["over"]:
                break
            safe += 1
            self.assertEqual((seen["view"]["score"], len(seen["view"]["pressed"])), (safe, safe))
        seen = eventually(lambda: (lambda one: one if one["state"] == "ended" else None)(view()), "the end")
        self.assertEqual(seen["view"]["score"], safe)
        self.assertEqual(len(seen["view"]["killers"]), 1)
        self.assertEqual(seen["seats"][0]["outcome"], "lost")
        self.assertIn("Valid and complete", self.parlor("verify", seen["id"], home=home).stdout)
        log = self.parlor("export", seen["id"], home=home).stdout
        done = subprocess.run(
            [PARLOR, "verify", "-"], input=log, capture_output=True, text=True, env=environment(), timeout=30)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.parlor("daemon", "stop", home=home)
