"""Four machines and a game; a cable that is pulled in the middle of it."""
import harness
import test_kills
from harness import eventually
from machines import LanScenario


class Play(LanScenario):
    limit_s = 150

    def table(self, peers, **options):
        """The first hosts, the others find the room and join it; the match is on when this returns."""
        host, *guests = peers
        room = host.call("room.host", game="snap", seats=len(peers), name="Kitchen", options=options)["id"]
        for number, guest in enumerate(guests, 1):
            row = guest.row("Kitchen", state="lobby", timeout=20)
            self.assertEqual(row["id"], room)
            self.assertEqual(guest.call("room.join", room="Kitchen")["my_seat"], number)
            guest.call("room.ready", ready=True)
            host.event("seat.ready", seat=number)
        host.call("room.start")
        for peer in peers:
            peer.match("playing")
        return room

    def flips(self, peers):
        return min(peer.call("match.view")["view"]["flips"] for peer in peers)

    def play_until(self, peers, flips):
        test_kills.play(peers, lambda: self.flips(peers) >= flips, 60)

    def is_over(self, peers):
        return all(peer.call("match.view")["state"] == "ended" for peer in peers)

    def test_four_machines_find_each_other_and_play(self):
        peers = self.add("ada", "bea", "cyd", "dan")
        self.table(peers, max_flips=16)
        harness.play_snap(peers)
        self.assert_ended_well(peers)
        for peer in peers:
            self.assertEqual(peer.seen("error"), [])
            eventually(
                lambda: [link["state"] for link in peer.call("status")["links"]] == ["up"] * 3, "three links that are up")

    def test_the_hosts_cable_is_pulled_and_the_others_go_on(self):
        peers = ada, *others = self.add("ada", "bea", "cyd", "dan")
        room = self.table(peers, max_flips=40, grace_s=90)
        self.play_until(peers, 4)
        ada.machine.unplug()
        # The others find out by themselves that it is gone, and one of them hosts the room from now on.
        others[0].event("seat.away", seat=0, timeout=20)
        others[0].event("sequencer.changed", timeout=20)
        self.play_until(others, 12)
        self.assertIn(others[0].call("room.get")["host"]["id"], [peer.id for peer in others])
        self.assertTrue(all(peer.call("room.get")["id"] == room for peer in others))
        ada.machine.plug()
        # Nobody does anything at the host's machine: it is a member of the same room again by itself.
        for peer in others:
            peer.event("seat.back", seat=0, timeout=30)
        # Whoever that is by now: on a busy machine they may have voted once more.
        eventually(lambda: len({peer.call("room.get")["host"]["id"] for peer in peers}) == 1, "all to know one host")
        test_kills.play(peers, lambda: self.is_over(peers), 60)
        self.assert_ended_well(peers)
        self.assertEqual({peer.call("room.get")["id"] for peer in peers}, {room})

    def test_a_cable_that_is_pulled_for_a_moment_costs_nobody_a_seat(self):
        peers = ada, bea = self.add("ada", "bea")
        self.table(peers, max_flips=16)
        self.play_until(peers, 3)
        for _ in range(3):
            bea.machine.unplug()
            ada.event("link.suspect", timeout=10)
            bea.machine.plug()
            ada.event("link.resumed", timeout=15)
        test_kills.play(peers, lambda: self.is_over(peers), 60)
        self.assert_ended_well(peers)
        for peer in peers:
            self.assertEqual(peer.seen("seat.left") + peer.seen("link.lost"), [])
