"""Rooms with a code: who gets in, who does not, and that wrong codes disturb nobody else."""
import socket
import ssl
import threading

from harness import Refused, Scenario
from test_hostile import HELLO, WELCOME, Mallory, Stranger

CODE = "^[BCDFGHJKLMNPQRSTVWXZ23456789]{4}$"

# A share that some code explains: X of draft-irtf-cfrg-cpace-21, appendix B.3.10.
SHARE = bytes.fromhex("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
ROOM = bytes(range(16))


class Codes(Scenario):
    def test_the_code_lets_in_however_it_is_typed(self):
        ada, *guests = self.peers("ada", "bea", "cid", "dan")
        room = ada.call("room.host", game="snap", name="Kitchen", code="k7-px")
        self.assertEqual(room["code"], "K7PX")
        for place, (guest, typed) in enumerate(zip(guests, (" k7 px", "K7-P-X", "K7PX")), 1):
            joined = guest.join(ada, code=typed)
            self.assertEqual((joined["my_seat"], joined["code"]), (place, "K7PX"))
        self.assertEqual(ada.call("status")["rooms"][0]["code"], "K7PX")

    def test_without_the_code_or_with_a_wrong_one_nobody_comes_in(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen", code="K7PX")
        self.assertIn("ask ada", bea.refused("code-needed", "room.join", address=ada.address).message)
        wrong = bea.refused("wrong-code", "room.join", address=ada.address, code="K7PZ").message
        self.assertIn("not right for Kitchen. 4 tries left, then one a minute. Ask ada", wrong)
        for no_code in ("", "K7P", "K7PXX", "A7PX", "K0PX", "K1PX"):
            bea.refused("bad-params", "room.join", address=ada.address, code=no_code)
            ada.refused("bad-params", "room.host", game="snap", code=no_code)
        self.assertEqual([seat["state"] for seat in ada.call("room.get")["seats"]], ["taken"] + ["open"] * 3)
        self.assertEqual(bea.call("status")["rooms"], [])
        self.assertEqual(bea.join(ada, code="K7PX")["my_seat"], 1)

    def test_too_many_wrong_codes_of_one_address_and_another_joins_meanwhile(self):
        ada = self.peer("ada", arguments=("--listen", "::1"))
        bea, cid, dan = self.peers("bea", "cid", "dan")
        ada.call("room.host", game="snap", name="Kitchen", code="K7PX")
        for left in (4, 3, 2, 1):
            message = bea.refused("wrong-code", "room.join", address=ada.address, code="ZZZZ").message
            self.assertIn(f"{left} {'try' if left == 1 else 'tries'} left", message)
        # A right code takes its try back, so that the last one is left.
        self.assertEqual(cid.join(ada, code="K7PX")["my_seat"], 1)
        bea.refused("wrong-code", "room.join", address=ada.address, code="ZZZZ")
        error = bea.refused("too-many-tries", "room.join", address=ada.address, code="K7PX")
        self.assertRegex(error.message, r"Try again in \d+ s")
        # Whoever is in does not notice, and another address has tries of its own.
        cid.call("room.ready", ready=True)
        ada.event("seat.ready", seat=1)
        self.assertEqual(dan.call("room.join", address=f"[::1]:{ada.port}", code="K7PX")["my_seat"], 2)
        self.assertEqual(ada.seen("error"), [])

    def test_a_room_that_has_no_place_does_not_ask_for_the_code(self):
        ada, bea, cid = self.peers("ada", "bea", "cid")
        ada.call("room.host", game="snap", name="Kitchen", seats=2, code="K7PX")
        ada.call("room.lock", locked=True)
        bea.refused("room-locked", "room.join", address=ada.address)
        ada.call("room.lock", locked=False)
        bea.join(ada, code="K7PX")
        for _ in range(7):
            cid.refused("room-full", "room.join", address=ada.address, code="ZZZZ")

    def test_private_makes_a_code_that_the_members_see(self):
        ada, bea = self.peers("ada", "bea")
        rooms = [ada.call("room.host", game="snap", name=f"Room {number}", private=True) for number in range(3)]
        for room in rooms:
            self.assertRegex(room["code"], CODE)
        self.assertEqual(len({room["code"] for room in rooms}), 3)
        joined = bea.join(ada, room="Room 1", code=rooms[1]["code"].lower())
        self.assertEqual((joined["id"], joined["code"]), (rooms[1]["id"], rooms[1]["code"]))
        self.assertNotIn("code", ada.call("room.host", game="snap", name="Open", private=False))

    def test_a_room_without_a_code_takes_none(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        self.assertIn("no code", bea.refused("wrong-code", "room.join", address=ada.address, code="K7PX").message)
        self.assertNotIn("code", bea.join(ada))

    def test_whoever_was_dialled_by_the_host_proves_the_code_too(self):
        ada, bea = self.peers("ada", "bea")
        bea.call("room.host", game="snap", name="Attic", code="BCDF")
        ada.call("room.host", game="snap", name="Kitchen", code="K7PX")
        ada.join(bea, code="bcdf")
        bea.refused("wrong-code", "room.join", address=ada.address, code="BCDF")
        self.assertEqual(bea.join(ada, code="K7PX")["name"], "Kitchen")
        self.assertEqual(len(ada.call("status")["links"]), 1)

    def test_a_member_that_was_killed_comes_back_without_a_code(self):
        ada, bea, cid = self.peers("ada", "bea", "cid")
        ada.call("room.host", game="snap", name="Kitchen", code="K7PX")
        bea.join(ada, code="K7PX")
        bea.kill()
        ada.event("seat.away", seat=1)
        bea.start()
        again = bea.join(ada)
        self.assertEqual((again["my_seat"], again["code"]), (1, "K7PX"))
        ada.event("seat.back", seat=1)
        cid.refused("code-needed", "room.join", address=ada.address)

    def test_a_second_try_under_way_is_busy_and_spoils_nothing(self):
        ada, bea = self.peers("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen", code="K7PX")
        numbers = [bea.send("room.join", address=ada.address, code="K7PX") for _ in range(2)]
        self.assertEqual(bea.answer(numbers[0])["my_seat"], 1)
        try:
            self.assertEqual(bea.answer(numbers[1])["my_seat"], 1)
        except Refused as error:
            self.assertEqual(error.reason, "busy")

    def test_the_commands(self):
        ada, bea = self.peers("ada", "bea")
        opened = self.parlor("host", "snap", "--name", "Kitchen", "--private", "--detach", home=ada.home)
        code = ada.call("room.get")["code"]
        self.assertIn(f"code {code}", opened.stdout)
        self.assertIn(f"--code {code}", opened.stdout)
        join = ("join", "--address", ada.address)
        needed = self.parlor(*join, home=bea.home, status=1)
        self.assertIn("wants a code: ask ada for it (4 characters). Then join again with --code CODE", needed.stderr)
        self.parlor(*join, "--code", "nope", home=bea.home, status=2)
        joined = self.parlor(*join, "--code", code.lower(), home=bea.home)
        self.assertIn("no terminal to play on", joined.stderr)
        self.assertIn(f"code {code}", joined.stdout)
        self.parlor("host", "snap", "--code", "K7PX", "--private", home=ada.home, status=2)


class CodesNear(Scenario):
    needs_avahi = True

    def test_the_only_room_near_that_wants_a_code(self):
        ada, bea, cid = self.peers("ada", "bea", "cid")
        ada.call("room.host", game="snap", name="Kitchen", code="K7PX")
        ada.call("room.host", game="snap", name="Attic")
        self.assertTrue(bea.row("Kitchen")["code"])
        self.assertFalse(bea.row("Attic")["code"])
        self.assertEqual(bea.call("room.join", code="k7 px")["name"], "Kitchen")
        self.assertEqual(cid.call("room.join")["name"], "Attic")
        bea.call("room.host", game="snap", name="Cellar", code="BBBB")
        cid.row("Cellar", code=True)
        self.assertIn("Cellar", cid.refused("ambiguous", "room.join", code="BBBB").message)
        cid.refused("code-needed", "room.join", room="Kitchen")
        self.assertEqual(cid.call("room.join", room="Cell", code="BBBB")["name"], "Cellar")


class Strangers(Stranger):
    """Peers that do not know the code and act as if they did."""

    def heard(self, mallory):
        """The next message."""
        while True:
            kind, payload = mallory.frame()
            if kind == 5:
                return payload[2:]

    def serve(self, answers, heard):
        """A host that answers each message with the next of some lists of messages; returns its address."""
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def talk():
            try:
                connection = listener.accept()[0]
                mallory = Mallory(self.context(ssl.PROTOCOL_TLS_SERVER).wrap_socket(connection, server_side=True))
                mallory.frame()
                mallory.connection.sendall(WELCOME)
                for messages in answers:
                    heard.append(self.heard(mallory))
                    for message in messages:
                        mallory.say(message)
                while True:
                    heard.append(self.heard(mallory))
            except OSError:
                pass
        threading.Thread(target=talk, daemon=True).start()
        return f"127.0.0.1:{listener.getsockname()[1]}"

    def test_a_guest_does_not_stay_with_a_host_that_does_not_know_the_code(self):
        bea = self.peer("bea")
        entered, false_tag = [1, ROOM, 1], [19, ROOM, 1, bytes(64)]
        share = [17, ROOM, None, SHARE]
        denied = [2, None, "wrong-code", "no"]
        bea.refused("wrong-code", "room.join", address=self.serve([[share], [denied]], []), code="K7PX")
        for answers, confirms in (
            ([[entered]], False), ([[[17, ROOM, None, bytes(32)]]], False), ([[share], [false_tag]], True),
            ([[share], [entered]], True), ([[false_tag], [false_tag]], None),
        ):
            heard = []
            timeout = 500 if confirms is None else 5000
            address = self.serve(answers, heard)
            reason = bea.refused_any("room.join", address=address, code="K7PX", timeout_ms=timeout)
            # A tag before the host's share is not even looked at.
            self.assertEqual(reason, "timed-out" if confirms is None else "identity-mismatch", answers)
            self.assertEqual([message[:2] for message in heard[:2]], [b"\x85\x10"] + [b"\x83\x12"] * bool(confirms))
            self.assertEqual(bea.call("status")["rooms"], [])

    def test_a_hundred_wrong_codes_change_the_code(self):
        ada, bea = self.peers("ada", "bea")
        room = ada.call("room.host", game="snap", name="Kitchen", code="K7PX")["id"]
        bea.join(ada, code="K7PX")
        for place in range(20):
            connection = socket.create_connection(("127.0.0.1", ada.port), 5, source_address=(f"127.0.1.{place + 1}", 0))
            self.addCleanup(connection.close)
            mallory = Mallory(self.context(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(connection))
            mallory.connection.sendall(HELLO)
            self.assertEqual(mallory.frame()[0], 2)
            for _ in range(5):
                self.assertEqual(ada.call("room.get")["code"], "K7PX")
                mallory.say([16, None, 0, "Mallory", SHARE])
                self.assertEqual(self.heard(mallory)[:2], b"\x84\x11")
                mallory.say([18, bytes.fromhex(room), bytes(64)])
                self.assertIn(b"wrong-code", self.heard(mallory))
            mallory.say([16, None, 0, "Mallory", SHARE])
            self.assertIn(b"too-many-tries", self.heard(mallory))
        told = ada.event("error", reason="too-many-tries", room=room)
        code = ada.call("room.get")["code"]
        self.assertRegex(code, CODE)
        self.assertNotEqual(code, "K7PX")
        self.assertIn(code, told["message"])
        bea.event("room.updated")
        self.assertEqual(bea.call("room.get")["code"], code)
        cid = self.peer("cid")
        cid.refused("wrong-code", "room.join", address=ada.address, code="K7PX")
        self.assertEqual(cid.join(ada, code=code)["my_seat"], 2)
