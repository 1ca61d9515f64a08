"""Matches by turns: nobody has to be there at the same time, and a killed daemon loses and doubles nothing."""
import json
import time

from harness import Scenario, eventually


class Turns(Scenario):
    limit_s = 180

    def meet(self, *peers):
        for other in peers[1:]:
            peers[0].call("turns.sync", address=other.address)
            eventually(lambda: [one for one in other.call("turns.peers")["peers"] if one["player"]["id"] == peers[0].id],
                       "both to have met")

    def turn(self, peer, match, state):
        def find():
            found = [one for one in peer.call("turns.list")["matches"] if one["id"] == match]
            return found[0] if found and found[0]["state"] == state else None
        return eventually(find, f"the match to be {state} at {peer.name}", 20)

    def test_tic_tac_toe_with_one_daemon_at_a_time(self):
        ada, bea = self.peers("ada", "bea")
        self.meet(ada, bea)
        match = ada.call("turns.new", game="tictactoe", **{"with": ["bea"]})["id"]
        for number, cell in enumerate((1, 4, 2, 5, 3)):
            mover, other = (ada, bea) if number % 2 == 0 else (bea, ada)
            self.turn(mover, match, "invited" if number == 1 else "yours")
            if number:
                mover.refused("illegal-move", "turns.play", match=match, action={"do": "place", "cell": 1})
            # The other is away when the move is made, and the mover comes back when it is there again.
            other.stop()
            mover.call("turns.play", match=match[:6], action={"do": "place", "cell": cell})
            mover.kill()
            other.start()
            mover.start()
            self.meet(mover, other)
        for peer, outcomes in ((ada, ["won", "lost"]), (bea, ["won", "lost"])):
            view = self.turn(peer, match, "ended")
            self.assertEqual([seat["outcome"] for seat in view["seats"]], outcomes)
            self.assertEqual((view["moves"], view["turn"], view["doubles"]), (5, None, []))
        self.assertEqual(ada.call("turns.get", match=match)["head"], bea.call("turns.get", match=match)["head"])
        again = bea.call("turns.rematch", match=match)
        self.assertEqual((again["after"], again["my_seat"], again["state"]), (match, 0, "yours"))
        self.assertEqual(bea.call("turns.rematch", match=match)["id"], again["id"])
        bea.call("turns.remove", match=match)
        bea.refused("not-found", "turns.get", match=match)
        bea.refused("not-allowed", "turns.remove", match=again["id"])

    def test_a_courier_carries_a_story_of_three(self):
        ada, bea = self.peers("ada", "bea")
        self.meet(ada, bea)
        ada.stop()
        cyd = self.peer("cyd")
        self.meet(bea, cyd)
        cyd.stop()
        ada.start()
        self.meet(bea, ada)
        story = ada.call("turns.new", game="story", **{"with": ["bea", cyd.id]})["id"]
        ada.call("turns.play", match=story, action={"do": "append", "text": "there was"})
        # From here on ada and cyd never run together.
        ada.kill()
        ada.start()
        self.meet(bea, ada)
        self.turn(bea, story, "invited")
        bea.event("turn.invited", match=story)
        bea.event("turn.yours", match=story, turn=1)
        bea.call("turns.play", match=story, action={"do": "append", "text": "a house"})
        ada.stop()
        cyd.start()
        self.meet(bea, cyd)
        self.turn(cyd, story, "invited")
        cyd.call("turns.play", match=story, action={"do": "append", "text": "by the sea"})
        cyd.kill()
        cyd.start()
        self.meet(cyd, bea)
        eventually(lambda: bea.call("turns.get", match=story)["moves"] == 3, "cyd's turn at bea", 20)
        cyd.stop()
        ada.start()
        self.meet(bea, ada)
        view = self.turn(ada, story, "yours")
        self.assertEqual(view["view"]["text"], "Once upon a time there was a house by the sea")
        ada.call("turns.quit", match=story)
        self.assertEqual(ada.call("turns.get", match=story)["state"], "ended")

    def test_what_was_answered_outlives_a_kill_and_is_told_by_itself(self):
        # An address of its own, where nobody takes the port meanwhile.
        ada, bea = self.peer("ada"), self.peer("bea", listen="127.0.7.2")
        ada.call("turns.sync", address=f"127.0.7.2:{bea.port}")
        bea.stop()
        matches = [ada.call("turns.new", game="tictactoe", **{"with": ["bea"]})["id"] for _ in range(5)]
        for number, match in enumerate(matches):
            head = ada.call("turns.play", match=match, action={"do": "place", "cell": number + 1})["head"]
            ada.kill()
            ada.start()
            self.assertEqual(ada.call("turns.get", match=match)["head"], head)
            ada.refused("not-your-turn", "turns.play", match=match, action={"do": "place", "cell": 9})
        # Bea is where she was met: who starts with something to tell dials.
        bea.start()
        ada.kill()
        ada.start()
        for match in matches:
            self.turn(bea, match, "invited")

    def test_a_kill_at_any_moment_loses_nothing_that_was_told_and_signs_nothing_twice(self):
        ada, bea = self.peers("ada", "bea")
        self.meet(ada, bea)
        match = ada.call("turns.new", game="story", **{"with": ["bea"]})["id"]
        for number in range(10):
            # The delay only varies where the kill hits: before the disk, before the link, or after both.
            ada.send("turns.play", match=match, action={"do": "append", "text": f"ada {number}"})
            time.sleep(number * 0.001)
            ada.kill()
            ada.start()
            mine = ada.call("turns.get", match=match)
            if mine["state"] == "yours":
                mine = ada.call("turns.play", match=match, action={"do": "append", "text": f"ada {number}"})
            self.assertEqual((mine["moves"], mine["state"]), (2 * number + 1, "theirs"))
            ada.kill()
            ada.start()
            self.meet(ada, bea)
            eventually(
                lambda: [one["head"] for one in bea.call("turns.list")["matches"]] == [mine["head"]],
                "ada's turn at bea", 20)
            theirs = bea.call("turns.play", match=match, action={"do": "append", "text": "and"})
            self.assertEqual((theirs["moves"], theirs["doubles"]), (2 * number + 2, []))
            ada.kill()
            ada.start()
            self.meet(ada, bea)
            eventually(lambda: ada.call("turns.get", match=match)["head"] == theirs["head"], "bea's turn at ada", 20)
        text = bea.call("turns.get", match=match)["view"]["text"]
        self.assertEqual(text, "Once upon a time" + "".join(f" ada {number} and" for number in range(10)))

    def test_an_open_seat_is_taken_by_who_looks_for_one(self):
        ada, bea = self.peers("ada", "bea")
        offered = ada.call("turns.new", game="tictactoe", auto=True)
        self.assertEqual([seat["status"] for seat in offered["seats"]], ["active", "unknown"])
        ada.call("turns.play", match=offered["id"], action={"do": "place", "cell": 5})
        self.meet(ada, bea)
        eventually(lambda: bea.call("turns.list", state="offered")["matches"], "the offer")
        taken = bea.call("turns.new", game="tictactoe", auto=True)
        self.assertEqual(taken["id"], offered["id"])
        self.assertEqual(self.turn(bea, offered["id"], "yours")["my_seat"], 1)
        bea.call("turns.play", match=offered["id"], action={"do": "place", "cell": 1})

    def test_two_rematches_become_one(self):
        ada, bea = self.peers("ada", "bea")
        self.meet(ada, bea)
        match = ada.call("turns.new", game="tictactoe", **{"with": ["bea"]})["id"]
        ada.call("turns.quit", match=match)
        ada.call("turns.sync")
        self.turn(bea, match, "ended")
        bea.stop()
        made = {ada.call("turns.rematch", match=match)["id"]}
        ada.stop()
        bea.start()
        made.add(bea.call("turns.rematch", match=match)["id"])
        self.assertEqual(len(made), 2)
        ada.start()
        self.meet(ada, bea)

        def kept(peer):
            return [one["id"] for one in peer.call("turns.list")["matches"]
                    if one.get("after") == match and one["state"] in ("yours", "theirs")]
        for peer in (ada, bea):
            eventually(lambda: kept(peer) == [min(made)], f"one rematch at {peer.name}", 20)

    def test_who_asks_for_an_exchange_has_it_now(self):
        ada, bea = self.peers("ada", "bea")
        self.meet(ada, bea)
        # An exchange has just been: the next one by itself comes a minute later.
        match = ada.call("turns.new", game="tictactoe", **{"with": ["bea"]})["id"]
        ada.call("turns.sync")
        # Sooner than an idle link ends and is made again, which would tell it too.
        soon = 8
        eventually(lambda: match in [one["id"] for one in bea.call("turns.list")["matches"]], "the invitation", soon)
        ada.call("turns.play", match=match, action={"do": "place", "cell": 1})
        bea.call("turns.sync")
        eventually(lambda: bea.call("turns.get", match=match)["moves"] == 1, "the move", soon)

    def test_an_offer_is_made_once_and_given_up_for_another(self):
        ada, bea = self.peers("ada", "bea")
        own = ada.call("turns.new", game="tictactoe", auto=True)["id"]
        self.assertEqual(ada.call("turns.new", game="tictactoe", auto=True)["id"], own)
        other = bea.call("turns.new", game="tictactoe", auto=True)["id"]
        self.meet(ada, bea)
        eventually(lambda: ada.call("turns.list", state="offered")["matches"], "bea's offer")
        self.assertEqual(ada.call("turns.new", game="tictactoe", auto=True)["id"], other)
        self.turn(ada, own, "ended")

    def test_commands(self):
        ada, bea = self.peers("ada", "bea")
        self.assertIn("bea", self.parlor("turn", "sync", "--address", bea.address, home=ada.home).stdout)
        made = self.parlor("turn", "new", "tictactoe", "--with", "bea", "--limit", "48", "--json", home=ada.home)
        match = json.loads(made.stdout)
        self.assertEqual((match["turn_s"], match["state"]), (48 * 3600, "yours"))
        self.assertIn("bea's turn", self.parlor("turn", "play", match["id"][:8], "place", "5", home=ada.home).stdout)
        self.assertIn("theirs", self.parlor("turn", "list", home=ada.home).stdout)
        self.assertIn("A turn may take 48 h", self.parlor("turn", "show", match["id"], home=ada.home).stdout)
        refused = self.parlor("turn", "play", match["id"], "place", "1", home=ada.home, status=1)
        self.assertIn(f"It is not your turn. See the match: parlor turn show {match['id']}", refused.stderr)
        seats = self.parlor("turn", "new", "tictactoe", "--open", "9", home=ada.home, status=2)
        self.assertIn("Tic Tac Toe has 2 seats, and this makes 10", seats.stderr)
        self.assertIn("None of your matches", self.parlor("turn", "list", "--state", "yours", home=ada.home).stderr)
        self.assertIn("bea is told", self.parlor("turn", "remind", match["id"], home=ada.home).stdout)
        self.parlor("export", match["id"], home=ada.home, status=1)
        self.parlor("turn", "skip", match["id"], home=ada.home, status=1)
        self.parlor("turn", "show", "ffffffffff", home=ada.home, status=5)
        self.parlor("turn", "new", "snap", "--open", "1", home=ada.home, status=2)
        self.parlor("turn", "new", "story", "--with", "nobody", home=ada.home, status=5)
        self.parlor("turn", "dance", home=ada.home, status=2)
        self.assertIn("is over: you quit, bea won.", self.parlor("turn", "quit", match["id"], home=ada.home).stdout)
        story = json.loads(
            self.parlor("turn", "new", "story", "--open", "1", "--json", home=ada.home).stdout)["id"]
        self.parlor("turn", "play", story, "append", "there was", home=ada.home)
        eventually(lambda: bea.call("turns.list", state="offered")["matches"], "the offer", 20)
        self.assertIn("1 offered by others", self.parlor("turn", "list", home=bea.home).stderr)
        self.assertEqual(self.parlor("export", "--story", story[:8], home=ada.home).stdout, "Once upon a time there was\n")
        self.parlor("export", story, home=ada.home, status=2)
