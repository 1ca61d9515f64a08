"""Finding rooms without an Avahi daemon, each process with a responder of its own, and what the doctor says."""
import json

import harness
from harness import Scenario, eventually


class Embedded(Scenario):
    needs_network = True
    limit_s = 90

    def prepare(self, name, **options):
        options.setdefault("discovery", "embedded")
        return super().prepare(name, **options)

    def test_three_daemons_find_each_other_play_and_part(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        for peer in (ada, bea, cyd):
            eventually(lambda: peer.call("status")["discovery"]["state"] == "running", "discovery to run")
        state = ada.call("status")["discovery"]
        self.assertEqual((state["backend"], state["interfaces"]), ("embedded", ["lo"]))
        room = ada.call("room.host", game="hangman", seats=2, name="Kitchen", options={"rounds": 1})["id"]
        for peer in (bea, cyd):
            row = peer.row("Kitchen", reachable="fresh", own=False)
            self.assertEqual((row["id"], row["host"]["id"]), (room, ada.id))
            self.assertIn(ada.address, row["endpoints"])
        ada.row("Kitchen", own=True)
        self.assertEqual(bea.call("room.join", room="Kitchen")["id"], room)
        cyd.row("Kitchen", taken=2, state="full", timeout=20)
        bea.call("room.ready", ready=True)
        ada.call("room.start")
        harness.play_hangman([ada, bea])
        self.assert_ended_well([ada, bea])
        ada.call("room.leave")
        for peer in (bea, cyd):
            peer.event("room.lost", room=room, timeout=20)

    def test_a_taken_name_gets_a_number_and_both_are_joined_rightly(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        first = ada.call("room.host", game="snap", name="Kitchen")["id"]
        cyd.row("Kitchen")
        second = bea.call("room.host", game="snap", name="Kitchen")["id"]
        self.assertEqual(cyd.row("Kitchen #2", timeout=20)["id"], second)
        self.assertEqual(cyd.row("Kitchen")["id"], first)
        self.assertEqual(bea.call("room.get")["name"], "Kitchen #2")
        self.assertEqual(cyd.call("room.join", room="Kitchen #2")["host"]["id"], bea.id)
        self.assertEqual(cyd.call("room.join", room="Kitchen")["host"]["id"], ada.id)

    def test_two_rooms_of_one_name_at_once_are_both_found_under_their_names(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        for peer in (ada, bea, cyd):
            eventually(lambda: peer.call("status")["discovery"]["state"] == "running", "discovery to run")
        asked = [peer.send("room.host", game="snap", name="Kitchen") for peer in (ada, bea)]
        rooms = [peer.answer(number)["id"] for peer, number in zip((ada, bea), asked)]

        def agreed():
            own = [peer.call("room.get", room=room)["name"] for peer, room in zip((ada, bea), rooms)]
            seen = {row["id"]: row["name"] for row in cyd.call("rooms.list", all=True)["rooms"]}
            return own if len(set(own)) == 2 and [seen.get(room) for room in rooms] == own else None
        names = eventually(agreed, "both rooms under the names that their hosts know", 30)
        for peer, name in zip((ada, bea), names):
            self.assertEqual(cyd.call("room.join", room=name)["host"]["id"], peer.id)

    def test_a_daemon_that_stops_withdraws_and_one_that_vanishes_is_found_out(self):
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        attic = ada.call("room.host", game="snap", name="Attic")["id"]
        bea.call("room.host", game="snap", name="Kitchen")
        cyd.row("Attic"), cyd.row("Kitchen")
        self.assertEqual(ada.stop()[0], 0)
        cyd.event("room.lost", room=attic, timeout=10)
        bea.kill()
        cyd.refused("unreachable", "room.join", room="Kitchen")
        cyd.row("Kitchen", reachable="unreachable")
        cyd.refused("unreachable", "room.join", room="Kitchen")
        eventually(lambda: cyd.call("rooms.list", all=True)["rooms"] == [], "the ghost to be hidden")

    def test_auto_does_without_a_daemon_after_ten_seconds(self):
        ada, bea = self.peers("ada", "bea", discovery="auto")
        room = ada.call("room.host", game="snap", name="Kitchen")["id"]
        self.assertNotEqual(ada.call("status")["discovery"]["state"], "running")
        self.assertEqual(bea.row("Kitchen", timeout=40)["id"], room)
        self.assertEqual(bea.call("status")["discovery"]["backend"], "embedded")


class Doctor(Scenario):
    needs_network = True

    def findings(self, asked, **params):
        return {finding["check"]: finding for finding in asked.call("doctor", **params)["findings"]}

    def test_it_names_what_is_in_the_way_and_the_command_that_mends_it(self):
        ada = self.peer("ada", discovery="avahi")
        eventually(lambda: ada.call("status")["discovery"]["state"] == "no-bus", "discovery to find no bus")
        found = self.findings(ada)
        self.assertEqual((found["bus"]["level"], found["listening"]["level"]), ("fail", "warn"))
        self.assertIn("apt install dbus" if "no system bus" in found["bus"]["text"] else "systemctl", found["bus"]["command"])
        amber = {finding["check"] for finding in ada.call("status")["discovery"]["findings"]}
        self.assertEqual(amber, {"bus", "listening"})
        said = self.parlor("doctor", home=ada.home, status=1).stdout
        self.assertIn("FAIL", said)
        self.assertIn("mend it with: ", said)
        listed = json.loads(self.parlor("doctor", "--json", home=ada.home, status=1).stdout)
        self.assertEqual({finding["check"] for finding in listed["findings"]}, set(found))
        self.assertIn("! ", self.parlor("status", home=ada.home).stdout)
        told = self.parlor("host", "snap", home=ada.home).stderr
        self.assertIn("nobody on another machine", told)

    def test_two_peers_dial_each_other(self):
        ada, bea = self.peers("ada", "bea", discovery="embedded")
        for name in (bea.address, "Kitchen", "bea"):
            if name == "Kitchen":
                bea.call("room.host", game="snap", name="Kitchen")
                ada.row("Kitchen")
            found = self.findings(ada, peer=name)
            self.assertEqual((found["peer-there"]["level"], found["peer-back"]["level"]), ("ok", "ok"), found)
            self.assertIn(bea.address, found["peer-there"]["text"])
            self.assertIn(ada.address, found["peer-back"]["text"])
        self.assertEqual(ada.call("status")["links"], [], "the link was for this alone")

    def test_a_peer_that_is_not_there_and_a_name_that_nobody_has(self):
        ada, bea = self.peers("ada", "bea", discovery="off")
        bea.kill()
        found = self.findings(ada, peer=bea.address)
        self.assertEqual(found["peer-there"]["level"], "fail")
        self.assertIn("refuses", found["peer-there"]["text"])
        self.assertNotIn("peer-back", found)
        ada.refused("not-found", "doctor", peer="nobody")
        self.parlor("doctor", "--peer", bea.address, home=ada.home, status=1)
        self.parlor("doctor", "--peer", "nobody", home=ada.home, status=5)
