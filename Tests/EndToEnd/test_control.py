"""The control socket: what is not a request, too much of it, and too little reading."""
import base64
import json
import os
import select
import socket
import stat
import subprocess
import time

import harness
from harness import Scenario, Wire


class Control(Scenario):
    def setUp(self):
        super().setUp()
        self.ada = self.peer("ada")

    def wire(self):
        wire = Wire(self.ada.control)
        self.addCleanup(wire.close)
        return wire

    def assert_error(self, answer, code, reason, id=None):
        self.assertEqual(answer["jsonrpc"], "2.0")
        self.assertEqual(answer["id"], id)
        self.assertNotIn("result", answer)
        self.assertEqual((answer["error"]["code"], answer["error"]["data"]["reason"]), (code, reason), answer)
        self.assertTrue(answer["error"]["message"])

    def test_hello_and_status(self):
        hello = self.ada.call("hello", client="test/1", api=1)
        self.assertEqual((hello["api"], hello["pid"], hello["peer"]), (1, self.ada.pid, {"id": self.ada.id, "name": "ada"}))
        games = {game["id"]: game for game in hello["games"]}
        self.assertLessEqual({"snap", "hangman"}, set(games))
        self.assertEqual(games["snap"]["seats"], {"min": 2, "max": 4})
        options = {option["name"]: option for option in games["snap"]["options"]}
        self.assertEqual(
            options["max_flips"], {"name": "max_flips", "type": "int", "min": 10, "max": 10000, "default": 1000})
        self.assertEqual(
            {key: value for key, value in options["grace_s"].items() if key != "name"},
            {"type": "int", "min": 10, "max": 120, "default": 120})
        self.ada.refused("version-mismatch", "hello", client="test/1", api=2)
        status = self.ada.call("status")
        self.assertLessEqual(
            {"version", "api", "pid", "uptime_s", "peer", "endpoints", "udp_port", "discovery", "rooms", "links", "store"},
            set(status))
        self.assertEqual(status["endpoints"], [{"address": "127.0.0.1", "port": self.ada.port}])
        self.assertEqual(status["version"], hello["version"])

    def test_endpoints_and_the_modes_of_files(self):
        endpoints = self.ada.endpoints
        self.assertEqual(
            set(endpoints), {"pid", "version", "api", "peer", "tcp_port", "udp_port", "addresses", "socket"})
        self.assertEqual((endpoints["peer"], endpoints["socket"]), (self.ada.id, self.ada.control))
        self.assertEqual(endpoints["addresses"], [self.ada.address])
        for place, mode in (("run", 0o700), ("data", 0o700), ("state", 0o700), ("run/control.sock", 0o600),
                            ("data/identity.key", 0o600)):
            found = stat.S_IMODE(os.stat(os.path.join(self.ada.home, place)).st_mode)
            self.assertEqual(oct(found), oct(mode), place)

    def test_a_client_too_many_is_told_so(self):
        # One connection is that of the peer itself.
        wires = []
        for _ in range(255):
            wires.append(self.wire())
            self.assertIn("result", wires[-1].ask({"jsonrpc": "2.0", "id": 1, "method": "profile.get"}))
        extra = self.wire()
        self.assert_error(extra.line(), -32010, "busy")
        self.assertIsNone(extra.line())
        said = self.parlor("profile", home=self.ada.home, status=1).stderr
        self.assertIn("has 256 connections to its control socket, and takes no more", said)
        wires.pop().close()
        harness.eventually(lambda: "ada" in self.parlor_any("profile", home=self.ada.home), "room for one again")

    def parlor_any(self, *arguments, home):
        """What a command prints, whatever comes of it."""
        done = subprocess.run(
            [harness.PARLOR, "--home", home, *arguments], capture_output=True, text=True, timeout=20,
            env=harness.environment())
        return done.stdout

    def test_malformed_lines_are_answered_and_the_connection_goes_on(self):
        wire = self.wire()
        for line in (b"{", b"nonsense", b"\xff\xfe\x00", b'{"a":1}x', b"[1", b'"', b"{'a':1}", b"[" * 100000, b"\x00"):
            self.assert_error(wire.ask(line), -32700, "parse-error")
        for value in ([], [{"jsonrpc": "2.0", "id": 1, "method": "status"}], 1, "status", None, {}, {"id": 1}):
            answer = wire.ask(value)
            self.assert_error(answer, -32600, "invalid-request", value.get("id") if isinstance(value, dict) else None)
        for value in ({"jsonrpc": "1.0", "id": 2, "method": "status"}, {"jsonrpc": "2.0", "id": 2},
                      {"jsonrpc": "2.0", "id": 2, "method": 5}, {"jsonrpc": "2.0", "id": 2, "method": "status", "params": []}):
            self.assert_error(wire.ask(value), -32600, "invalid-request", 2)
        for method in ("", "Status", "room.host ", "x" * 10000, "rpc.discover", "\u202e"):
            self.assert_error(
                wire.ask({"jsonrpc": "2.0", "id": "a", "method": method}), -32601, "unknown-method", "a")
        self.assertEqual(wire.ask({"jsonrpc": "2.0", "id": 3, "method": "status"})["result"]["pid"], self.ada.pid)

    def test_wrong_types_are_bad_params(self):
        wrong = [
            ("hello", {}), ("hello", {"client": 1, "api": 1}), ("hello", {"client": "x", "api": "1"}),
            ("events.subscribe", {"types": "say"}), ("events.subscribe", {"types": ["no.such"]}),
            ("events.subscribe", {"since": "0"}), ("rooms.list", {"wait_ms": -1}), ("rooms.list", {"wait_ms": 1e300}),
            ("rooms.list", {"all": "yes"}), ("room.host", {"game": 5}), ("room.host", {"game": "snap", "name": 5}),
            ("room.host", {"game": "snap", "seats": 2.5}), ("room.host", {"game": "snap", "hidden": "no"}),
            ("room.join", {"room": 5}), ("room.join", {"address": ["127.0.0.1"]}), ("room.join", {"timeout_ms": -5}),
            ("room.get", {"room": 1}), ("room.ready", {}), ("room.ready", {"ready": "yes"}), ("room.lock", {}),
            ("room.kick", {}), ("room.say", {}), ("room.say", {"text": None}), ("match.act", {}), ("match.log", {}),
            ("match.log", {"match": 1}), ("match.verify", {"text": 1}), ("profile.set", {}), ("profile.set", {"name": ["x"]}),
        ]
        for method, params in wrong:
            with self.subTest(method=method, params=params):
                self.ada.refused("bad-params", method, **params)

    def test_unknown_members_are_ignored(self):
        wire = self.wire()
        answer = wire.ask({"jsonrpc": "2.0", "id": 1, "method": "profile.get", "params": {"x": [1, {"y": None}]}, "z": 1})
        self.assertEqual(answer["result"]["name"], "ada")

    def test_a_line_that_is_too_long_ends_the_connection(self):
        wire = self.wire()
        wire.write(b'{"jsonrpc":"2.0","id":1,"method":"room.say","params":{"text":"')
        try:
            for _ in range(48):
                wire.write(b"x" * 65536)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answers = []
        try:
            while (answer := wire.line()) is not None:
                answers.append(answer)
        except ConnectionResetError:
            pass
        if answers:
            self.assert_error(answers[0], -32600, "invalid-request")
        self.assertLessEqual(len(answers), 1)
        self.ada.call("status")

    def test_a_line_just_within_the_limit_is_read(self):
        wire = self.wire()
        head, tail = b'{"jsonrpc":"2.0","id":1,"method":"match.verify","params":{"text":"', b'"}}'
        answer = wire.ask(head + b"x" * (2 * 1024 * 1024 - len(head) - len(tail)) + tail)
        self.assertFalse(answer["result"]["valid"])

    def test_half_a_line_and_then_nothing(self):
        for data in (b"", b"{", b'{"jsonrpc":"2.0","id":1,"method":"shutdown","params":{}}', b"\n\n\r\n"):
            wire = self.wire()
            wire.write(data)
            wire.close()
        wire = self.wire()
        wire.write(b'{"jsonrpc":"2.0","id":1,"meth')
        wire.socket.shutdown(socket.SHUT_WR)
        self.assertIsNone(wire.line())
        self.assertEqual(self.ada.call("status")["pid"], self.ada.pid)
        self.assertIsNone(self.ada.process.poll())

    def test_two_hundred_requests_in_one_write(self):
        wire = self.wire()
        requests = [{"jsonrpc": "2.0", "id": number, "method": "status" if number % 2 else "nothing"} for number in range(200)]
        wire.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))
        answers = [wire.line() for _ in requests]
        self.assertEqual(sorted(answer["id"] for answer in answers), list(range(200)))
        for answer in answers:
            self.assertEqual("result" in answer, answer["id"] % 2 == 1)

    def test_a_request_in_many_small_pieces(self):
        wire = self.wire()
        for byte in b'{"jsonrpc":"2.0","id":"\xc3\xa9","method":"profile.get"}\r\n':
            wire.write(bytes([byte]))
        self.assertEqual(wire.line(), {"jsonrpc": "2.0", "id": "\u00e9", "result": {"id": self.ada.id, "name": "ada"}})

    def test_a_notification_is_done_and_not_answered(self):
        wire = self.wire()
        wire.write(b'{"jsonrpc":"2.0","method":"profile.set","params":{"name":"Ida"}}\n')
        answer = wire.ask({"jsonrpc": "2.0", "id": 1, "method": "profile.get"})
        self.assertEqual((answer["id"], answer["result"]["name"]), (1, "Ida"))

    def test_events_begin_where_the_client_says(self):
        self.ada.call("room.host", game="snap", name="Kitchen")
        first = self.ada.event("room.opened")
        wire = self.wire()
        now = wire.ask({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe"})["result"]
        self.assertEqual(now, {"seq": first["seq"]})
        self.ada.call("room.say", text="one")
        self.ada.call("room.lock", locked=True)
        event = wire.line()
        self.assertEqual((event["jsonrpc"], event["method"]), ("2.0", "event"))
        self.assertEqual((event["params"]["seq"], event["params"]["type"]), (first["seq"] + 1, "say"))
        self.assertLess(abs(event["params"]["time"] / 1000 - time.time()), 60)
        again = self.wire()
        params = {"since": first["seq"] - 1, "types": ["room.opened", "say"]}
        answer = again.ask({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": params})
        self.assertNotIn("missed", answer["result"])
        self.assertEqual([again.line()["params"]["type"] for _ in range(2)], ["room.opened", "say"])
        self.ada.call("room.say", text="two")
        self.assertEqual(again.line()["params"]["text"], "two")

    def test_events_that_are_no_longer_kept_are_missed(self):
        self.ada.call("room.host", game="snap", name="Kitchen")
        for number in range(1010):
            self.ada.send("room.lock", locked=number % 2 == 0)
        self.ada.call("room.say", text="the last")
        self.ada.event("say", text="the last")
        last = self.ada.history[-1]["seq"]
        wire = self.wire()
        answer = wire.ask({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"since": 0}})["result"]
        self.assertEqual(answer, {"seq": last, "missed": True})
        numbers = [wire.line()["params"]["seq"] for _ in range(1000)]
        self.assertEqual(numbers, list(range(last - 999, last + 1)))
        near = self.wire()
        answer = near.ask({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"since": last - 1000}})
        self.assertEqual(answer["result"], {"seq": last})

    def test_a_subscriber_that_never_reads_is_dropped(self):
        ada, bea = self.ada, self.peer("bea")
        ada.call("room.host", game="snap", name="Kitchen")
        bea.join(ada)
        lazy = Wire(ada.control)
        self.addCleanup(lazy.close)
        lazy.write(b'{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{}}\n')
        data = base64.b64encode(bytes(30_000)).decode()
        sent = 0
        for number in range(250):
            bea.call("channel.send", mode="reliable", to=[ada.id], data=data)
            ada.event("message")
            sent += len(data)
            if self.hung_up(lazy.socket):
                break
        else:
            self.fail(f"still connected after {sent} bytes unread")
        self.assertGreater(sent, 4 * 1024 * 1024 - 10 * len(data))
        self.assertEqual(ada.call("room.get")["name"], "Kitchen")
        bea.call("room.say", text="still here")
        self.assertEqual(ada.event("say", text="still here")["from"]["name"], "bea")
        back = self.wire()
        answer = back.ask({"jsonrpc": "2.0", "id": 1, "method": "events.subscribe", "params": {"since": 1, "types": ["say"]}})
        self.assertIn("seq", answer["result"])

    def hung_up(self, connection):
        """Whether the other side has closed, without reading what is queued."""
        poll = select.poll()
        poll.register(connection, select.POLLHUP)
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))

    def test_many_clients_at_once(self):
        wires = [self.wire() for _ in range(100)]
        for number, wire in enumerate(wires):
            wire.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "profile.get"}).encode() + b"\n")
        for number, wire in enumerate(wires):
            self.assertEqual(wire.line()["id"], number)

    def test_shutdown_by_request(self):
        self.assertEqual(self.ada.call("shutdown"), {})
        self.assertEqual(self.ada.process.wait(harness.STOP_S), 0)
        self.assertFalse(os.path.exists(os.path.join(self.ada.home, "run", "endpoints.json")))
