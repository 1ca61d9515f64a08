"""Machines that are killed: the host in every phase, and any of them again and again."""
import os
import random
import socket
import time

import harness
from harness import Refused, Scenario, eventually

WAITING = ("illegal-move", "not-your-turn", "match-ended", "timed-out", "busy", "not-in-match", "not-in-room", "room-closed")
"""Reasons for which a player that goes on is refused while machines go and come."""


def play(peers, is_over, seconds=180):
    """Lets the peers that run do what they may until it is over."""
    end, called = time.monotonic() + seconds, set()
    while time.monotonic() < end:
        if is_over():
            return
        for peer in peers:
            try:
                act(peer, called)
            except Refused as error:
                if error.reason not in WAITING:
                    raise
            except (AssertionError, OSError, KeyError):
                pass  # it is being killed or started
        time.sleep(0.01)
    raise AssertionError(f"the match was not over in {seconds} s")


def act(peer, called):
    """One action of a peer, without waiting for its answer longer than a moment."""
    view = peer.call("match.view")
    if view["state"] != "playing" or view["legal"] == []:
        return
    kinds = [action["do"] for action in view["legal"]]
    if "word" in kinds:
        action = {"do": "word", "word": "garden"}
    elif "guess" in kinds:
        action = {"do": "guess", "letter": harness.untried(view, "etaoinshrdlucmfwypvbgkjqxz")}
    else:
        tops = [seat["top"][0] for seat in view["view"]["seats"] if seat["top"]]
        call = (peer.name, view["view"]["flips"])
        if len(set(tops)) < len(tops) and call not in called:
            called.add(call)
            action = {"do": "snap"}
        elif "flip" in kinds:
            action = {"do": "flip"}
        else:
            return
    try:
        peer.answer(peer.send("match.act", action=action), 1)
    except AssertionError:
        pass  # nobody orders entries at the moment; it is tried again


def state(peer, match):
    """The match as a peer has it; None while it does not answer."""
    try:
        return peer.call("match.view", match=match)
    except (Refused, AssertionError, OSError, KeyError):
        return None


class HostKilled(Scenario):
    def killed_when(self, game, what, count, options):
        """Three play; the host is killed when it has told so often what the log says; the others end."""
        ada, bea, cyd = peers = self.lobby(game, 3, {"grace_s": 10, **options})
        ada.call("room.start")
        match = eventually(lambda: state(bea, bea.call("room.get").get("match")), "the match")["id"]

        def seen():
            return len(ada.seen("match.changed", what=what)) >= count
        play(peers, seen)
        ada.kill()
        others = (bea, cyd)

        def is_over():
            return all((state(peer, match) or {}).get("state") == "ended" for peer in others)
        play(others, is_over)
        views = [peer.call("match.view", match=match) for peer in others]
        self.assertEqual(views[0]["head"], views[1]["head"], what)
        for peer, view in zip(others, views):
            verdict = peer.call("match.verify", match=match)
            self.assertTrue(verdict["valid"], verdict)
            self.assertEqual(verdict["outcomes"], [seat["outcome"] for seat in view["seats"]])
            self.assertEqual(len(verdict["outcomes"]), 3)
            self.assertNotIn("timed-out", verdict["outcomes"])
            self.assertEqual([event["kind"] for event in peer.seen("error") if "kind" in event], [])

    def test_when_a_chain_is_given(self):
        self.killed_when("snap", "chain", 1, {"max_flips": 10})

    def test_at_the_first_commitment(self):
        self.killed_when("snap", "commit", 1, {"max_flips": 10})

    def test_at_the_last_commitment(self):
        self.killed_when("snap", "commit", 3, {"max_flips": 10})

    def test_when_a_number_is_shown(self):
        self.killed_when("snap", "draw-reveal", 1, {"max_flips": 10})

    def test_in_the_deal(self):
        self.killed_when("snap", "draw-reveal", 3, {"max_flips": 10})

    def test_at_a_flip(self):
        self.killed_when("snap", "move", 1, {"max_flips": 12})

    def test_in_a_joint_draw(self):
        self.killed_when("snap", "draw", 2, {"max_flips": 12})

    def test_when_a_card_is_turned(self):
        self.killed_when("snap", "open", 3, {"max_flips": 12})

    def test_when_a_word_is_to_be_set(self):
        self.killed_when("hangman", "draw-reveal", 3, {})

    def test_when_a_word_is_set(self):
        self.killed_when("hangman", "move", 1, {})

    def test_at_a_guess(self):
        self.killed_when("hangman", "move", 4, {})

    def test_at_a_later_guess(self):
        self.killed_when("hangman", "move", 9, {})

    def test_at_the_result_of_hangman(self):
        self.killed_when("hangman", "end", 1, {})

    def test_at_the_result_of_snap(self):
        self.killed_when("snap", "end", 1, {"max_flips": 10})


class AnyKilled(Scenario):
    def kills(self, matches, kills, seed):
        """Matches in which any machine is killed and started again, at any moment; returns how many were."""
        chance, done = random.Random(seed), 0
        for _ in range(matches):
            game, seats = chance.choice(("snap", "hangman")), chance.choice((2, 3, 3, 4))
            options = {"grace_s": 60, **({"max_flips": 40} if game == "snap" else {})}
            peers = self.seated(game, seats, options)
            match = peers[0].call("match.view")["id"]
            for _ in range(kills):
                until = time.monotonic() + chance.uniform(0, 2)
                play(peers, lambda: time.monotonic() > until)
                if all((state(peer, match) or {}).get("state") == "ended" for peer in peers):
                    break
                victim = chance.choice(peers)
                victim.kill()
                done += 1
                down = time.monotonic() + chance.choice((0, 1, 7))
                play([peer for peer in peers if peer is not victim], lambda: time.monotonic() > down)
                victim.start()
            self.finish(peers, match, f"{game}, {seats} seats, seed {seed}")
            for peer in peers:
                peer.stop()
        return done

    def seated(self, game, seats, options):
        """A match among peers that have their port again after a restart, as machines of their own would."""
        peers = []
        for name in ("ada", "bea", "cyd", "dan")[:seats]:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                peers.append(self.prepare(name, listen=f"127.0.0.1:{probe.getsockname()[1]}"))
        for peer in peers:
            peer.start()
        peers[0].call("room.host", game=game, seats=seats, options=options, name="Table")
        for peer in peers[1:]:
            peer.join(peers[0])
            peer.call("room.ready", ready=True)
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")
        return peers

    def finish(self, peers, match, what):
        """All end with the same log, which holds, and nobody was blamed for anything."""
        play(peers, lambda: all((state(peer, match) or {}).get("state") == "ended" for peer in peers))
        views = [peer.call("match.view", match=match) for peer in peers]
        self.assertEqual({view["head"] for view in views}, {views[0]["head"]}, what)
        self.assertEqual({view["state_hash"] for view in views}, {views[0]["state_hash"]}, what)
        self.assertEqual([view["my_seat"] for view in views], list(range(len(peers))), what)
        for peer in peers:
            self.assertTrue(peer.call("match.verify", match=match)["valid"], what)
            self.assertEqual([event["kind"] for event in peer.seen("error") if "kind" in event], [], what)

    def test_now_and_then(self):
        matches, kills, seed = (int(os.environ.get(f"PARLOR_{name}", default)) for name, default in (
            ("KILL_MATCHES", 2), ("KILLS", 3), ("KILL_SEED", 1)))
        print(f"{self.kills(matches, kills, seed)} kills in {matches} matches, seed {seed}")
