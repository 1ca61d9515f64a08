"""Peers that speak the protocol and mean no good, and requests that make no sense: nothing may crash or get stuck."""
import os
import random
import shutil
import socket
import ssl
import struct
import subprocess
import threading

import harness
from harness import Refused, Scenario

# The example of PROTOCOL.md: version 1.0, called Ann, snap, link ID 7, port 9000; `welcome` says version 1.
BODY = bytes.fromhex("01820101 0263312e30 0363416e6e 04818264736e617001 0507 0600 07192328 08f6".replace(" ", ""))
HELLO = b"\x01\x00\x00\x22\xa8" + BODY
WELCOME = b"\x02\x00\x00\x24\xa9" + BODY + b"\x09\x01"
NUMBERS = [0, 1, 2, 3, 4, -1, 7, 255, 256, 65536, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63 - 2, -(2**63), -(2**31)]
TEXTS = ["", "a", "x" * 40, "x" * 5000, "\u202e\u0007", "\u00e9" * 200, "closed", "join", "\U0001f469\u200d\U0001f4bb" * 20]
SEED = int(os.environ.get("PARLOR_E2E_SEED", "1"))


def cbor(value):
    """Deterministic CBOR of ints, bytes, texts, lists, booleans and nothing."""
    def head(kind, count):
        if count < 24:
            return bytes([kind << 5 | count])
        for code, form in ((24, ">B"), (25, ">H"), (26, ">I"), (27, ">Q")):
            if count < 2 ** (8 * struct.calcsize(form)):
                return bytes([kind << 5 | code]) + struct.pack(form, count)
    if value is None or isinstance(value, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value]
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    return head(4, len(value)) + b"".join(cbor(item) for item in value)


class Mallory:
    """One side of a link, from the greeting on."""

    def __init__(self, connection):
        self.connection = connection
        self.pongs, self.is_over, self.changed = 0, False, threading.Condition()
        connection.settimeout(5)

    def frame(self):
        def exactly(count):
            data = b""
            while len(data) < count:
                more = self.connection.recv(count - len(data))
                if not more:
                    raise ConnectionError("closed")
                data += more
            return data
        head = exactly(4)
        return head[0], exactly(int.from_bytes(head[1:], "big"))

    def greet(self):
        self.connection.sendall(HELLO)
        kind, _ = self.frame()
        assert kind == 2, kind
        threading.Thread(target=self.drain, daemon=True).start()
        return self

    def drain(self):
        try:
            while True:
                kind, _ = self.frame()
                with self.changed:
                    self.pongs += kind == 8
                    self.changed.notify_all()
        except (OSError, ValueError):
            with self.changed:
                self.is_over = True
                self.changed.notify_all()

    def wait_until_read(self):
        """Waits until the other side has read everything; raises when it has hung up."""
        wanted = self.pongs + 1
        self.connection.sendall(b"\x07\x00\x00\x08" + bytes(8))
        with self.changed:
            self.changed.wait_for(lambda: self.pongs >= wanted or self.is_over, 10)
            if self.pongs < wanted:
                raise ConnectionError("closed")

    def say(self, message, lane=0):
        content = message if isinstance(message, bytes) else cbor(message)
        content = content[:16384]
        payload = bytes([lane, 1]) + content
        self.connection.sendall(b"\x05" + len(payload).to_bytes(3, "big") + payload)


class Stranger(Scenario):
    """Has an identity of its own for links that the test itself speaks on."""

    limit_s = 90

    def setUp(self):
        super().setUp()
        if not shutil.which("openssl"):
            self.skipTest("openssl is not installed, and makes the strangers' certificates")
        self.others, self.port = [], 1
        self.key = os.path.join(self.folder, "mallory.key")
        self.certificate = self.key + ".crt"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=Mallory", "-days", "2", "-keyout",
             self.key, "-out", self.certificate], check=True, capture_output=True)
        self.id = subprocess.run(
            ["openssl", "pkey", "-in", self.key, "-pubout", "-outform", "DER"], check=True, capture_output=True).stdout[-32:]

    def context(self, side):
        context = ssl.SSLContext(side)
        if side == ssl.PROTOCOL_TLS_CLIENT:
            context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["parlor/1"])
        context.load_cert_chain(self.certificate, self.key)
        return context

    def dial(self, peer):
        connection = socket.create_connection(("127.0.0.1", peer.port), 5)
        self.addCleanup(connection.close)
        return Mallory(self.context(ssl.PROTOCOL_TLS_CLIENT).wrap_socket(connection)).greet()


class Hostile(Stranger):
    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)

    # Nonsense.

    def number(self):
        return self.random.choice(NUMBERS)

    def text(self):
        return self.random.choice(TEXTS)

    def some_bytes(self, count=None):
        return self.random.randbytes(self.random.choice([0, 1, 16, 32, 64, 3000]) if count is None else count)

    def anything(self, depth=2):
        kinds = [self.number, self.text, self.some_bytes, lambda: None, lambda: True]
        if depth:
            kinds.append(lambda: [self.anything(depth - 1) for _ in range(self.random.randrange(6))])
        return self.random.choice(kinds)()

    def seldom(self):
        """Whether to say what cannot even be read, which ends the link."""
        return self.random.random() < 0.02

    def match_message(self):
        if self.seldom():
            return self.random.choice([[1, self.anything()], [1, self.proposal()], [6, -1], self.anything()])
        choice = self.random.choice([0, 2, 3, 4, 5, 6, 7])
        if choice == 0:
            return [0, self.some_bytes()]
        if choice == 2:
            return [2, self.number(), "illegal-move", self.text()]
        if choice == 3:
            return [3, []]
        if choice == 4:
            return [4, self.number(), self.some_bytes(32), self.random.choice([None, self.some_bytes(32)])]
        if choice == 5:
            return [5, self.number(), self.number(), self.some_bytes(self.random.choice([0, 32]))]
        if choice == 6:
            return [6, abs(self.number() % 2**63)]
        return [2, self.number(), self.text(), self.text()]

    def proposal(self):
        return [self.some_bytes(16), self.number(), self.number(), self.number(), self.some_bytes(32), self.number(),
                self.anything(), self.some_bytes(64)]

    def endpoints(self):
        """Where Mallory says that it can be reached: nowhere, or nowhere good."""
        if self.seldom():
            return self.anything()
        places = [[bytes([127, 0, 0, 1]), 1], [bytes([127, 0, 0, 1]), self.port], [bytes(15) + b"\x01", 9], [b"\xfe\x80" + bytes(14), 7]]
        return self.random.sample(places, self.random.randrange(len(places) + 1))

    def channel_body(self):
        if self.seldom():
            return self.anything()
        number, lane = self.random.choice([1, 2, 3, 3, 2**31, 2**62]), self.random.choice([1, 2])
        return self.random.choice([
            [0, lane, self.random.choice([1, 1, 1, 2, 2**62]), number, self.some_bytes()],
            [1, number, self.random.choice([None, 7, 2**32 - 1]), 200, self.some_bytes()],
            [2, lane, self.random.choice([0, 2**41, 2**62]), number, number]])

    def room_message(self, room, match):
        room = room if self.random.random() < 0.9 else self.some_bytes(16)
        choice = self.random.randrange(19)
        if choice == 18:
            return self.code_message(room)
        if choice >= 14:
            body, other = self.channel_body(), self.random.choice([self.some_bytes(32), *self.others])
            return [[11, room, body], [11, room, body], [12, room, other, body], [13, room, other, body]][choice - 14]
        if choice == 0:
            return [0, self.random.choice([None, room, "Table", self.text()]), self.number() if self.seldom() else self.random.choice([0, 0, 1, 2]),
                    self.text(), self.endpoints()]
        if choice == 1:
            return [1, room, self.number() if self.seldom() else self.random.randrange(4)]
        if choice == 2:
            return [2, room, "room-full", self.text() if self.seldom() else "no"]
        if choice == 3:
            return [3, room, self.anything() if self.seldom() else self.state(room, self.some_bytes(32), sane=True), []]
        if choice in (4, 5):
            request = self.random.choice(
                [[0, True], [0, False], [1], [2], [3, True], [4, self.number(), True], [5, self.text()],
                 *([[7], self.anything()] if self.seldom() else [])])
            return [4, room, self.number(), request]
        if choice == 6:
            return [5, room, self.number(), None]
        if choice == 7:
            return [6, room, self.text() if self.seldom() else "closed"]
        if choice == 8:
            return [7, room, self.some_bytes(32), self.text()]
        if choice in (9, 10, 11):
            return [8, room, match or self.some_bytes(16), self.match_message()]
        if choice == 12:
            return [9, room, match or self.some_bytes(16), self.random.randrange(4), self.match_message()]
        return [10, room, match or self.some_bytes(16), self.random.randrange(4), self.match_message()]

    def code_message(self, room):
        share, tag = self.some_bytes(32), self.some_bytes(64)
        return self.random.choice(
            [[16, None, 0, self.text(), share], [16, room, 1, "Mallory", bytes(32)], [17, room, room, share],
             [18, room, tag], [19, room, self.random.randrange(4), tag],
             *([[18, room, share], [16, room, 0, share]] if self.seldom() else [])])

    # The tests.

    def test_a_guest_that_says_anything(self):
        ada, bea = self.peers("ada", "bea")
        self.learn_options(ada)
        room = ada.call("room.host", game="snap", seats=3, name="Table", options={"grace_s": 10})["id"]
        bea.join(ada)
        bea.call("room.ready", ready=True)
        self.others, self.port = [bytes.fromhex(ada.id), bytes.fromhex(bea.id)], bea.port
        mallory = self.dial(ada)
        mallory.say([0, None, 0, "Mallory", []])
        ada.event("seat.taken", seat=2)
        mallory.say([4, bytes.fromhex(room), 1, [0, True]])
        ada.event("seat.ready", seat=2, ready=True)
        match, links = None, 1
        for number in range(2500):
            if number == 300:
                match = self.start(ada)
            try:
                mallory.say(self.room_message(bytes.fromhex(room), match), self.random.choice([0, 0, 0, 1, 1, 2]))
                if number % 5 == 0:
                    mallory.wait_until_read()
            except OSError:
                links += 1
                mallory = self.dial(ada)
                mallory.say([0, bytes.fromhex(room), 0, "Mallory", self.endpoints()])
            if number % 100 == 0:
                ada.call("status")
        self.assertGreater(links, 3)
        self.assertIsNone(ada.process.poll(), ada.log())
        seats = ada.call("room.get")["seats"]
        self.assertEqual([seats[0]["player"]["name"], seats[1]["player"]["name"]], ["ada", "bea"])
        self.assertEqual(ada.seen("error"), [])
        self.assertEqual(bea.seen("error"), [])
        if seats[2]["state"] != "open":
            ada.call("room.kick", seat=2, ban=True)
        for peer in (ada, bea):
            self.assertIn(peer.call("room.get")["id"], room)
        if match:
            self.assertEqual([seat["state"] for seat in ada.call("match.view")["seats"]][:2], ["active", "active"])
            harness.eventually(lambda: ada.call("match.view")["head"] == bea.call("match.view")["head"], "one log")

    def start(self, ada):
        try:
            ada.call("room.start")
            return bytes.fromhex(ada.call("match.view")["id"])
        except Refused as error:
            # The nonsense may have taken its own ready back, or left.
            self.assertIn(error.reason, ("not-ready", "busy"))
            return None

    def test_a_host_that_says_anything(self):
        bea = self.peer("bea")
        self.learn_options(bea)
        room, guest = self.some_bytes(16), bytes.fromhex(bea.id)
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        stop = threading.Event()
        self.addCleanup(stop.set)
        spoken = []

        def serve(connection):
            try:
                mallory = Mallory(self.context(ssl.PROTOCOL_TLS_SERVER).wrap_socket(connection, server_side=True))
                mallory.frame()
                mallory.connection.sendall(WELCOME)
                mallory.frame()
                threading.Thread(target=mallory.drain, daemon=True).start()
                mallory.say([1, room, 1])
                mallory.say([3, room, self.state(room, guest, sane=True), []])
                for _ in range(self.random.randrange(60)):
                    message = self.room_message(room, None)
                    if self.random.random() < 0.4:
                        message = [3, room, self.state(room, guest), [[self.random.randrange(4), self.some_bytes(32), "lost"]]]
                    mallory.say(message, self.random.choice([0, 0, 1]))
                    mallory.wait_until_read()
                    spoken.append(message)
                mallory.connection.close()
            except OSError:
                pass

        def accept():
            while not stop.is_set():
                try:
                    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
                except OSError:
                    return
        threading.Thread(target=accept, daemon=True).start()
        joins, reasons = 0, []
        for _ in range(60):
            try:
                bea.call("room.join", address=address, timeout_ms=500)
                joins += 1
            except Refused as error:
                self.assertIn(error.code, (-32010, -32003, -32002), error)
                reasons.append(str(error))
            bea.send("room.ready", ready=True)
            bea.send("room.say", text="x")
            bea.send("match.view")
            for room_info in bea.call("status")["rooms"]:
                bea.send("room.leave", room=room_info["id"])
        stop.set()
        self.assertGreater(joins, 5, reasons[-3:])
        self.assertGreater(len(spoken), 40)
        self.assertIsNone(bea.process.poll(), bea.log())
        ada = self.peer("ada")
        ada.call("room.host", game="snap", name="Kitchen")
        self.assertEqual(bea.join(ada)["name"], "Kitchen")

    def learn_options(self, peer):
        games = peer.call("hello", client="test", api=1)["games"]
        snap = next(game for game in games if game["id"] == "snap")
        self.options = [[option["name"], option["default"]] for option in snap["options"]]

    def state(self, room, guest, sane=False):
        def player(key, name):
            return [key, name, True, False, 0, False, self.endpoints() if self.random.random() < 0.2 else [],
                    2 if not sane and self.random.random() < 0.1 else None]
        seats = [player(self.id, "Mallory"), player(guest, "bea"), None]
        state = [room, "Table", "snap", self.options, seats, 0, False, False, [], None, 0, None, 0, [], True, None]
        if sane:
            return state
        choice = self.random.randrange(8)
        if choice == 0:
            state[1] = self.text()
        elif choice == 1:
            state[4] = [player(self.id, self.text()), player(guest, self.text()), player(self.some_bytes(32), "x")]
            state[4][2][4] = self.number()
        elif choice == 2:
            state[4] = self.random.choice([[], [None], seats[1:], seats[:1] * 4, seats * 2, [seats[1], seats[0]]])
        elif choice == 3:
            state[5] = self.random.choice([1, 2, 3, self.number()])
        elif choice == 4:
            state[9] = self.some_bytes(self.random.choice([16, 0]))
        elif choice == 5:
            state[10] = self.number()
        elif choice == 6:
            state[3] = [[name, self.number()] for name, _ in self.options]
        else:
            state[self.random.randrange(15)] = self.anything()
        return state

    def test_requests_that_make_no_sense(self):
        peers = self.lobby("hangman", 2)
        words = ["game", "name", "seats", "room", "address", "code", "ready", "locked", "seat", "ban", "text", "options",
                 "match", "action", "from", "limit", "types", "since", "all", "wait_ms", "op", "to", "mode", "data"]
        methods = [
            "hello", "status", "events.subscribe", "rooms.list", "room.host", "room.join", "room.get", "room.ready",
            "room.start", "room.rematch", "room.lock", "room.bot", "room.say", "room.set", "match.view", "match.act",
            "match.log", "match.export", "match.verify", "matches.list", "channel.send", "channel.stats", "profile.get",
            "profile.set", "fault.set"]
        values = [None, True, False, 0, 1, -1, 2**53, 2**63 - 1, -(2**63), 1e308, 0.5, "", "x", "hangman", "snap", "\u202e",
                  "00" * 16, "00" * 32, [], {}, ["x"], {"do": "guess", "letter": "e"}, {"do": "word", "word": "garden"},
                  {"do": "guess"}, {"do": "solve", "word": "x" * 300}, {"rounds": 2}, "127.0.0.1:1", "reliable"]
        waits = []
        for number in range(1500):
            peer = self.random.choice(peers)
            params = {word: self.random.choice(values) for word in self.random.sample(words, self.random.randrange(5))}
            if isinstance(params.get("wait_ms"), int) and params["wait_ms"] > 10:
                del params["wait_ms"]
            waits.append((peer, peer.send(self.random.choice(methods), **params)))
            if number % 50 == 49:
                for waiting, request in waits:
                    try:
                        waiting.answer(request)
                    except Refused as error:
                        self.assertIsNotNone(error.reason)
                waits = []
        for peer in peers:
            self.assertIsNone(peer.process.poll(), peer.log())
            self.assertEqual(peer.seen("error"), [])
