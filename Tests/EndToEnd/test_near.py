"""Finding rooms: rows, names, IDs and what is said when nothing fits."""
import json

import harness
from harness import Scenario


class Near(Scenario):
    needs_avahi = True

    def test_a_row_says_all_there_is_to_know(self):
        ada, bea = self.peers("ada", "bea")
        room = ada.call("room.host", game="snap", seats=3, name="Kitchen")
        row = bea.row("Kitchen")
        self.assertEqual(
            set(row), {"id", "name", "game", "host", "seats", "taken", "state", "locked", "code", "protocol", "compatible",
                       "reachable", "endpoints", "age_s", "own", "known"})
        self.assertEqual(
            {key: value for key, value in row.items() if key != "age_s"},
            {"id": room["id"], "name": "Kitchen", "game": "snap", "host": {"id": ada.id, "name": "ada"}, "seats": 3,
             "taken": 1, "state": "lobby", "locked": False, "code": False, "protocol": 1, "compatible": True,
             "reachable": "fresh", "endpoints": [ada.address], "own": False, "known": False})
        self.assertEqual(bea.event("room.found", room=room["id"])["row"]["name"], "Kitchen")
        self.assertEqual([], bea.call("rooms.list", game="hangman")["rooms"])
        self.assertEqual([], ada.call("rooms.list")["rooms"], "own rooms are shown with 'all' only")
        self.assertTrue(ada.row("Kitchen")["own"])
        bea.call("room.join", room="Kitchen")
        bea.row("Kitchen", taken=2, known=True)
        ada.call("room.lock", locked=True)
        bea.row("Kitchen", locked=True)
        ada.call("room.leave")
        bea.event("room.closed", room=room["id"], reason="host-closed")
        for peer in (ada, bea):
            self.assertEqual([], peer.call("rooms.list", all=True)["rooms"], "who knows that it is closed lists it no more")
        bea.event("room.lost", room=room["id"])
        self.assertEqual([], bea.call("rooms.list", all=True)["rooms"])

    def test_a_room_being_played_in_is_shown_with_all_only(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        ada.call("room.host", game="hangman", seats=3, name="Kitchen")
        bea.row("Kitchen")
        bea.call("room.join", room="Kitchen")
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        cyd.row("Kitchen", state="playing")
        self.assertEqual([], cyd.call("rooms.list")["rooms"])
        cyd.refused("room-closed", "room.join", room="Kitchen")

    def test_joining_by_name_by_the_start_of_an_id_and_the_only_room(self):
        ada, bea, cyd, dan = self.peers("ada", "bea", "cyd", "dan")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        for peer in (bea, cyd, dan):
            peer.row("Kitchen")
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)
        self.assertEqual(cyd.call("room.join", room=room[:6])["id"], room)
        self.assertEqual(dan.call("room.join")["id"], room)
        seats = ada.call("room.get")["seats"]
        self.assertEqual([seat["player"]["name"] for seat in seats], ["ada", "bea", "cyd", "dan"])

    def test_several_rooms_are_ambiguous_and_none_is_not_found(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        cyd.refused("no-such-room", "room.join")
        ada.call("room.host", game="snap", name="Kitchen")
        bea.call("room.host", game="snap", name="Kitten")
        cyd.row("Kitchen"), cyd.row("Kitten")
        error = cyd.refused("ambiguous", "room.join")
        self.assertIn("Kitchen", error.message)
        self.assertIn("Kitten", error.message)
        cyd.refused("ambiguous", "room.join", room="Kit")
        self.assertIn("Attic", cyd.refused("no-such-room", "room.join", room="Attic").message)
        self.assertEqual(cyd.call("room.join", room="kitt")["name"], "Kitten")

    def test_a_taken_room_name_gets_a_number_on_both_sides(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        first = ada.call("room.host", game="snap", name="Kitchen")["id"]
        bea.row("Kitchen")
        second = bea.call("room.host", game="snap", name="Kitchen")["id"]
        self.assertEqual(cyd.row("Kitchen #2")["id"], second)
        self.assertEqual(cyd.row("Kitchen")["id"], first)
        self.assertEqual(ada.row("Kitchen #2")["id"], second)
        bea.event("room.updated", room=second)
        self.assertEqual(bea.call("room.get")["name"], "Kitchen #2")
        self.assertEqual(ada.call("room.get")["name"], "Kitchen")
        self.assertEqual(cyd.call("room.join", room="Kitchen #2")["id"], second)

    def test_a_whole_name_means_that_room_and_not_one_it_begins(self):
        ada, bea = self.peers("ada", "bea")
        first = ada.call("room.host", game="snap", name="Kitchen")["id"]
        bea.row("Kitchen")
        second = bea.call("room.host", game="snap", name="Kitchen")["id"]
        ada.row("Kitchen #2")
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], first)
        self.assertEqual(bea.call("room.join", room="Kitchen #2")["id"], second)
        self.assertEqual(ada.call("room.join", room="Kitchen")["id"], first)

    def test_one_daemon_may_open_rooms_of_one_name(self):
        ada, bea = self.peers("ada", "bea")
        name = "x" * 56
        first = ada.call("room.host", game="snap", name=name)["id"]
        second = ada.call("room.host", game="hangman", name=name)["id"]
        ada.event("room.updated", room=second)
        self.assertEqual(bea.row(name)["id"], first)
        self.assertEqual(bea.row(f"{name} #2")["id"], second)
        self.assertEqual(bea.call("room.join", room=f"{name} #2")["id"], second)

    def test_the_next_room_of_a_name_is_joined_while_the_last_is_still_near(self):
        ada, bea = self.peers("ada", "bea")
        for _ in range(3):
            room = ada.call("room.host", game="snap", name="Kitchen")["id"]
            bea.event("room.found", room=room)
            self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)
            bea.call("room.leave")
            ada.call("room.leave")

    def test_twenty_rooms_of_one_daemon_are_all_found(self):
        ada, bea = self.peers("ada", "bea")
        rooms = [ada.call("room.host", game="snap", name=f"Table {number}")["id"] for number in range(20)]
        harness.eventually(
            lambda: sorted(row["id"] for row in bea.call("rooms.list")["rooms"]) == sorted(rooms), "all rooms", 20)
        for room in rooms[:10]:
            ada.call("room.leave", room=room)
        harness.eventually(
            lambda: sorted(row["id"] for row in bea.call("rooms.list", all=True)["rooms"]) == sorted(rooms[10:]),
            "the rooms that are left", 20)

    def test_a_room_is_withdrawn_when_its_daemon_is_told_to_stop(self):
        ada, bea = self.peers("ada", "bea")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        bea.row("Kitchen")
        self.assertEqual(ada.stop()[0], 0)
        bea.event("room.lost", room=room, timeout=10)

    def test_a_hidden_room_is_found_by_nobody_but_can_be_joined(self):
        ada, bea = self.peers("ada", "bea")
        hidden = ada.call("room.host", game="snap", name="Cellar", hidden=True)
        self.assertTrue(hidden["hidden"])
        ada.call("room.host", game="snap", name="Kitchen")
        bea.row("Kitchen")
        self.assertEqual([row["name"] for row in bea.call("rooms.list", all=True)["rooms"]], ["Kitchen"])
        self.assertEqual(bea.join(ada, room="Cellar")["id"], hidden["id"])

    def test_a_wait_for_rooms_ends_with_the_first_one_or_in_time(self):
        ada, bea = self.peers("ada", "bea")
        self.assertEqual([], bea.call("rooms.list", wait_ms=300)["rooms"])
        looking = bea.send("rooms.list", wait_ms=15000)
        joining = bea.send("room.join", timeout_ms=15000)
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        self.assertEqual([row["id"] for row in bea.answer(looking)["rooms"]], [room])
        self.assertEqual(bea.answer(joining)["id"], room)

    def test_a_host_that_vanished_is_shown_as_unreachable(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        bea.row("Kitchen")
        ada.kill()
        error = bea.refused("unreachable", "room.join", room="Kitchen")
        self.assertIn(ada.address, error.message)
        bea.row("Kitchen", reachable="unreachable")
        self.assertEqual([], bea.call("rooms.list")["rooms"])

    def test_the_commands_find_the_same(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        bea.row("Kitchen")
        listed = json.loads(self.parlor("list", "--json", home=bea.home).stdout)
        self.assertEqual([row["name"] for row in listed["rooms"]], ["Kitchen"])
        self.assertIn("Kitchen", self.parlor("list", home=bea.home).stdout)
        self.parlor("list", "--game", "hangman", "--wait", "0", "--fail-empty", home=bea.home, status=5)
        self.parlor("join", "Attic", home=bea.home, status=5)
        room = json.loads(self.parlor("join", "Kitchen", "--json", home=bea.home).stdout)
        self.assertEqual((room["name"], room["role"], room["my_seat"]), ("Kitchen", "guest", 1))
