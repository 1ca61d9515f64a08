"""Messages that may be lost but never come late, twice or out of order; and a member that stands still for a minute."""
import base64
import itertools
import os
import signal
import time

import harness
from harness import Refused, Scenario, eventually

UNRELIABLE_MAX = 16 * 1024
STANDSTILL_S = 60
GROWTH_MAX_KB = 24 * 1024  # four full queues of 4 MiB would be 16


def text(data):
    return base64.b64encode(data).decode()


class Unreliable(Scenario):
    limit_s = 180

    def members(self, count, *arguments):
        peers = self.peers(*["ada", "bea", "cyd", "dan"][:count], arguments=arguments)
        peers[0].call("room.host", game="snap", seats=count, name="Table")
        for peer in peers[1:]:
            peer.join(peers[0])
        for peer in peers:
            eventually(lambda: self.transports(peer) == ["tcp+udp"] * (count - 1), f"datagrams at {peer.name}", 10)
        for peer in peers[1:]:
            eventually(lambda: all(
                seat.get("path", "direct") == "direct" for seat in peer.call("room.get")["seats"]), "direct ways", 10)
        return peers

    def transports(self, peer):
        return [link["transport"] for link in peer.call("status")["links"]]

    def send(self, peer, data, *to, **more):
        if to:
            more["to"] = [other.id for other in to]
        return peer.call("channel.send", mode="unreliable", data=text(data), **more)

    def numbers(self, peer, sender):
        return [int(base64.b64decode(event["data"])) for event in peer.seen("message")
                if event["from"]["id"] == sender.id and event["mode"] == "unreliable"]

    def statistics(self, peer, other):
        return next(link for link in peer.call("channel.stats")["links"] if link["peer"]["id"] == other.id)["unreliable"]

    def test_every_member_hears_every_other(self):
        peers = self.members(4)
        for peer, other in itertools.permutations(peers, 2):
            self.send(peer, f"{peer.name} to {other.name}".encode(), other)
            event = other.event("message", timeout=5, data=text(f"{peer.name} to {other.name}".encode()))
            self.assertEqual((event["mode"], event["from"]["id"]), ("unreliable", peer.id))
            self.assertNotIn("relayed", event)
        whole = os.urandom(UNRELIABLE_MAX)
        self.send(peers[0], whole)
        for other in peers[1:]:
            other.event("message", timeout=5, data=text(whole))
        peers[0].refused("message-too-large", "channel.send", mode="unreliable", data=text(whole + b"x"))
        counters = self.statistics(peers[0], peers[1])
        self.assertEqual((counters["sent"], counters["received"], counters["queued"]), (2, 1, 0))

    def test_a_member_that_was_killed_and_started_again_takes_datagrams(self):
        ada, bea = self.members(2)
        port = bea.port
        bea.kill()
        bea.arguments[bea.arguments.index("--listen") + 1] = f"127.0.0.1:{port}"
        bea.start()
        # Ada comes back to a link of which Bea knows nothing any more, and a new one begins.
        eventually(lambda: len(ada.seen("link.up")) == 2, "another link", 10)
        bea.join(ada)
        for peer in (ada, bea):
            eventually(lambda: self.transports(peer) == ["tcp+udp"], f"datagrams at {peer.name} again", 20)
        self.send(bea, b"back", ada)
        ada.event("message", data=text(b"back"), mode="unreliable")

    def test_a_bad_line_loses_some_and_never_doubles_or_misorders(self):
        ada, bea = self.members(2, "--faults")
        for first, key in ((0, {}), (2000, {"key": 7})):
            last = first + 1000
            ada.call("fault.set", loss=0.2, duplicate=0.3, reorder=0.3, delay_ms=5, jitter_ms=20, direction="out", seed=3)
            for number in range(first, last):
                self.send(ada, b"%d" % number, **key)
            ada.call("fault.set")
            # What is sent last, over a good line, comes after all that was still on its way or never. It is
            # sent until it is seen, so more of it may come while the second round is under way.
            eventually(lambda: self.send(ada, b"%d" % last, **key) == {"queued_bytes": 0}
                       and last in self.numbers(bea, ada), "the last one", 10)
            got = [number for number in self.numbers(bea, ada) if first <= number < last]
            self.assertEqual(got, sorted(set(got)), "twice or out of order")
            self.assertTrue(100 < len(got) < 1000, f"{len(got)} of 1000 got through")
        self.assertGreater(self.statistics(bea, ada)["dropped"], 0)

    def test_what_is_late_is_dropped(self):
        ada, bea = self.members(2, "--faults")
        ada.call("fault.set", delay_ms=400, direction="out")
        for number in range(20):
            self.send(ada, b"%d" % number, ttl_ms=50)
        self.send(ada, b"1000", ttl_ms=5000)
        eventually(lambda: 1000 in self.numbers(bea, ada), "the one that lives long enough", 10)
        self.assertEqual(self.numbers(bea, ada), [1000])
        self.assertGreaterEqual(self.statistics(bea, ada)["dropped"], 20)

    def test_a_reader_of_events_that_falls_behind_misses_nothing(self):
        ada, bea = self.members(2)
        wire = harness.Wire(bea.control)
        self.addCleanup(wire.close)
        wire.ask({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"types": ["message"]}})
        os.kill(bea.pid, signal.SIGSTOP)
        data, count = text(bytes(1000)), 3500
        for _ in range(count):
            ada.call("channel.send", mode="reliable", data=data, to=[bea.id])
        os.kill(bea.pid, signal.SIGCONT)
        heard = 0
        while heard < count:
            line = wire.line()
            self.assertIsNotNone(line, f"dropped after {heard} of {count} messages")
            heard += line.get("method") == "event"
            if heard % 50 == 0:
                time.sleep(0.01)  # slower than messages come
        self.assertEqual(len(bea.seen("message")), count)

    def memory_kb(self, peer):
        with open(f"/proc/{peer.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def test_three_play_on_while_the_fourth_stands_still_for_a_minute(self):
        peers = self.table("snap", 4, {"max_flips": 10_000})
        others, dan = peers[:3], peers[3]
        before = {peer.name: self.memory_kb(peer) for peer in others}
        os.kill(dan.pid, signal.SIGSTOP)
        began, rounds, refused, flips = time.monotonic(), 0, 0, 0
        data = os.urandom(8 * 1024)
        while time.monotonic() < began + STANDSTILL_S:
            for peer in others:
                rest = [other for other in others if other is not peer]
                word = b"%s %d" % (peer.name.encode(), rounds)
                peer.call("channel.send", mode="reliable", data=text(word), to=[other.id for other in rest])
                for other in rest:
                    other.event("message", timeout=5, data=text(word))
                try:
                    peer.call("channel.send", mode="reliable", data=text(data), to=[dan.id])
                except Refused as error:
                    self.assertEqual(error.reason, "queue-full")
                    refused += 1
                if {"do": "flip"} in peer.call("match.view")["legal"]:
                    try:
                        peer.call("match.act", action={"do": "flip"})
                        flips += 1
                    except Refused as error:
                        self.assertIn(error.reason, ("illegal-move", "not-your-turn"))
            rounds += 1
        self.assertGreater(flips, 20, "the three others played on")
        self.assertGreater(rounds, 100)
        self.assertGreater(refused, 0, "the queue to the fourth was full")
        for peer in others:
            self.assertLess(self.memory_kb(peer) - before[peer.name], GROWTH_MAX_KB, peer.name)
            self.assertEqual(peer.seen("seat.left"), [])
        others[0].event("seat.away", seat=3)
        os.kill(dan.pid, signal.SIGCONT)
        others[0].event("seat.back", seat=3, timeout=30)
        self.assertEqual(dan.call("match.view")["my_seat"], 3)
        self.assert_same_match(peers)
        others[1].call("channel.send", mode="reliable", data=text(b"welcome back"), to=[dan.id])
        dan.event("message", timeout=40, data=text(b"welcome back"))
