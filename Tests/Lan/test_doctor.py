"""What the doctor says of a network where something is in the way."""
import time

from harness import Refused, eventually
from machines import LanScenario

DENY = ("ct state established,related accept", "iif lo accept", "drop")
"""What a firewall does that lets in only what was asked for."""


class Doctor(LanScenario):
    def findings(self, asked, check, **params):
        found = [one for one in asked.call("doctor", **params)["findings"] if one["check"] == check]
        self.assertLessEqual(len(found), 1, found)
        return found[0] if found else None

    def hears(self, peer, level):
        """What is said of the firewall, once discovery has settled so that it can be said."""
        return eventually(
            lambda: (found := self.findings(peer, "firewall"))["level"] == level and "5353" in found["text"] and found,
            f"the firewall to be {level} at {peer.name}")

    def multicast_blocked(self, peer):
        self.hears(peer, "ok")
        for rules, hooks in (("udp dport 5353 drop",), ("input", "output")), (DENY, ("input",)):
            peer.machine.block(*rules, hooks=hooks)
            self.assertIn("5353", self.hears(peer, "fail")["command"])
            shown = self.parlor("doctor", home=peer.home, status=1).stdout
            self.assertIn("a firewall on it drops multicast DNS", " ".join(shown.split()))
            peer.machine.unblock()
            self.hears(peer, "ok")

    def test_multicast_dns_is_blocked_here(self):
        [ada] = self.add("ada")
        self.multicast_blocked(ada)

    def test_multicast_dns_is_blocked_for_the_own_responder(self):
        [ada] = self.add("ada", avahi=False, discovery="embedded")
        # It answers for the rooms that are announced here, and for nothing else.
        self.assertNotIn("5353", self.findings(ada, "firewall")["text"])
        ada.call("room.host", game="snap", name="Kitchen")
        self.multicast_blocked(ada)

    def test_seen_and_not_reached(self):
        ada, bea = self.add("ada", "bea")
        ada.call("room.host", game="snap", name="Kitchen")
        row = bea.row("Kitchen", reachable="fresh")
        self.assertEqual(self.findings(bea, "peer-there", peer="Kitchen")["level"], "ok")
        self.assertEqual(self.findings(bea, "peer-back", peer="Kitchen")["level"], "ok")
        ada.machine.block(f"tcp dport {ada.port} drop", hooks=("input",))
        began = time.monotonic()
        there = self.findings(bea, "peer-there", peer="Kitchen")
        print(f"not reached, known after {time.monotonic() - began:.1f} s: {there['text']}")
        self.assertEqual(there["level"], "fail")
        for endpoint in row["endpoints"]:
            self.assertIn(f"{endpoint} does not answer", there["text"])
        self.assertIn("a firewall there drops it", there["text"])
        # At the other end, where the command that it names is typed: there is a way there, and none back.
        self.assertEqual(there["command"], f"parlor doctor --peer {bea.address}")
        self.assertEqual(self.findings(ada, "peer-there", peer=bea.address)["level"], "ok")
        back = self.findings(ada, "peer-back", peer=bea.address)
        print(back["text"])
        self.assertEqual(back["level"], "fail")
        self.assertIn("bea does not reach this machine", back["text"])
        self.assertIn(f"{ada.port}", back["command"])
        shown = self.parlor("doctor", "--peer", bea.address, home=ada.home, status=1).stdout
        self.assertIn("bea does not reach this machine", " ".join(shown.split()))
        with self.assertRaises(Refused) as refusal:
            bea.call("room.join", room="Kitchen")
        self.assertIn(refusal.exception.reason, ("unreachable", "timed-out"))
        ada.machine.unblock()
        self.assertEqual(self.findings(ada, "peer-back", peer=bea.address)["level"], "ok")
        self.assertEqual(bea.join(ada)["role"], "guest")
