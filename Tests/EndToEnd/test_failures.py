"""Peers that vanish, freeze, come back or are told to go."""
import os
import signal
import socket
import time

import harness
from harness import Scenario, my_board

GRACE_S = 10


class Failures(Scenario):
    limit_s = 90

    def setter_and_guessers(self, peers):
        first = peers[0].call("match.view")["draw"]["first"]
        return peers[first], [peer for peer in peers if peer is not peers[first]]

    # Guests.

    def test_a_guest_killed_in_the_lobby_is_away_and_its_seat_is_freed(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        began = time.monotonic()
        bea.kill()
        for peer in (ada, cyd):
            peer.event("seat.away", seat=1, timeout=15)
        self.assertEqual(ada.call("room.get")["seats"][1]["state"], "away")
        self.assertIn("bea", ada.refused("not-ready", "room.start").message)
        for peer in (ada, cyd):
            peer.event("seat.left", seat=1, reason="lost", timeout=40)
        self.assertGreater(time.monotonic() - began, 25)
        ada.call("room.start")
        self.assertEqual([seat["player"]["name"] for seat in cyd.match("playing")["seats"]], ["ada", "cyd"])

    def test_a_guest_killed_in_the_lobby_has_its_seat_when_it_comes_back(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        bea.kill()
        ada.event("seat.away", seat=1, timeout=15)
        bea.start()
        self.assertEqual(bea.join(ada)["my_seat"], 1)
        for peer in (ada, cyd):
            peer.event("seat.back", seat=1)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        self.assertEqual(len(bea.match("playing")["seats"]), 3)

    def test_a_guest_killed_during_the_draw_leaves_the_match_to_the_others(self):
        ada, bea, cyd = self.lobby("hangman", 3, {"grace_s": GRACE_S})
        os.kill(cyd.pid, signal.SIGSTOP)
        ada.call("room.start")
        ada.match("drawing")
        cyd.kill()
        for peer in (ada, bea):
            match = peer.match("playing", 40)
            self.assertEqual([seat["state"] for seat in match["seats"]], ["active", "active", "left"])
            self.assertIn(match["draw"]["first"], (0, 1))
            peer.event("seat.left", seat=2, reason="lost", match=match["id"])
        harness.play_hangman([ada, bea])
        views = self.assert_ended([ada, bea])
        self.assertEqual(views[0]["seats"][2]["outcome"], "quit")

    def test_with_too_few_left_in_the_draw_the_room_is_a_lobby_again(self):
        ada, bea = self.lobby("snap", 2, {"grace_s": GRACE_S})
        os.kill(bea.pid, signal.SIGSTOP)
        ada.call("room.start")
        ada.match("drawing")
        bea.kill()
        harness.eventually(lambda: ada.call("room.get")["state"] == "lobby", "the lobby", GRACE_S + 15)
        self.assertEqual(ada.seen("match.started"), [])
        self.assertEqual([seat["wins"] for seat in ada.call("room.get")["seats"]], [0, 0])
        bea.start()
        bea.join(ada)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        self.assertEqual([seat["state"] for seat in bea.match("playing")["seats"]], ["active", "active"])

    def assert_ended(self, peers):
        """As `assert_ended_well`, without the draw of those who left."""
        for peer in peers:
            peer.match("ended", 40)
        views = self.assert_same_match(peers)
        for peer in peers:
            verdict = peer.call("match.verify", match=views[0]["id"])
            self.assertEqual(
                (verdict["valid"], verdict["outcomes"]), (True, [seat["outcome"] for seat in views[0]["seats"]]))
            self.assertEqual(peer.seen("error"), [])
        return views

    def test_a_guest_killed_in_play_for_two(self):
        ada, bea = peers = self.table("hangman", 2, {"grace_s": GRACE_S})
        match = ada.call("match.view")["id"]
        began = time.monotonic()
        bea.kill()
        ada.event("seat.away", seat=1, match=match, timeout=10)
        ada.event("seat.left", seat=1, match=match, reason="lost", timeout=GRACE_S + 10)
        self.assertGreater(time.monotonic() - began, GRACE_S - 1)
        ended = ada.event("match.ended", match=match)
        self.assertEqual(ended["outcomes"], ["won", "quit"])
        view = self.assert_ended(peers[:1])[0]
        self.assertEqual([seat["state"] for seat in view["seats"]], ["active", "left"])

    def test_a_guest_killed_in_play_for_three(self):
        ada, bea, cyd = peers = self.table("hangman", 3, {"grace_s": GRACE_S})
        setter, _ = self.setter_and_guessers(peers)
        setter.call("match.act", action={"do": "word", "word": "garden"})
        match = ada.call("match.view")["id"]
        gone = 1 if setter is not bea else 2
        peers.pop(gone).kill()
        for peer in peers:
            peer.event("seat.away", seat=gone, match=match, timeout=10)
        for peer in peers:
            peer.event("seat.left", seat=gone, match=match, reason="lost", timeout=GRACE_S + 10)
        harness.play_hangman(peers)
        outcomes = [seat["outcome"] for seat in self.assert_ended(peers)[0]["seats"]]
        self.assertEqual(outcomes[gone], "quit")
        self.assertNotIn(None, outcomes)

    def test_a_setter_killed_with_its_word(self):
        ada, bea, cyd = peers = self.table("hangman", 3, {"grace_s": GRACE_S})
        setter, guessers = self.setter_and_guessers(peers)
        if setter is ada:
            # The host is another test's; whoever sets the second word is a guest.
            setter.call("match.act", action={"do": "word", "word": "garden"})
            for peer in guessers:
                harness.eventually(lambda: peer.call("match.view")["legal"], "the turn")
                peer.call("match.act", action={"do": "solve", "word": "garden"})
            setter = harness.eventually(
                lambda: next((peer for peer in (bea, cyd) if {"do": "word", "word": None} in
                              peer.call("match.view")["legal"]), None), "the next setter")
        setter.call("match.act", action={"do": "word", "word": "window"})
        others = [peer for peer in peers if peer is not setter]
        guesser = next(peer for peer in others if peer is not ada)
        harness.eventually(lambda: guesser.call("match.view")["legal"], "the guesser's turn")
        seat = setter.call("match.view")["my_seat"]
        setter.kill()
        for peer in others:
            peer.event("seat.left", seat=seat, reason="lost", timeout=GRACE_S + 15)
        harness.play_hangman(others)
        views = self.assert_ended(others)
        self.assertEqual(views[0]["seats"][seat]["outcome"], "quit")

    def test_snap_goes_on_without_a_guest_that_was_killed(self):
        peers = self.table("snap", 3, {"grace_s": GRACE_S, "max_flips": 30})
        match = peers[0].call("match.view")["id"]
        peers.pop().kill()
        for peer in peers:
            peer.event("seat.away", seat=2, match=match, timeout=10)
        harness.play_snap(peers)
        views = self.assert_ended(peers)
        self.assertEqual(views[0]["seats"][2]["state"], "left")
        self.assertEqual(views[0]["seats"][2]["outcome"], "quit")

    def test_a_guest_that_restarts_takes_its_seat_back_in_the_match(self):
        ada, bea, cyd = peers = self.table("hangman", 3, {"grace_s": 60})
        setter, guessers = self.setter_and_guessers(peers)
        setter.call("match.act", action={"do": "word", "word": "garden"})
        guest = next(peer for peer in guessers if peer is not ada)
        for letter in "ez":
            harness.guess(guest, letter)
        before = guest.call("match.view")
        self.assertEqual(my_board(before)["bad"], 1)
        seat = before["my_seat"]
        guest.kill()
        ada.event("seat.away", seat=seat, match=before["id"])
        guest.start()
        room = guest.join(ada)
        self.assertEqual((room["my_seat"], room["match"]), (seat, before["id"]))
        ada.event("seat.back", seat=seat, match=before["id"])
        after = guest.match("playing")
        self.assertEqual(after["id"], before["id"])
        self.assert_same_match(peers)
        after = guest.call("match.view")
        self.assertEqual(my_board(after), my_board(before))
        harness.play_hangman(peers)
        views = self.assert_ended(peers)
        self.assertNotIn("quit", [one["outcome"] for one in views[0]["seats"]])

    def test_a_frozen_guest_that_thaws_goes_on(self):
        peers = self.table("hangman", 2, {"grace_s": GRACE_S})
        ada, bea = peers
        os.kill(bea.pid, signal.SIGSTOP)
        ada.event("link.suspect", timeout=4)
        time.sleep(1)
        os.kill(bea.pid, signal.SIGCONT)
        ada.event("link.resumed")
        harness.play_hangman(peers)
        self.assert_ended_well(peers)
        for peer in peers:
            self.assertEqual(peer.seen("seat.away") + peer.seen("link.lost"), [])

    def test_a_guest_frozen_for_too_long_comes_back_by_itself(self):
        peers = self.table("hangman", 2, {"grace_s": 60})
        ada, bea = peers
        os.kill(bea.pid, signal.SIGSTOP)
        ada.event("link.lost", timeout=12)
        ada.event("seat.away", seat=1)
        os.kill(bea.pid, signal.SIGCONT)
        ada.event("seat.back", seat=1, timeout=15)
        harness.play_hangman(peers)
        self.assert_ended_well(peers)

    def test_leaving_a_match_is_quitting_it(self):
        ada, bea, cyd = peers = self.table("hangman", 3, {"grace_s": GRACE_S})
        match = ada.call("match.view")["id"]
        bea.call("room.leave")
        bea.event("room.closed", reason="left")
        for peer in (ada, cyd):
            peer.event("seat.left", seat=1, match=match, reason="left")
        bea.refused("room-closed", "room.join", address=ada.address)
        harness.play_hangman([ada, cyd])
        views = self.assert_ended([ada, cyd])
        self.assertEqual((views[0]["seats"][1]["state"], views[0]["seats"][1]["outcome"]), ("left", "quit"))
        self.assertEqual(bea.join(ada)["my_seat"], 1)

    def test_kicking_in_a_match_is_leaving_it(self):
        ada, bea = self.table("hangman", 2)
        match = ada.call("match.view")["id"]
        ada.call("room.kick", seat=1)
        bea.event("room.closed", reason="kicked")
        ada.event("seat.left", seat=1, match=match, reason="kicked")
        self.assertEqual(ada.event("match.ended", match=match)["outcomes"][0], "won")
        self.assert_ended([ada])

    def test_all_guests_leave_a_match(self):
        ada, bea, cyd = self.table("hangman", 3)
        match = ada.call("match.view")["id"]
        for peer in (bea, cyd):
            peer.call("room.leave")
        self.assertEqual(ada.event("match.ended", match=match)["outcomes"], ["first", "quit", "quit"])
        self.assert_ended([ada])
        room = ada.call("room.get")
        self.assertEqual((room["state"], [seat["state"] for seat in room["seats"]]), ("finished", ["taken", "open", "open"]))

    def test_two_of_four_are_killed_at_once(self):
        peers = self.table("hangman", 4, {"grace_s": GRACE_S})
        match = peers[0].call("match.view")["id"]
        for peer in peers[2:]:
            peer.kill()
        for peer in peers[:2]:
            for seat in (2, 3):
                peer.event("seat.left", seat=seat, match=match, reason="lost", timeout=GRACE_S + 10)
        harness.play_hangman(peers[:2])
        outcomes = [seat["outcome"] for seat in self.assert_ended(peers[:2])[0]["seats"]]
        self.assertEqual(outcomes[2:], ["quit", "quit"])

    def test_coming_and_going_many_times(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        for _ in range(40):
            self.assertEqual(bea.join(ada)["my_seat"], 1)
            bea.call("room.leave")
        self.assertEqual(len(ada.seen("seat.taken")), 40)
        harness.eventually(lambda: ada.call("status")["links"] == [], "the links to be closed")
        self.assertEqual([seat["state"] for seat in ada.call("room.get")["seats"]], ["taken", "open", "open", "open"])

    # Hosts.

    def test_a_frozen_host_that_thaws_goes_on(self):
        peers = ada, bea, cyd = self.table("hangman", 3, {"grace_s": GRACE_S})
        os.kill(ada.pid, signal.SIGSTOP)
        bea.event("link.suspect", timeout=4)
        time.sleep(1)
        os.kill(ada.pid, signal.SIGCONT)
        bea.event("link.resumed")
        harness.play_hangman(peers)
        self.assert_ended_well(peers)
        for peer in peers:
            self.assertEqual(peer.seen("seat.away") + peer.seen("link.lost"), [])

    def test_a_host_that_restarts_has_no_room_any_more(self):
        ada, bea = self.lobby("hangman", 2)
        port = ada.port
        ada.kill()
        ada.arguments[ada.arguments.index("127.0.0.1")] = f"127.0.0.1:{port}"
        ada.start()
        self.assertIn(bea.event("room.closed", timeout=20)["reason"], ("host-closed", "host-lost"))
        self.assertEqual([], bea.call("status")["rooms"])
        self.assertEqual([], ada.call("status")["rooms"])

    def test_guests_of_a_host_killed_in_the_lobby_are_told(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        room = ada.call("room.get")["id"]
        ada.kill()
        began = time.monotonic()
        for peer in (bea, cyd):
            self.assertEqual(peer.event("room.closed", room=room, timeout=20)["reason"], "host-lost")
            self.assertEqual([], peer.call("status")["rooms"])
            self.assertEqual([], peer.call("status")["links"])
        self.assertGreater(time.monotonic() - began, 8)

    def test_a_match_of_a_host_that_was_killed_ends_alone(self):
        ada, bea = self.table("hangman", 2, {"grace_s": GRACE_S})
        match = bea.call("match.view")["id"]
        ada.kill()
        began = time.monotonic()
        bea.event("link.suspect", timeout=3)
        bea.event("link.lost", reason="lost", timeout=10)
        self.assertEqual([link["state"] for link in bea.call("status")["links"]], ["resuming"])
        bea.event("match.changed", match=match, what="paused")
        bea.event("seat.away", match=match, seat=0)
        self.assertTrue(bea.call("match.view")["waiting"])
        self.assertIn("The match waits", self.parlor("view", home=bea.home).stdout)
        ended = bea.event("match.ended", match=match, timeout=45)
        self.assertGreater(time.monotonic() - began, 5 + GRACE_S - 1)
        self.assertEqual(ended["outcomes"], ["timed-out", "won"])
        self.assertEqual(bea.event("room.closed", timeout=30)["reason"], "host-lost")
        view = bea.call("match.view", match=match)
        self.assertEqual([seat["outcome"] for seat in view["seats"]], ["timed-out", "won"])
        log = bea.call("match.log", match=match)["entries"]
        self.assertEqual((log[-1]["kind"], log[-1]["body"]["alone"], log[-1]["author"]), ("end", True, 1))
        self.assertNotIn("waiting", view)
        verdict = bea.call("match.verify", match=match)
        self.assertEqual(
            (verdict["valid"], verdict["verdict"], verdict["entries"], verdict["outcomes"]),
            (True, "alone", len(log), ["timed-out", "won"]))
        bea.refused("match-ended", "match.act", match=match, action={"do": "guess", "letter": "e"})

    def test_a_host_that_restarts_at_once_goes_on_with_its_match(self):
        ada, bea = self.table("hangman", 2)
        before = bea.call("match.view")
        ada.kill()
        ada.arguments[ada.arguments.index("127.0.0.1")] = f"127.0.0.1:{ada.port}"
        ada.start()
        harness.play_hangman([ada, bea])
        after = [peer.match("ended") for peer in (ada, bea)]
        self.assertEqual([match["id"] for match in after], [before["id"]] * 2)
        self.assertEqual([match["my_seat"] for match in after], [0, 1])
        self.assertEqual(after[0]["state_hash"], after[1]["state_hash"])
        self.assertNotIn("timed-out", [seat["outcome"] for seat in after[0]["seats"]])
        for peer in (ada, bea):
            self.assertTrue(peer.call("match.verify", match=before["id"])["valid"])
            self.assertEqual(peer.call("room.get")["role"], "host" if peer is ada else "guest")

    def test_a_host_that_leaves_a_match_closes_the_room(self):
        ada, bea = self.table("hangman", 2)
        match = bea.call("match.view")["id"]
        ada.call("room.leave")
        for peer in (ada, bea):
            self.assertEqual(peer.event("room.closed")["reason"], "host-closed")
        self.assertEqual(bea.event("match.ended", match=match)["outcomes"], ["quit", "won"])
        self.assertTrue(bea.call("match.verify", match=match)["valid"])
        self.assertEqual([seat["outcome"] for seat in bea.call("match.view", match=match)["seats"]], ["quit", "won"])

    # Told to go.

    def test_a_host_told_to_stop_says_goodbye(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        status, seconds = ada.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, harness.STOP_S)
        for peer in (bea, cyd):
            self.assertEqual(peer.event("room.closed", timeout=3)["reason"], "shutting-down")
            peer.event("link.lost", peer={"id": ada.id, "name": "ada"}, reason="shutting-down")
        self.assertFalse(os.path.exists(os.path.join(ada.home, "run", "endpoints.json")))

    def test_a_guest_told_to_stop_says_goodbye(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        bea.process.send_signal(signal.SIGINT)
        self.assertEqual(bea.process.wait(harness.STOP_S), 0)
        for peer in (ada, cyd):
            peer.event("seat.left", seat=1, reason="shutting-down", timeout=3)
        self.assertEqual(ada.call("room.get")["seats"][1]["state"], "open")

    def test_stopping_in_a_match(self):
        ada, bea, cyd = peers = self.table("hangman", 3, {"grace_s": GRACE_S})
        match = ada.call("match.view")["id"]
        status, seconds = cyd.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, harness.STOP_S)
        self.assertEqual(ada.event("link.lost")["reason"], "shutting-down")
        ada.event("seat.left", seat=2, match=match, timeout=GRACE_S + 10)
        status, seconds = ada.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, harness.STOP_S)
        self.assertEqual(bea.event("room.closed")["reason"], "shutting-down")
        self.assertEqual(bea.event("match.ended", match=match)["outcomes"], ["timed-out", "won", "quit"])

    def test_stopping_while_a_stranger_holds_on(self):
        ada = self.peer("ada")
        held = [socket.create_connection(("127.0.0.1", ada.port)) for _ in range(5)]
        control = harness.Wire(ada.control)
        control.write(b'{"jsonrpc":"2.0","id":1,"method":"rooms.list","params":{"wait_ms":60000}}\n')
        status, seconds = ada.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, harness.STOP_S)
        for connection in held:
            connection.close()
        control.close()
