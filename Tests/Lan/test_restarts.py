"""Avahi and the bus come and go under rooms that stay."""
import time

import mdns
import test_kills
from harness import eventually
from machines import ROUND_S, ROUNDS, LanScenario, seconds_until

BACK_S = 3
"""How soon a room is advertised again once Avahi has its host name."""
SLACK_S = 30
"""For a busy machine; how long it took is printed."""


class Restarts(LanScenario):
    limit_s = 200 + ROUND_S * ROUNDS

    def setUp(self):
        super().setUp()
        self.eye = self.lan.machine("eye", avahi=False)

    def assert_advertised(self, name, id, port, seconds):
        """The room is on the network, as whoever has no cache sees it."""
        def look():
            return mdns.browse(self.eye, 0.25, lambda found: {"id", "port"} <= found.get(name, {}).keys()).get(name, {})
        took = seconds_until(lambda: look().get("id") == id, f"{name} to be advertised", seconds)

        def shown():
            found = mdns.browse(self.eye, 0.5)
            return [(name, one.get("port", port)) for name, one in found.items() if one.get("id") == id]
        self.assertEqual(eventually(shown, f"{name} to be seen once more"), [(name, port)])
        return took

    def restarts(self, stop, start):
        """A match goes on and a room stays what it is while something is stopped and started again."""
        ada, bea = self.add("ada", "bea")
        host = ada.machine
        room = ada.call("room.host", game="snap", seats=3, name="Kitchen", options={"max_flips": 52})["id"]
        bea.row("Kitchen")
        bea.call("room.join", room="Kitchen")
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        second = ada.call("room.host", game="hangman", name="Attic")["id"]
        took = []
        for number in range(ROUNDS or 4):
            stop(host)
            if number % 2:
                stop(bea.machine)
            flips = bea.call("match.view", room=room)["view"]["flips"] if number else 0
            self.play_a_little(ada, bea, room, flips + 2)
            start(host)
            host.wait_for_avahi()
            if number % 2:
                start(bea.machine)
                bea.machine.wait_for_avahi()
            took.append(self.assert_advertised("Kitchen", room, ada.port, BACK_S + SLACK_S))
            self.assert_advertised("Attic", second, ada.port, SLACK_S)
            # An Avahi that has just started may know it from what it heard before it was asked: cached.
            eventually(
                lambda: [(row["id"], row["reachable"] != "unreachable") for row in bea.rows() if row["name"] == "Attic"]
                == [(second, True)], "Attic among the rows")
        eventually(
            lambda: sorted(row["name"] for row in bea.rows()) == ["Attic", "Kitchen"], "a row for each of the rooms")
        self.assertEqual(ada.call("room.get", room=room)["name"], "Kitchen")
        for peer in (ada, bea):
            self.assertEqual(peer.seen("link.lost") + peer.seen("error"), [])
        print(f"advertised again at most {max(took):.1f} s after it could be:", " ".join(f"{one:.1f}" for one in took))

    def play_a_little(self, ada, bea, room, flips):
        """Plays on in the room until so many cards have been flipped."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            views = [(peer, peer.call("match.view", room=room)) for peer in (ada, bea)]
            if all(view["state"] == "ended" or view["state"] == "playing" and view["view"]["flips"] >= flips
                   for _, view in views):
                return
            for peer, view in views:
                if {"do": "flip"} in view["legal"]:
                    try:
                        peer.call("match.act", room=room, action={"do": "flip"})
                    except test_kills.Refused as error:
                        self.assertIn(error.reason, test_kills.WAITING)
            time.sleep(0.01)
        raise AssertionError(f"no {flips} flips in 30 s")

    def test_avahi_is_killed_again_and_again(self):
        self.restarts(lambda machine: machine.kill_avahi(), lambda machine: machine.start_avahi())

    def test_the_bus_is_killed_again_and_again(self):
        def stop(machine):
            machine.kill_avahi()
            machine.kill_bus()

        def start(machine):
            machine.start_bus()
            machine.start_avahi()
        self.restarts(stop, start)

    def test_a_daemon_that_was_there_first(self):
        ada, bea = self.add("ada", "bea", avahi=False)
        ada.machine.start_bus()
        rooms = [peer.call("room.host", game="snap", name=f"{peer.name}'s")["id"] for peer in (ada, bea)]
        eventually(lambda: ada.call("status")["discovery"]["state"] == "no-daemon", "the missing daemon to be told")
        eventually(lambda: bea.call("status")["discovery"]["state"] == "no-bus", "the missing bus to be told")
        self.assertEqual((ada.rows(), bea.rows()), ([], []))
        # Long enough for the waits between two tries to have grown.
        time.sleep(8)
        bea.machine.start_bus()
        for peer in (ada, bea):
            peer.machine.start_avahi()
        for peer, room in zip((ada, bea), rooms, strict=True):
            self.assert_advertised(f"{peer.name}'s", room, peer.port, BACK_S + SLACK_S)
        self.assertEqual(ada.row("bea's")["id"], rooms[1])
        self.assertEqual(bea.row("ada's")["id"], rooms[0])
        for peer in (ada, bea):
            eventually(lambda: peer.call("status")["discovery"]["state"] == "running", "discovery to be told as running")

    def test_the_machine_gets_another_name(self):
        ada, bea = self.add("ada", "bea")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        bea.row("Kitchen")
        # Another machine of this name: Avahi gives way, and the room is announced from the new one.
        ada.machine.setting("kernel/hostname", "bea")
        ada.machine.kill_avahi()
        ada.machine.start_avahi()
        self.assert_advertised("Kitchen", room, ada.port, BACK_S + SLACK_S)
        self.assertEqual(bea.row("Kitchen", reachable="fresh")["id"], room)
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)
