"""Rooms that are asked for at the wrong peer, and rooms that a daemon comes back to after it was killed."""
import harness
from harness import Refused, Scenario


class Rooms(Scenario):
    limit_s = 90

    # Asked for at a guest.

    def test_a_guest_sends_on_to_the_host(self):
        ada, bea, cyd, dan, eve = self.peers("ada", "bea", "cyd", "dan", "eve")
        room = ada.call("room.host", game="hangman", name="Attic", seats=4)
        bea.join(ada)
        self.assertEqual(cyd.join(bea)["my_seat"], 2)
        self.assertEqual(dan.join(cyd, room="Attic")["my_seat"], 3)
        self.assertEqual(dan.call("room.get")["host"]["id"], ada.id)
        error = eve.refused("room-full", "room.join", address=bea.address, room=room["id"])
        self.assertIn("Attic", error.message)
        eve.refused("no-such-room", "room.join", address=bea.address, room="Cellar")

    def test_a_code_is_proved_to_the_host_and_not_to_the_guest_that_was_asked(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        code = ada.call("room.host", game="hangman", name="Attic", seats=4, private=True)["code"]
        bea.join(ada, code=code)
        cyd.refused("wrong-code", "room.join", address=bea.address, code="2222" if code != "2222" else "3333")
        cyd.refused("code-needed", "room.join", address=bea.address)
        self.assertEqual(cyd.join(bea, code=code)["host"]["id"], ada.id)

    # Come back to.

    def test_a_guest_killed_in_a_lobby_takes_its_seat_again_without_being_asked(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        bea.kill()
        bea.start()
        seen = harness.eventually(lambda: bea.call("status")["rooms"], "the room to be found again", 15)
        self.assertEqual((seen[0]["name"], seen[0]["my_seat"], seen[0]["role"]), ("Table", 1, "guest"))
        for peer in (ada, cyd):
            harness.eventually(
                lambda: peer.call("room.get")["seats"][1]["state"] == "taken", "the seat to be taken", 20)
        self.assertEqual(bea.call("status").get("reentering"), None)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        self.assertEqual([seat["player"]["name"] for seat in cyd.match("playing")["seats"]], ["ada", "bea", "cyd"])

    def test_a_guest_killed_in_a_match_takes_its_seat_again_without_being_asked(self):
        ada, bea, cyd = self.table("hangman", 3, {"grace_s": 60})
        cyd.kill()
        cyd.start()
        view = cyd.match("playing", 30)
        self.assertEqual((view["my_seat"], view["id"]), (2, ada.call("match.view")["id"]))
        harness.eventually(
            lambda: ada.call("match.view")["seats"][2]["state"] == "active", "cyd to be back in the match", 20)
        self.assert_same_match([ada, bea, cyd])

    def test_a_guest_told_to_stop_in_a_match_takes_its_seat_again(self):
        for seats in 2, 3:
            with self.subTest(seats=seats):
                peers = self.table("hangman", seats, {"grace_s": 60})
                match = peers[0].call("match.view")["id"]
                peers[-1].stop()
                peers[-1].start()
                row, = peers[-1].call("matches.list")["matches"]
                self.assertEqual((row["id"], row["state"]), (match, "playing"))
                self.assertEqual(peers[-1].match("playing", 30)["id"], match)
                self.assert_same_match(peers)
                for peer in peers:
                    peer.stop()

    def test_a_match_that_its_host_left_can_be_removed(self):
        ada, bea = self.table("hangman", 2)
        match = ada.call("match.view")["id"]
        ada.call("room.leave")
        ada.call("matches.remove", match=match)
        self.assertEqual(ada.call("matches.list")["matches"], [])

    def test_a_host_killed_in_a_lobby_does_not_open_it_again(self):
        ada, bea = self.lobby("hangman", 2)
        ada.kill()
        bea.event("room.closed", reason="host-lost", timeout=20)
        ada.start()
        status = ada.call("status")
        self.assertEqual((status["rooms"], status.get("reentering")), ([], None))

    def test_the_first_request_after_a_crash_sees_the_rooms_from_before(self):
        ada = self.peer("ada")
        ada.call("room.host", game="snap", bots=1, seats=2)
        ada.call("room.start")
        match = ada.match("playing")["id"]
        for method in ("status", "match.view", "room.get", "matches.list", "room.leave"):
            ada.kill()
            ada.socket.close()
            ada.launch()
            wire = harness.eventually(lambda: self.wire_to(ada), "the control socket")
            answer = wire.ask({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}})
            wire.close()
            self.assertIn("result", answer, method)
            result = answer["result"]
            if method == "status":
                self.assertEqual((len(result["rooms"]), result["store"]["state"]), (1, "ready"))
            elif method == "matches.list":
                self.assertEqual([row["id"] for row in result["matches"]], [match])
            elif method != "room.leave":
                self.assertEqual(result.get("match", result["id"]), match)

    def wire_to(self, peer):
        """A connection to a daemon that has just been started, as early as can be."""
        try:
            return harness.Wire(peer.control)
        except OSError:
            return None

    def test_a_room_that_nobody_is_left_in_is_looked_for_and_forgotten(self):
        ada, bea = self.lobby("hangman", 2)
        bea.kill()
        ada.kill()
        bea.start()
        # It begins to look when it has read which matches it has stored.
        harness.eventually(
            lambda: [room["name"] for room in bea.call("status").get("reentering", [])] == ["Table"], "the search")
        self.assertIn("Coming back to Table", self.parlor("status", home=bea.home).stdout)
        self.assertIn("still coming back to Table", self.parlor("leave", home=bea.home, status=1).stderr)
        harness.eventually(lambda: "reentering" not in bea.call("status"), "the room to be forgotten", 45)
        bea.kill()
        bea.start()
        self.assertNotIn("reentering", bea.call("status"))
        self.assertEqual(bea.call("status")["rooms"], [])

    def test_a_room_that_was_left_is_not_come_back_to(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        bea.call("room.leave")
        cyd.stop()
        for peer in (bea, cyd):
            peer.kill()
            peer.start()
            self.assertNotIn("reentering", peer.call("status"))
        with self.assertRaises(Refused):
            bea.call("room.get")

    def test_who_was_banned_meanwhile_stays_out(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        bea.kill()
        ada.event("seat.away", seat=1, timeout=15)
        ada.call("room.kick", seat=1, ban=True)
        bea.start()
        harness.eventually(lambda: "reentering" not in bea.call("status"), "the room to be given up", 10)
        self.assertEqual(bea.call("status")["rooms"], [])

    # Handed over.

    def assert_hosts(self, host, guests, seat):
        """The room of the peers has this host, for all of them."""
        for peer in [host, *guests]:
            room = harness.eventually(
                lambda: next((room for room in peer.call("status")["rooms"] if room["host"]["id"] == host.id), None),
                f"{host.name} to host the room for {peer.name}", 20)
            self.assertEqual(room["role"], "host" if peer is host else "guest")
        self.assertEqual(host.call("room.get")["my_seat"], seat)

    def test_a_match_and_its_room_outlive_the_host(self):
        ada, bea, cyd = self.table("hangman", 3, {"grace_s": 12})
        room, match = bea.call("room.get")["id"], bea.call("match.view")["id"]
        ada.kill()
        for peer in (bea, cyd):
            self.assertEqual(peer.event("sequencer.changed", match=match, timeout=15)["peer"]["id"], bea.id)
        self.assert_hosts(bea, [cyd], 1)
        self.assertEqual(bea.call("room.get")["id"], room)
        bea.event("seat.left", seat=0, timeout=30)
        harness.play_hangman([bea, cyd])
        for peer in (bea, cyd):
            peer.match("ended")
            self.assertEqual(peer.seen("room.closed") + peer.seen("room.opened")[1:], [])
            self.assertTrue(peer.call("match.verify", match=match)["valid"])
        # The room goes on as any lobby: the old host's seat is freed, and there is a rematch.
        harness.eventually(lambda: bea.call("room.get")["seats"][0]["state"] == "open", "ada's seat to be freed", 45)
        cyd.call("room.ready", ready=True)
        bea.call("room.start")
        view = cyd.match("playing")
        self.assertEqual([seat["player"]["name"] for seat in view["seats"]], ["bea", "cyd"])
        self.assertNotEqual(view["id"], match)

    def test_a_host_that_was_killed_comes_back_as_a_guest(self):
        ada, bea, cyd = self.table("hangman", 3, {"grace_s": 60})
        match = bea.call("match.view")["id"]
        ada.kill()
        for peer in (bea, cyd):
            peer.event("sequencer.changed", match=match, timeout=15)
        ada.start()
        self.assert_hosts(bea, [ada, cyd], 1)
        view = ada.match("playing", 20)
        self.assertEqual((view["id"], view["my_seat"]), (match, 0))
        for peer in (ada, bea, cyd):
            harness.eventually(
                lambda: peer.call("match.view")["seats"][0]["state"] == "active", "ada to be back", 20)
        harness.play_hangman([ada, bea, cyd])
        self.assert_ended_well([ada, bea, cyd])
        bea.refused("not-ready", "room.start")
        ada.refused("not-host", "room.start")

    def test_a_host_that_leaves_a_match_leaves_the_room_to_the_others(self):
        ada, bea, cyd = self.table("hangman", 3)
        ada.call("room.leave")
        self.assertEqual(ada.event("room.closed")["reason"], "host-closed")
        self.assert_hosts(bea, [cyd], 1)
        harness.play_hangman([bea, cyd])
        for peer in (bea, cyd):
            peer.match("ended")
        self.assertEqual(bea.call("room.get")["seats"][0]["state"], "open")
        self.assertEqual(cyd.seen("room.closed"), [])

    def test_a_host_told_to_stop_in_a_match_comes_back_as_a_guest(self):
        ada, bea, cyd = self.table("hangman", 3, {"grace_s": 60})
        ada.stop()
        self.assert_hosts(bea, [cyd], 1)
        ada.start()
        self.assert_hosts(bea, [ada, cyd], 1)
        harness.eventually(
            lambda: bea.call("match.view")["seats"][0]["state"] == "active", "ada to be back in the match", 20)

    def test_a_room_is_handed_over_twice(self):
        ada, bea, cyd, dan = self.table("hangman", 4, {"grace_s": 60})
        ada.kill()
        self.assert_hosts(bea, [cyd, dan], 1)
        ada.start()
        self.assert_hosts(bea, [ada, cyd, dan], 1)
        harness.eventually(
            lambda: bea.call("match.view")["seats"][0]["state"] == "active", "ada to be back in the match", 20)
        bea.kill()
        self.assert_hosts(ada, [cyd, dan], 0)
