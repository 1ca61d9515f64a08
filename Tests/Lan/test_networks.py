"""Kinds of networks, and networks that let through less than all."""
import time

import harness
from machines import LanScenario

NAMED_S = 5
"""How soon whoever cannot join knows why."""
SLACK_S = 5
"""For a busy machine."""


class Kinds(LanScenario):
    def found_and_joined(self, kind, address):
        ada, bea = self.add("ada", "bea", kind=kind)
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        row = bea.row("Kitchen", reachable="fresh", timeout=20)
        self.assertTrue(row["endpoints"], row)
        for endpoint in row["endpoints"]:
            self.assertTrue(endpoint.startswith(address), row)
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)
        bea.call("room.leave")
        self.assertEqual(bea.join(ada)["id"], room)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")

    def test_ipv4_alone(self):
        self.found_and_joined("ipv4", "10.77.0.")

    def test_ipv6_alone(self):
        self.found_and_joined("ipv6", "[f")

    def test_link_local_alone(self):
        self.found_and_joined("link-local", "[fe80::")

    def test_three_with_link_local_addresses_play(self):
        peers = ada, bea, cyd = self.add("ada", "bea", "cyd", kind="link-local")
        ada.call("room.host", game="snap", seats=3, name="Kitchen", options={"max_flips": 10})
        for peer in (bea, cyd):
            peer.row("Kitchen", timeout=20)
            peer.call("room.join", room="Kitchen")
            peer.call("room.ready", ready=True)
        # Guests reach each other without the host between them.
        for peer in peers:
            self.eventually_linked(peer, 2)
        ada.call("room.start")
        for peer in peers:
            peer.match("playing")

    def eventually_linked(self, peer, count):
        harness.eventually(
            lambda: [link["state"] for link in peer.call("status")["links"]] == ["up"] * count,
            f"{count} links at {peer.name}", 20)


class Blocked(LanScenario):
    def test_mdns_blocked(self):
        ada, bea = self.add("ada", "bea")
        bea.machine.block("udp dport 5353 drop")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        harness.eventually(lambda: not bea.call("rooms.list")["searching"], "the search to be over")
        self.assertEqual(bea.call("rooms.list")["rooms"], [])
        self.assertIn("--address", self.parlor("list", home=bea.home).stdout + bea.refused(
            "no-such-room", "room.join", room="Kitchen").message)
        self.assertEqual(bea.join(ada)["id"], room)
        bea.machine.unblock()
        bea.row("Kitchen", timeout=30)

    def refused_in_time(self, rule, *reasons):
        ada, bea = self.add("ada", "bea")
        ada.machine.block(rule)
        ada.call("room.host", game="snap", name="Kitchen")
        bea.row("Kitchen")
        began = time.monotonic()
        with self.assertRaises(harness.Refused) as refusal:
            bea.call("room.join", room="Kitchen")
        took = time.monotonic() - began
        self.assertIn(refusal.exception.reason, reasons)
        self.assertIn("10.77.0.1", refusal.exception.message)
        print(f"{refusal.exception.reason} after {took:.1f} s")
        self.assertLess(took, NAMED_S + SLACK_S)
        bea.row("Kitchen", reachable="unreachable")
        ada.machine.unblock()
        self.assertEqual(bea.join(ada)["role"], "guest")

    def test_tcp_dropped(self):
        self.refused_in_time("meta l4proto tcp drop", "unreachable", "timed-out")

    def test_tcp_rejected(self):
        self.refused_in_time("tcp dport 27720-27735 reject with tcp reset", "unreachable")

    def test_datagrams_dropped(self):
        ada, bea = self.add("ada", "bea")
        ada.call("room.host", game="snap", seats=2, name="Kitchen", options={"max_flips": 10})
        bea.row("Kitchen")
        ada.machine.block("udp dport != 5353 udp sport != 5353 drop")
        bea.call("room.join", room="Kitchen")
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        for peer in (ada, bea):
            peer.match("playing")
        harness.play_snap([ada, bea])
        self.assert_ended_well([ada, bea])


class Responders(LanScenario):
    def test_avahi_and_parlors_own_find_each_other(self):
        [ada] = self.add("ada")
        bea, cyd = self.add("bea", "cyd", avahi=False, discovery="embedded")
        rooms = {peer: peer.call("room.host", game="snap", name=f"{peer.name}'s")["id"] for peer in (ada, bea)}
        for peer in (ada, bea, cyd):
            for host, room in rooms.items():
                self.assertEqual(peer.row(f"{host.name}'s", timeout=20)["id"], room)
        self.assertEqual(ada.call("room.join", room="bea's")["id"], rooms[bea])
        self.assertEqual(cyd.call("room.join", room="ada's")["id"], rooms[ada])
        # Both kinds take a room off the network at its end.
        for host, room in rooms.items():
            host.call("room.leave", room=room)
        harness.eventually(lambda: [peer.rows() for peer in (ada, bea, cyd)] == [[]] * 3, "all rooms to be gone", 20)

    def test_one_name_on_both(self):
        [ada] = self.add("ada")
        [bea] = self.add("bea", avahi=False, discovery="embedded")
        rooms = {ada.call("room.host", game="snap", name="Kitchen")["id"]: ada}
        ada.row("Kitchen"), bea.row("Kitchen", timeout=20)
        rooms[bea.call("room.host", game="snap", name="Kitchen")["id"]] = bea
        names = {"Kitchen", "Kitchen #2"}

        def settled():
            own = {room: host.call("room.get", room=room)["name"] for room, host in rooms.items()}
            shown = [{row["id"]: row["name"] for row in peer.rows()} for peer in (ada, bea)]
            return own if set(own.values()) == names and shown == [own, own] else None
        for room, name in harness.eventually(settled, "both to know their names", 20).items():
            guest = ada if rooms[room] is bea else bea
            self.assertEqual(guest.call("room.join", room=name)["host"]["id"], rooms[room].id)

    def test_auto_falls_back_and_moves_back(self):
        [eye] = self.add("eye")
        [ada] = self.add("ada", avahi=False, discovery="auto")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        eye.row("Kitchen", timeout=40)
        self.assertEqual(ada.call("status")["discovery"]["backend"], "embedded")
        ada.machine.start()
        harness.eventually(
            lambda: ada.call("status")["discovery"]["backend"] == "avahi", "the daemon to be used", 30)
        self.assertEqual(eye.row("Kitchen", timeout=20)["id"], room)
        self.assertEqual(eye.call("room.join", room="Kitchen")["id"], room)
        self.assertEqual(ada.call("room.get")["name"], "Kitchen")
        self.assertEqual(ada.seen("error"), [])


class SeveralNetworks(LanScenario):
    def test_a_second_network_that_guests_do_not_have(self):
        machines = self.lan.add(["ada", "bea"])
        # As a VPN or a bridge of containers: up, with addresses, and nobody near is on it.
        machines[0].connect(2)
        ada, bea = [self.on(machine, machine.name)[0] for machine in machines]
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        bea.row("Kitchen")
        began = time.monotonic()
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)
        # Not one address after the other, each until its time is over.
        self.assertLess(time.monotonic() - began, NAMED_S)

    def test_a_network_that_comes_later(self):
        ada, bea = self.add("ada", "bea")
        ada.machine.unplug()
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        for peer in (ada, bea):
            peer.machine.connect(2)
        row = bea.row("Kitchen", timeout=20)
        self.assertEqual(row["id"], room)
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)

    def test_one_row_for_a_room_on_two_networks(self):
        machines = self.lan.add(["ada", "bea"])
        for machine in machines:
            machine.connect(2)
        ada, bea = [self.on(machine, machine.name)[0] for machine in machines]
        room = ada.call("room.host", game="snap", seats=2, name="Kitchen")["id"]

        def both():
            rows = bea.rows()
            text = " ".join(endpoint for row in rows for endpoint in row["endpoints"])
            return rows if "10.77.0.1:" in text and "10.78.0.1:" in text else None
        rows = harness.eventually(both, "addresses of both networks", 20)
        self.assertEqual([row["id"] for row in rows], [room])
        bea.call("room.join", room="Kitchen")
        # One of the two goes: the link goes on over the other.
        ada.machine.unplug(0)
        for peer in (ada, bea):
            peer.event("link.resumed", timeout=20)
        bea.call("room.ready", ready=True)
        ada.event("seat.ready", seat=1, timeout=30)
        self.assertEqual(bea.seen("room.closed"), [])
