"""What happens in a room before and after a match."""
import threading

import harness
from harness import Scenario


class Lobby(Scenario):
    def test_a_locked_room_lets_nobody_in(self):
        ada, bea = self.peers("ada", "bea")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        self.assertTrue(ada.call("room.lock", locked=True)["locked"])
        self.assertIn("Kitchen", bea.refused("room-locked", "room.join", address=ada.address).message)
        self.assertFalse(ada.call("room.lock", locked=False)["locked"])
        self.assertEqual(bea.join(ada)["id"], room)
        bea.refused("not-host", "room.lock", locked=True)

    def test_somebody_kicked_is_told_and_may_come_back(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        room = ada.call("room.kick", seat=1)
        self.assertEqual([seat["state"] for seat in room["seats"]], ["taken", "open", "taken"])
        self.assertEqual(bea.event("room.closed", room=room["id"])["reason"], "kicked")
        self.assertEqual([], bea.call("status")["rooms"])
        for peer in (ada, cyd):
            peer.event("seat.left", seat=1, reason="kicked", room=room["id"])
        bea.refused("not-in-room", "room.ready", ready=True)
        self.assertEqual(bea.join(ada)["my_seat"], 1)

    def test_somebody_banned_cannot_come_back(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        ada.call("room.kick", seat=1, ban=True)
        bea.event("room.closed", reason="kicked")
        bea.refused("banned", "room.join", address=ada.address)
        bea.refused("banned", "room.join", address=ada.address, name="Somebody else")
        self.assertEqual(bea.stop()[0], 0)
        bea.start()
        bea.refused("banned", "room.join", address=ada.address)
        self.assertEqual(ada.call("room.get")["seats"][1]["state"], "open")

    def test_what_cannot_be_kicked(self):
        ada, bea = self.lobby("hangman", 2)
        ada.refused("not-allowed", "room.kick", seat=0)
        ada.refused("bad-params", "room.kick", seat=7)
        ada.refused("bad-params", "room.kick", seat=-1)
        ada.refused("bad-params", "room.kick", seat="bea")
        bea.refused("not-host", "room.kick", seat=0)

    def test_a_guest_leaves_and_its_seat_is_free(self):
        ada, bea, cyd = self.lobby("hangman", 3)
        self.assertEqual(bea.call("room.leave"), {})
        bea.event("room.closed", reason="left")
        for peer in (ada, cyd):
            peer.event("seat.left", seat=1, reason="left")
        bea.refused("not-in-room", "room.get")
        dan = self.peer("dan")
        self.assertEqual(dan.join(ada)["my_seat"], 1)
        self.assertEqual(cyd.event("seat.taken", seat=1)["player"], {"id": dan.id, "name": "dan"})

    def test_a_host_that_leaves_closes_the_room(self):
        peers = self.lobby("hangman", 3)
        room = peers[0].call("room.get")["id"]
        self.assertEqual(peers[0].call("room.leave"), {})
        for peer in peers:
            self.assertEqual(peer.event("room.closed", room=room)["reason"], "host-closed")
            peer.refused("not-in-room", "room.get")
        peers[1].refused("no-such-room", "room.join", address=peers[0].address)
        self.assertEqual(peers[0].call("room.host", game="snap", name="Table")["state"], "lobby")

    def test_a_room_with_places_for_others_does_not_start_with_one_player(self):
        ada, = self.peers("ada")
        ada.call("room.host", game="hangman")
        self.assertIn("2", ada.refused("not-enough-players", "room.start").message)

    def test_who_may_start_and_when(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen", seats=3)
        self.assertIn("2", ada.refused("not-enough-players", "room.start").message)
        bea.join(ada)
        bea.refused("not-host", "room.start")
        self.assertIn("bea", ada.refused("not-ready", "room.start").message)
        self.assertTrue(bea.call("room.ready", ready=True)["seats"][1]["ready"])
        ada.event("seat.ready", seat=1, ready=True)
        bea.call("room.ready", ready=False)
        ada.event("seat.ready", seat=1, ready=False)
        ada.refused("not-ready", "room.start")
        bea.call("room.ready", ready=True)
        ada.refused("not-allowed", "room.rematch")
        ada.refused("not-in-match", "match.view")
        ada.call("room.start")
        for peer in (ada, bea):
            match = peer.match("playing")
            self.assertEqual([seat["player"]["name"] for seat in match["seats"]], ["ada", "bea"])
        for method, params in (("room.start", {}), ("room.set", {"options": {"max_flips": 20}})):
            ada.refused("busy", method, **params)
        bea.refused("busy", "room.ready", ready=False)

    def test_options_are_checked_and_told_to_everybody(self):
        ada, bea = self.lobby("hangman", 2)
        for options, said in (
            ({"rounds": 0}, "1-5"), ({"rounds": 6}, "1-5"), ({"rounds": "2"}, "1-5"), ({"rounds": 1.5}, "1-5"),
            ({"grace_s": 9}, "10-120"), ({"any_word": 1}, "true or false"), ({"mode": "alone"}, "race"),
            ({"speed": 1}, "rounds"), ({"rounds": None}, "1-5"),
        ):
            with self.subTest(options=options):
                self.assertIn(said, ada.refused("bad-params", "room.set", options=options).message)
                self.assertIn(said, ada.refused("bad-params", "room.host", game="hangman", options=options).message)
        for wrong in ([], "rounds=2", 3):
            ada.refused("bad-params", "room.set", options=wrong)
        ada.refused("bad-params", "room.set")
        before = ada.call("room.get")["options"]
        ada.refused("bad-params", "room.set", options={"rounds": 3, "speed": 1})
        self.assertEqual(ada.call("room.get")["options"], before)
        self.assertEqual(ada.call("room.set", options={"rounds": 3})["options"], {**before, "rounds": 3})
        bea.event("room.updated")
        harness.eventually(lambda: bea.call("room.get")["options"]["rounds"] == 3, "the option at the guest")
        bea.refused("not-host", "room.set", options={"rounds": 2})

    def test_rooms_that_cannot_be_hosted(self):
        ada = self.peer("ada")
        self.assertIn("hangman", ada.refused("bad-params", "room.host", game="chess").message)
        for seats in (0, 1, 5, -1, 1000000):
            self.assertIn("2 to 4", ada.refused("bad-params", "room.host", game="snap", seats=seats).message)
        ada.refused("bad-params", "room.host", game="snap", seats="two")
        ada.refused("bad-params", "room.host", game="snap", options={"max_flips": 9})
        ada.refused("bad-params", "room.host")
        self.assertEqual([], ada.call("status")["rooms"])

    def test_chat_reaches_everybody_and_is_cleaned(self):
        peers = self.lobby("hangman", 3)
        ada, bea, cyd = peers
        bea.call("room.say", text="  hi \u202eall\u0007 \u0001")
        for peer in peers:
            said = peer.event("say")
            self.assertEqual((said["from"], said["text"]), ({"id": bea.id, "name": "bea"}, "hi all"))
        ada.call("room.say", text="x" * 500)
        self.assertEqual(cyd.event("say")["text"], "x" * 500)
        for text in ("", "  ", "\u0007", "x" * 501, "x" * 100000):
            ada.refused("bad-params", "room.say", text=text)
            bea.refused("bad-params", "room.say", text=text)
        self.assertEqual(cyd.seen("say")[2:], [])

    def test_a_rematch_needs_every_vote_and_is_one_match(self):
        peers = self.table("hangman", 3)
        harness.play_hangman(peers)
        first = self.assert_ended_well(peers)[0]
        for _ in range(3):
            self.assertEqual(peers[0].call("room.rematch")["state"], "finished")
        peers[1].call("room.rematch")
        self.assertEqual(peers[2].call("room.get")["match"], first["id"])
        votes = [peer.send("room.rematch") for peer in (peers[2], peers[2])]
        peers[2].answer(votes[0])
        try:
            peers[2].answer(votes[1])
        except harness.Refused as error:
            self.assertEqual(error.reason, "not-allowed")
        for peer in peers:
            again = peer.match("playing")
            self.assertNotEqual(again["id"], first["id"])
            self.assertEqual([seat["player"] for seat in again["seats"]], [seat["player"] for seat in first["seats"]])
            self.assertEqual([event["match"] for event in peer.seen("match.started")], [first["id"], again["id"]])
        harness.play_hangman(peers)
        second = self.assert_ended_well(peers)[0]
        won = [seat["index"] for match in (first, second) for seat in match["seats"]
               if seat["outcome"] in ("won", "first")]
        for peer in peers:
            room = peer.call("room.get")
            self.assertEqual([seat["wins"] for seat in room["seats"]], [won.count(seat) for seat in range(3)])
            self.assertEqual((room["match"], room["state"]), (second["id"], "finished"))
        for peer in peers:
            self.assertTrue(peer.call("match.verify", match=first["id"])["valid"])

    def test_after_a_match_everybody_must_be_ready_again_to_start(self):
        ada, bea = peers = self.table("hangman", 2)
        harness.play_hangman(peers)
        first = self.assert_ended_well(peers)[0]["id"]
        ada.refused("not-ready", "room.start")
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        self.assertNotEqual(bea.match("playing")["id"], first)

    def test_a_seat_that_left_after_the_match_is_not_asked_for_a_rematch(self):
        ada, bea, cyd = peers = self.table("hangman", 3)
        harness.play_hangman(peers)
        self.assert_ended_well(peers)
        bea.call("room.leave")
        ada.event("seat.left", seat=1, reason="left")
        ada.call("room.rematch")
        cyd.call("room.rematch")
        match = cyd.match("playing")
        self.assertEqual([seat["player"]["name"] for seat in match["seats"]], ["ada", "cyd"])
        self.assertEqual(ada.match("playing")["id"], match["id"])

    def test_requests_of_many_members_at_once_all_get_answers(self):
        peers = self.lobby("snap", 4)
        problems = []

        def press(peer):
            try:
                for number in range(40):
                    peer.call("room.ready", ready=number % 2 == 1)
                    if number % 4 == 3:
                        peer.call("room.say", text=f"{peer.name} {number}")
            except Exception as error:
                problems.append(error)
        threads = [threading.Thread(target=press, args=(peer,)) for peer in peers[1:]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])
        for peer in peers:
            for speaker in peers[1:]:
                peer.event("say", text=f"{speaker.name} 39")
                texts = [event["text"] for event in peer.seen("say") if event["from"]["id"] == speaker.id]
                self.assertEqual(texts, [f"{speaker.name} {number}" for number in range(3, 40, 4)])
        peers[0].call("room.start")
        peers[3].match("playing")
