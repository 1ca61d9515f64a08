"""Direct links between the guests of a room, and what programs say to each other through them."""
import base64
import itertools
import os
import resource
import time

import harness
from harness import Scenario, eventually

MIB = 1024 * 1024
MERCY_S = 3  # on a busy machine


def text(data):
    return base64.b64encode(data).decode()


class Mesh(Scenario):
    def seat(self, peer, other, room=None):
        """How `peer` sees the seat of `other`."""
        seats = peer.call("room.get", **({"room": room} if room else {}))["seats"]
        return next(seat for seat in seats if seat.get("player", {}).get("id") == other.id)

    def wait_direct(self, peers, room=None, seconds=10):
        for peer, other in itertools.permutations(peers, 2):
            eventually(lambda: self.seat(peer, other, room).get("path") == "direct",
                       f"{peer.name} to have a direct way to {other.name}", seconds)

    def send(self, peer, data, *to, mode="reliable", **more):
        if to:
            more["to"] = [other.id for other in to]
        return peer.call("channel.send", mode=mode, data=text(data), **more)

    def got(self, peer, sender, data, mode="reliable", **more):
        event = peer.event("message", data=text(data), mode=mode, **more)
        self.assertEqual(event["from"]["id"], sender.id)
        self.assertEqual(event["from"]["name"], sender.name)
        return event

    def links(self, peer):
        return sorted(link["peer"]["name"] for link in peer.call("status")["links"])

    def test_every_pair_is_linked_and_talks(self):
        peers = self.lobby("snap", 4)
        self.wait_direct(peers)
        for peer in peers:
            self.assertEqual(self.links(peer), sorted(other.name for other in peers if other is not peer))
            self.assertNotIn("path", self.seat(peer, peer))
        for peer, other in itertools.permutations(peers, 2):
            data = f"{peer.name} to {other.name}".encode()
            self.assertGreaterEqual(self.send(peer, data, other)["queued_bytes"], len(data))
            self.assertNotIn("relayed", self.got(other, peer, data))
        for peer in peers:
            data = f"{peer.name} to all".encode()
            self.send(peer, data)
            for other in peers:
                if other is not peer:
                    self.got(other, peer, data)
        for peer in peers:
            self.assertEqual(len(peer.seen("message")), 6, peer.name)
            self.assertEqual(peer.seen("link.lost") + peer.seen("error"), [])
        stats = peers[1].call("channel.stats")["links"]
        self.assertEqual(sorted(link["peer"]["id"] for link in stats), sorted(p.id for p in peers if p is not peers[1]))
        for link in stats:
            self.assertEqual([lane["lane"] for lane in link["lanes"]], ["control", "game", "bulk"])
            bulk = link["lanes"][2]
            self.assertEqual((bulk["sent"], bulk["received"], bulk["dropped"]), (2, 2, 0))
            self.assertEqual(set(link["unreliable"]), {"sent", "received", "dropped", "queued"})
            self.assertIn("p99", link["rtt_ms"])

    def test_how_much_and_what(self):
        ada, bea, cyd = peers = self.lobby("snap", 3)
        self.wait_direct(peers)
        data = os.urandom(MIB)
        self.send(bea, data, cyd)
        self.got(cyd, bea, data)
        self.send(ada, data)
        self.got(bea, ada, data)
        self.got(cyd, ada, data)
        bea.refused("message-too-large", "channel.send", mode="reliable", data=text(data + b"x"))
        bea.refused("message-too-large", "channel.send", mode="unreliable", data=text(data[:16385]))
        for wrong in ({"data": "AA"}, {"data": "????"}, {"data": "AB=="}, {"key": 1}, {"ttl_ms": 5}, {"lane": "control"},
                      {"mode": "unreliable", "key": -1}, {"mode": "unreliable", "key": 2**32}, {"mode": "unreliable", "lane": "game"},
                      {"mode": "unreliable", "ttl_ms": 0}, {"mode": "fast"}):
            bea.refused("bad-params", "channel.send", **{"mode": "reliable", "data": "AAAA", **wrong})
        for nobody in ("00" * 32, bea.id, "x", ""):
            bea.refused("not-found", "channel.send", mode="reliable", data="AAAA", to=[cyd.id, nobody])
        self.send(bea, b"", cyd, lane="game")
        self.got(cyd, bea, b"")
        self.assertEqual(len(cyd.seen("message")), 3)

    def test_the_order_of_many(self):
        peers = self.lobby("snap", 3)
        self.wait_direct(peers)
        ada, bea, cyd = peers
        for sender, receiver in ((bea, cyd), (cyd, ada), (ada, bea)):
            requests = [sender.send("channel.send", to=[receiver.id], mode="reliable", data=text(b"%d" % number))
                        for number in range(2000)]
            for request in requests:
                sender.answer(request)
            eventually(lambda: len(receiver.seen("message")) == 2000, f"2000 messages at {receiver.name}", 60)
            self.assertEqual([base64.b64decode(event["data"]) for event in receiver.seen("message")],
                             [b"%d" % number for number in range(2000)])

    def test_a_stopped_member_fills_its_own_queue_only(self):
        peers = self.lobby("snap", 3)
        self.wait_direct(peers)
        ada, bea, cyd = peers
        os.kill(cyd.pid, 19)
        data, sent = os.urandom(MIB // 2), 0
        while sent < 20:
            try:
                queued = self.send(bea, data, cyd)["queued_bytes"]
                sent += 1
                self.assertLessEqual(queued, 4 * MIB)
            except harness.Refused as error:
                self.assertEqual(error.reason, "queue-full")
                break
        self.assertLess(sent, 9)
        bea.refused("queue-full", "channel.send", mode="reliable", data=text(data))
        self.send(bea, b"on", ada)
        self.got(ada, bea, b"on")
        self.assertNotIn(text(data), [event["data"] for event in ada.seen("message")], "all of them or none")
        os.kill(cyd.pid, 18)
        eventually(lambda: len(cyd.seen("message")) == sent, "what was queued", 40)
        self.send(bea, b"last", cyd)
        self.got(cyd, bea, b"last")

    def test_a_match_takes_the_direct_way(self):
        peers = self.lobby("snap", 4, {"max_flips": 20})
        self.wait_direct(peers)
        before = {peer: {link["peer"]["id"]: link["received"] for link in peer.call("status")["links"]} for peer in peers}
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")
        for peer, other in itertools.permutations(peers, 2):
            link = next(link for link in peer.call("status")["links"] if link["peer"]["id"] == other.id)
            self.assertGreater(link["received"], before[peer][other.id], f"{other.name} to {peer.name}")
        eventually(lambda: len({peer.call("match.view")["head"] for peer in peers}) == 1, "one log")

    # Pairs that cannot connect.

    def descriptors(self, peer):
        """Those a daemon has open, a little while from now."""
        time.sleep(0.02)
        return {int(name) for name in os.listdir(f"/proc/{peer.pid}/fd")}

    def cut_off(self, peer):
        """Leaves a daemon the descriptors it has and no more: it takes and makes no link until `let_on`."""
        # What it writes to its disk it opens for a moment only: those descriptors would be free for a link.
        held = set.intersection(*(self.descriptors(peer) for _ in range(25)))
        used = max(held) + 1
        free = set(range(used)) - held
        self.assertLess(len(free), 8)
        self.limit = resource.prlimit(peer.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(peer.pid, resource.RLIMIT_NOFILE, (used - len(free), self.limit[1]))

    def let_on(self, peer):
        resource.prlimit(peer.pid, resource.RLIMIT_NOFILE, self.limit)

    def test_a_pair_that_cannot_connect_is_relayed(self):
        ada, bea, cyd, dan = peers = self.peers("ada", "bea", "cyd", "dan")
        ada.call("room.host", game="snap", seats=4, name="Table")
        bea.join(ada)
        self.cut_off(bea)
        cyd.join(ada)
        bea.event("seat.taken", seat=2)
        began = time.monotonic()
        early = b"while still connecting"
        self.send(bea, early, cyd)
        self.assertTrue(self.got(cyd, bea, early)["relayed"])
        for peer, other in ((bea, cyd), (cyd, bea)):
            eventually(lambda: self.seat(peer, other)["path"] == "relayed", f"{peer.name} to be relayed to {other.name}")
        self.assertLess(time.monotonic() - began, 2 + MERCY_S)
        for peer, other in ((bea, cyd), (cyd, bea)):
            self.assertEqual(self.links(peer), ["ada"])
            data = os.urandom(MIB)
            self.send(peer, data, other)
            self.assertTrue(self.got(other, peer, data)["relayed"])
        said = self.parlor("status", home=cyd.home).stdout
        row = next(line for line in said.splitlines() if "bea" in line and "Seat" in line)
        self.assertIn("relayed through the host", row)
        dan.join(ada)
        self.wait_direct([ada, cyd, dan])
        requests = [bea.send("channel.send", to=[cyd.id], mode="reliable", data=text(b"%d" % number)) for number in range(500)]
        self.let_on(bea)
        for number in range(500, 4000):
            requests.append(bea.send("channel.send", to=[cyd.id], mode="reliable", data=text(b"%d" % number)))
            if number % 100 == 0:
                for request in requests:
                    bea.answer(request)
                requests = []
                time.sleep(0.02)
                if self.seat(bea, cyd)["path"] == "direct" and number > 1000:
                    break
        for request in requests:
            bea.answer(request)
        self.wait_direct(peers, seconds=40)
        numbers = [b"%d" % other for other in range(number + 1)]
        mine = lambda: [event for event in cyd.seen("message") if len(event["data"]) < 9]
        eventually(lambda: len(mine()) >= len(numbers), "all that was sent while the way changed", 40)
        self.assertEqual([base64.b64decode(event["data"]) for event in mine()], numbers)
        self.send(bea, b"direct", cyd)
        self.assertNotIn("relayed", self.got(cyd, bea, b"direct"))

    def test_a_direct_link_that_is_cut_is_relayed_and_comes_back(self):
        peers = ada, bea, cyd = self.peers("ada", "bea", "cyd", arguments=("--faults",))
        ada.call("room.host", game="snap", seats=3, name="Table")
        for peer in (bea, cyd):
            peer.join(ada)
        self.wait_direct(peers)
        bea.call("fault.set", peer=cyd.id, cut_ms=20_000)
        number = 0

        def talk_until(check):
            nonlocal number
            self.send(bea, b"%d" % number, cyd)
            number += 1
            return check()
        eventually(lambda: talk_until(lambda: self.seat(bea, cyd)["path"] == "relayed"), "the host's relay", 15)
        self.got(cyd, bea, b"%d" % (number - 1), relayed=True)
        for _ in range(2):
            large = os.urandom(MIB)
            self.send(bea, large, cyd)
            self.got(cyd, bea, large, relayed=True, timeout=6)
        eventually(lambda: talk_until(lambda: self.seat(bea, cyd)["path"] == "direct"), "the direct way", 40)
        self.send(bea, b"%d" % number, cyd)
        self.assertNotIn("relayed", self.got(cyd, bea, b"%d" % number))
        heard = [base64.b64decode(event["data"]) for event in cyd.seen("message")]
        self.assertEqual([data for data in heard if len(data) < MIB], [b"%d" % each for each in range(number + 1)])
        self.assertEqual(ada.seen("link.suspect"), [])

    def test_a_member_that_starts_again_hears_what_is_new(self):
        ada, bea, cyd = peers = self.lobby("snap", 3)
        self.wait_direct(peers)
        for number in range(3):
            self.send(bea, b"%d" % number, cyd)
        self.got(cyd, bea, b"2")
        cyd.kill()
        ada.event("seat.away", seat=2)
        cyd.start()
        cyd.join(ada)
        self.wait_direct(peers)
        for sender, receiver in itertools.permutations(peers, 2):
            data = f"again {sender.name}".encode()
            self.send(sender, data, receiver)
            self.got(receiver, sender, data)

    def test_one_link_for_two_rooms(self):
        ada, bea, cyd, dan = self.peers("ada", "bea", "cyd", "dan")
        one = ada.call("room.host", game="snap", name="One")["id"]
        two = dan.call("room.host", game="snap", name="Two")["id"]
        for peer in (bea, cyd):
            peer.join(ada)
        self.wait_direct([ada, bea, cyd], one)
        before = len(bea.seen("link.up"))
        for peer in (bea, cyd):
            peer.join(dan)
        self.wait_direct([dan, bea, cyd], two)
        self.assertEqual(self.links(bea), ["ada", "cyd", "dan"])
        self.assertEqual([event["peer"]["name"] for event in bea.seen("link.up")[before:]], ["dan"])
        for room in (one, two):
            data = f"in {room}".encode()
            self.send(bea, data, cyd, room=room)
            self.got(cyd, bea, data, room=room)
        bea.call("room.leave", room=one)
        self.assertEqual(self.links(bea), ["cyd", "dan"])
        self.send(bea, b"still here", cyd)
        self.got(cyd, bea, b"still here", room=two)
        bea.call("room.leave")
        cyd.event("seat.left", room=two, seat=1)
        eventually(lambda: self.links(cyd) == ["ada", "dan"] and self.links(bea) == [], "the last link to close")
        cyd.refused("not-found", "channel.send", room=two, mode="reliable", data="AAAA", to=[bea.id])
