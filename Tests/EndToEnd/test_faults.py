"""Connections that are cut, held up, slow or dead, on purpose: fault.set between real daemons."""
import signal
import time

import harness
from harness import Scenario


class Faults(Scenario):
    limit_s = 120

    def disturbed(self, game, seats, options=None):
        """A table whose daemons all allow faults."""
        peers = self.peers(*["ada", "bea", "cyd", "dan"][:seats], arguments=("--faults",))
        peers[0].call("room.host", game=game, seats=seats, options=options or {}, name="Table")
        for peer in peers[1:]:
            peer.join(peers[0])
            peer.call("room.ready", ready=True)
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")
        return peers

    def assert_nobody_left(self, peers):
        for peer in peers:
            self.assertEqual(peer.seen("seat.left"), [])
            self.assertEqual(peer.seen("room.closed"), [])
            self.assertEqual(peer.seen("error"), [])

    def test_faults_need_their_option(self):
        ada = self.peer("ada")
        self.assertIn("--faults", ada.refused("not-allowed", "fault.set", loss=0.5).message)

    def test_what_cannot_be_is_refused_with_what_can(self):
        ada = self.peer("ada", arguments=("--faults",))
        for params, words in [
            ({"loss": 1.5}, "0 to 1"), ({"duplicate": -1}, "0 to 1"), ({"delay_ms": -1}, "0 to 600000"),
            ({"cut_ms": 10**9}, "0 to 600000"), ({"stall_ms": "long"}, "stall_ms"), ({"rate": -5}, "bytes a second"),
            ({"direction": "up"}, "both"), ({"peer": "bea"}, "64 digits"),
            ({"lossy": 0.5}, "'lossy'; there are peer, direction, loss, delay_ms"),
        ]:
            self.assertIn(words, ada.refused("bad-params", "fault.set", **params).message, params)
        self.assertEqual(ada.call("fault.set", loss=0.1, delay_ms=2.5, direction="out", half_open_ms=0, seed=7), {})
        self.assertEqual(ada.call("fault.set", peer="ab" * 32, reorder=1), {})
        self.assertEqual(ada.call("fault.set"), {})

    def test_a_link_cut_for_10_s_in_a_match_keeps_its_seat_and_all_messages(self):
        ada, bea, cyd = peers = self.disturbed("hangman", 3)
        for peer in (ada, cyd):
            peer.call("fault.set", peer=bea.id, cut_ms=10_000)
        bea.event("link.suspect", timeout=5)
        ada.event("seat.away", seat=1, timeout=9)
        for peer in (ada, bea, cyd):
            peer.event("link.resumed", timeout=20)
        cyd.event("seat.back", seat=1, timeout=10)
        harness.play_hangman(peers)
        self.assert_ended_well(peers)
        self.assert_nobody_left(peers)
        self.assertEqual(bea.call("match.view")["my_seat"], 1)
        self.assertEqual(len(ada.seen("link.up")), 2)

    def test_one_broken_link_between_two_takes_nobody_out_of_a_match(self):
        for cut, count in ((1, 3), (2, 4)):
            peers = self.disturbed("hangman", count)
            # The host from a guest, then one guest from another.
            one, other = peers[cut - 1], peers[cut]
            one.call("fault.set", peer=other.id, cut_ms=25_000)
            for peer in (one, other):
                peer.event("link.lost", reason="lost", timeout=15)
            harness.play_hangman(peers)
            self.assert_ended_well(peers)
            for peer in peers:
                for event in ("seat.away", "sequencer.changed"):
                    self.assertEqual(peer.seen(event), [])
                peer.stop()

    def test_a_link_cut_for_10_s_in_a_lobby_keeps_its_seat(self):
        ada, bea = self.peers("ada", "bea", arguments=("--faults",))
        ada.call("room.host", game="snap", seats=2, name="Table")
        bea.join(ada)
        ada.call("fault.set", peer=bea.id, cut_ms=10_000)
        bea.event("link.suspect", timeout=5)
        bea.call("channel.send", mode="reliable", data="aGk=")
        for peer in (ada, bea):
            peer.event("link.resumed", timeout=20)
        ada.event("message", data="aGk=")
        self.assertEqual(bea.call("room.get")["my_seat"], 1)
        self.assert_nobody_left([ada, bea])

    def test_a_half_open_link_is_replaced(self):
        ada, bea, cyd = peers = self.disturbed("hangman", 3)
        bea.call("fault.set", peer=ada.id, half_open_ms=8_000)
        ada.event("link.suspect", timeout=5)
        for peer in (ada, bea):
            peer.event("link.resumed", timeout=25)
        harness.play_hangman(peers)
        self.assert_ended_well(peers)
        self.assert_nobody_left(peers)

    def test_a_stall_of_700_ms_raises_no_suspicion(self):
        peers = self.disturbed("hangman", 3)
        for _ in range(3):
            peers[0].call("fault.set", stall_ms=700)
            time.sleep(1.5)
        harness.play_hangman(peers)
        self.assert_ended_well(peers)
        self.assert_nobody_left(peers)
        for peer in peers:
            self.assertEqual(peer.seen("link.suspect"), [])
            self.assertEqual(peer.seen("seat.away"), [])

    def flips(self, peer, other):
        """Whether it is a peer's turn to flip; lets the other flip if it is not."""
        if {"do": "flip"} in other.call("match.view")["legal"]:
            other.call("match.act", action={"do": "flip"})
        return {"do": "flip"} in peer.call("match.view")["legal"]

    def test_a_seat_that_stalls_twice_is_warned_and_then_told_why_it_is_out(self):
        ada, bea = peers = self.disturbed("snap", 2)
        for event in ("seat.away", "seat.left"):
            harness.eventually(lambda: self.flips(ada, bea), "the turn of ada")
            bea.process.send_signal(signal.SIGSTOP)
            ada.call("match.act", action={"do": "flip"})
            ada.event(event, seat=1, why="withheld", timeout=10)
            bea.process.send_signal(signal.SIGCONT)
            told = bea.event(event, seat=1, why="withheld", timeout=10)
            self.assertIn("within 2 s", told["message"])
            if event == "seat.away":
                ada.event("seat.back", seat=1, timeout=10)
        for peer in peers:
            view = peer.match("ended")
            self.assertEqual((view["seats"][1]["why"], view["seats"][1]["outcome"]), ("withheld", "quit"))
            self.assertIn("withheld its part of a draw twice", self.parlor("view", home=peer.home).stdout)

    def test_a_match_plays_on_over_a_slow_and_lossy_line(self):
        peers = self.disturbed("hangman", 3)
        peers[0].call("fault.set", delay_ms=150, jitter_ms=100, loss=0.02, duplicate=0.05, reorder=0.05, seed=5)
        rtt = harness.eventually(
            lambda: next((link["rtt_ms"]["p50"] for link in peers[0].call("status")["links"]
                          if link["rtt_ms"]["p50"] > 300), None), "the delay to show", 30)
        self.assertLess(rtt, 5_000)
        harness.play_hangman(peers, word="state", letters="staeoinrhdlucmfwypvbgkjqxz")
        self.assert_ended_well(peers)
        self.assert_nobody_left(peers)
        peers[0].call("fault.set")
