"""Joining by address, without any discovery, and who gets a seat."""
import socket

from harness import Refused, Scenario


class Join(Scenario):
    def test_an_address_alone_joins_the_only_room_there(self):
        ada, bea = self.peers("ada", "bea")
        room = ada.call("room.host", game="hangman", name="Kitchen", seats=3, options={"rounds": 2})
        self.assertEqual(room["endpoints"], [ada.address])
        joined = bea.join(ada)
        self.assertEqual(
            (joined["id"], joined["name"], joined["role"], joined["my_seat"], joined["host"], joined["options"]["rounds"]),
            (room["id"], "Kitchen", "guest", 1, {"id": ada.id, "name": "ada"}, 2))
        self.assertEqual([seat["state"] for seat in joined["seats"]], ["taken", "taken", "open"])
        bea.event("room.opened", room=room["id"])
        self.assertEqual(bea.event("link.up")["peer"], {"id": ada.id, "name": "ada"})
        status = bea.call("status")
        self.assertEqual((status["discovery"]["backend"], status["discovery"]["state"]), ("off", "off"))
        self.assertEqual([link["peer"]["id"] for link in status["links"]], [ada.id])

    def test_joining_again_gives_the_same_seat(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        first = bea.join(ada)
        again = bea.join(ada)
        self.assertEqual((again["id"], again["my_seat"]), (first["id"], 1))
        self.assertEqual(bea.call("room.join", room="Kitchen")["my_seat"], 1)
        self.assertEqual([seat["state"] for seat in ada.call("room.get")["seats"]], ["taken", "taken", "open", "open"])

    def test_several_rooms_at_an_address_need_a_name_or_an_id(self):
        ada, bea = self.peers("ada", "bea")
        bea.refused("no-such-room", "room.join", address=ada.address)
        kitchen = ada.call("room.host", game="snap", name="Kitchen")["id"]
        attic = ada.call("room.host", game="hangman", name="Attic")["id"]
        error = bea.refused("ambiguous", "room.join", address=ada.address)
        self.assertIn("Kitchen", error.message)
        self.assertIn("Attic", error.message)
        bea.refused("no-such-room", "room.join", address=ada.address, room="Cellar")
        bea.refused("no-such-room", "room.join", address=ada.address, room="00" * 16)
        self.assertEqual(bea.join(ada, room="Attic")["id"], attic)
        self.assertEqual(bea.join(ada, room=kitchen)["id"], kitchen)
        bea.refused("ambiguous", "room.get")
        self.assertEqual(bea.call("room.get", room="kit")["id"], kitchen)
        ada.refused("ambiguous", "room.start")

    def test_addresses_where_nobody_is(self):
        ada = self.peer("ada")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.assertIn(str(port), ada.refused("unreachable", "room.join", address=f"127.0.0.1:{port}").message)
        for wrong in ("127.0.0.1:0x", ":::", "", "127.0.0.1:99999"):
            ada.refused("bad-params", "room.join", address=wrong)
        ada.refused("no-such-room", "room.join", room="Kitchen")
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            address = f"127.0.0.1:{silent.getsockname()[1]}"
            ada.refused("timed-out", "room.join", address=address, timeout_ms=1000)

    def test_no_fifth_player_gets_into_a_room_for_four(self):
        peers = self.lobby("snap", 4)
        eve = self.peer("eve")
        self.assertIn("Table", eve.refused("room-full", "room.join", address=peers[0].address).message)
        self.assertEqual([], eve.call("status")["rooms"])
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")
        eve.refused("room-full", "room.join", address=peers[0].address)
        self.assertEqual(len(peers[0].call("room.get")["seats"]), 4)

    def test_eight_joiners_at_once_for_three_seats(self):
        host, *guests = self.peers("host", *[f"guest{number}" for number in range(8)])
        room = host.call("room.host", game="hangman", name="Rush", seats=4)["id"]
        waiting = [(guest, guest.send("room.join", address=host.address)) for guest in guests]
        seats, refusals = [], []
        for guest, number in waiting:
            try:
                seats.append((guest.answer(number)["my_seat"], guest))
            except Refused as error:
                refusals.append(error.reason)
        self.assertEqual(refusals, ["room-full"] * 5)
        seats.sort(key=lambda pair: pair[0])
        self.assertEqual([seat for seat, _ in seats], [1, 2, 3])
        shown = host.call("room.get", room=room)["seats"]
        self.assertEqual([seat["player"]["id"] for seat in shown], [host.id] + [guest.id for _, guest in seats])

    def test_eight_race_for_three_seats_three_hundred_times(self):
        host, *guests = self.peers("host", *[f"guest{number}" for number in range(8)])
        for round in range(300):
            room = host.call("room.host", game="snap", name=f"Rush {round}", seats=4)["id"]
            waiting = [(guest, guest.send("room.join", address=host.address, room=room)) for guest in guests]
            seats, refusals = [], []
            for guest, number in waiting:
                try:
                    seats.append(guest.answer(number)["my_seat"])
                except Refused as error:
                    refusals.append(error.reason)
            self.assertEqual((sorted(seats), refusals), ([1, 2, 3], ["room-full"] * 5), f"round {round}")
            self.assertEqual([seat["state"] for seat in host.call("room.get", room=room)["seats"]], ["taken"] * 4)
            host.call("room.leave", room=room)
            for guest in guests:
                if guest.seen("room.opened", room=room):
                    guest.event("room.closed", room=room)

    def test_two_players_who_host_for_each_other_share_one_link(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        bea.call("room.host", game="snap", name="Attic")
        first = ada.send("room.join", address=bea.address)
        second = bea.send("room.join", address=ada.address)
        self.assertEqual(ada.answer(first)["name"], "Attic")
        self.assertEqual(bea.answer(second)["name"], "Kitchen")
        for peer in (ada, bea):
            self.assertEqual(len(peer.call("status")["links"]), 1)
            self.assertEqual(sorted(room["role"] for room in peer.call("status")["rooms"]), ["guest", "host"])
        ada.call("room.say", room="Attic", text="hello")
        self.assertEqual(bea.event("say")["text"], "hello")

    def test_joining_ends_when_the_match_starts(self):
        peers = self.lobby("hangman", 3)
        peers[2].call("room.leave")
        peers[0].event("seat.left", seat=2, reason="left")
        peers[0].call("room.start")
        peers[1].match("playing")
        peers[2].refused("room-closed", "room.join", address=peers[0].address)

    def test_a_peer_cannot_join_itself(self):
        ada = self.peer("ada")
        ada.call("room.host", game="snap", name="Kitchen", seats=2)
        try:
            room = ada.call("room.join", address=ada.address)
            self.assertEqual((room["name"], room["role"], room["my_seat"]), ("Kitchen", "host", 0))
        except Refused as error:
            self.assertEqual(error.code, -32010)
        self.assertEqual([seat["state"] for seat in ada.call("room.get")["seats"]], ["taken", "open"])
