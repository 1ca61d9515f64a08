"""Strangers at the TCP port, while a room is in use."""
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time

import harness
from harness import Scenario

# The example of PROTOCOL.md: version 1.0, called Ann, snap, link ID 7, port 9000.
HELLO = bytes.fromhex(
    "01000022 a801820101 0263312e30 0363416e6e 04818264736e617001 0507 0600 07192328 08f6".replace(" ", ""))
GREETING_S = 3
MERCY_S = 2.5  # on a busy machine, and for the orderly close


class Abuse(Scenario):
    def setUp(self):
        super().setUp()
        if not shutil.which("openssl"):
            self.skipTest("openssl is not installed, and makes the strangers' certificates")
        self.ada, self.bea = self.peers("ada", "bea")
        self.ada.call("room.host", game="snap", seats=3, name="Kitchen")
        self.bea.join(self.ada)

    def assert_undisturbed(self):
        """The room goes on and somebody real gets in."""
        self.bea.call("room.say", text="still here")
        self.ada.event("say", text="still here")
        cyd = self.peer("cyd")
        self.assertEqual(cyd.join(self.ada)["my_seat"], 2)
        self.bea.event("seat.taken", seat=2)
        for peer in (self.ada, self.bea):
            self.assertEqual(peer.seen("link.lost") + peer.seen("link.suspect") + peer.seen("error"), [])
        harness.eventually(
            lambda: sorted(link["peer"]["name"] for link in self.bea.call("status")["links"]) == ["ada", "cyd"], "all links")
        self.assertEqual(len(self.ada.call("status")["links"]), 2)

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.ada.port), 10)
        self.addCleanup(connection.close)
        return connection

    def secure(self, certificate=True, alpn=("parlor/1",), version=ssl.TLSVersion.TLSv1_3, connection=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = context.maximum_version = version
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if certificate:
            context.load_cert_chain(*self.certificate(certificate))
        return context.wrap_socket(connection or self.connect())

    def certificate(self, kind=True):
        """A key and a self-signed certificate, made once for each kind."""
        algorithm = "ed25519" if kind is True else kind
        key = os.path.join(self.folder, f"{algorithm.replace(':', '-')}.key")
        certificate = key + ".crt"
        if not os.path.exists(certificate):
            words = ["openssl", "req", "-x509", "-newkey", *algorithm.split(), "-nodes", "-subj", "/CN=Mallory", "-days",
                     "2", "-keyout", key, "-out", certificate]
            if algorithm == "ec":
                words[4:5] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            subprocess.run(words, check=True, capture_output=True)
        return certificate, key

    def closed_after(self, connection, limit=GREETING_S):
        """Reads until the other side ends, which must be within the limit; returns what came and the seconds."""
        began = time.monotonic()
        connection.settimeout(limit + MERCY_S)
        received = b""
        try:
            while data := connection.recv(65536):
                received += data
        except (ConnectionError, ssl.SSLError):
            pass
        except TimeoutError:
            self.fail(f"not closed within {limit} s")
        return received, time.monotonic() - began

    def test_garbage(self):
        for data in (os.urandom(4096), b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00" * 100, b"\x16\x03\x01\xff\xff" + b"x" * 70000,
                     b"\x16\x03\x01\x00\x05hello"):
            connection = self.connect()
            try:
                connection.sendall(data)
            except ConnectionError:
                pass
            self.closed_after(connection)
        self.assert_undisturbed()

    def test_half_a_greeting_of_tls(self):
        outgoing = ssl.MemoryBIO()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["parlor/1"])
        try:
            context.wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = outgoing.read()
        for length in (1, 5, len(hello) // 2, len(hello) - 1, len(hello)):
            connection = self.connect()
            connection.sendall(hello[:length])
            if length % 2:
                connection.shutdown(socket.SHUT_WR)
            self.closed_after(connection)
        self.assert_undisturbed()

    def test_tls_that_is_not_ours(self):
        for label, options in (
            ("no certificate", {"certificate": None}), ("another ALPN", {"alpn": ("h2", "http/1.1")}),
            ("no ALPN", {"alpn": None}), ("TLS 1.2", {"version": ssl.TLSVersion.TLSv1_2}),
            ("an EC key", {"certificate": "ec"}), ("an RSA key", {"certificate": "rsa:2048"}),
        ):
            with self.subTest(label):
                try:
                    connection = self.secure(**options)
                    connection.sendall(HELLO)
                except (ssl.SSLError, ConnectionError):
                    continue
                received, _ = self.closed_after(connection)
                self.assertEqual(received, b"")
        self.assertEqual([peer for peer in self.ada.seen("link.up") if peer["peer"]["id"] != self.bea.id], [])
        self.assert_undisturbed()

    def test_silence_after_the_handshake(self):
        connection = self.secure()
        received, seconds = self.closed_after(connection)
        self.assertGreater(seconds, 1)
        self.assertTrue(received[:1] in (b"", b"\x03"), received)
        self.assert_undisturbed()

    def test_sixty_five_stalled_connections(self):
        stalled = [self.connect() for _ in range(65)]
        poll = harness.eventually(lambda: self.closed_ones(stalled), "the one over the limit to be closed", 2)
        self.assertEqual(poll, 1)
        began = time.monotonic()
        cyd = self.peer("cyd")
        self.assertEqual(cyd.join(self.ada)["my_seat"], 2, "a real one gets in within its 5 s")
        self.assertLess(time.monotonic() - began, 6)
        harness.eventually(lambda: self.closed_ones(stalled) == 65, "all of them to be closed", GREETING_S + MERCY_S)
        cyd.call("room.leave")
        cyd.stop()
        self.ada.event("seat.left", seat=2)
        self.bea.call("room.say", text="still here")
        self.ada.event("say", text="still here")

    def test_a_host_that_hangs_up_at_once_is_busy(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            calls = []

            def turn_away():
                while True:
                    try:
                        connection, _ = listener.accept()
                    except OSError:
                        return
                    calls.append(time.monotonic())
                    connection.close()
            threading.Thread(target=turn_away, daemon=True).start()
            address = f"127.0.0.1:{listener.getsockname()[1]}"
            began = time.monotonic()
            message = self.bea.refused("busy", "room.join", address=address).message
            self.assertIn(address, message)
            self.assertLess(time.monotonic() - began, 7)
            self.assertGreater(len(calls), 5)
            listener.shutdown(socket.SHUT_RDWR)

    def closed_ones(self, connections):
        count = 0
        for connection in connections:
            connection.setblocking(False)
            try:
                count += connection.recv(1) == b""
            except BlockingIOError:
                pass
            except ConnectionError:
                count += 1
        return count

    def test_frames_that_are_wrong_before_the_welcome(self):
        for label, data in (
            ("an oversized hello", b"\x01\xff\xff\xff"), ("a chunk", b"\x05\x00\x00\x02\x00\x00"),
            ("an unknown kind", b"\xee\x00\x00\x00"), ("garbage", os.urandom(512)),
            ("a hello that is no CBOR", b"\x01\x00\x00\x03xyz"), ("a welcome", b"\x02" + HELLO[1:]),
            ("more than 8 KiB", HELLO[:4] + b"\xff" * 9000),
        ):
            with self.subTest(label):
                connection = self.secure()
                try:
                    connection.sendall(data)
                except (ConnectionError, ssl.SSLError):
                    pass
                received, _ = self.closed_after(connection)
                self.assertNotEqual(received[:1], b"\x02", "was welcomed")
                if received:
                    self.assertEqual(received[:1], b"\x03")
        self.assertEqual([event for event in self.ada.seen("link.up") if event["peer"]["id"] != self.bea.id], [])
        self.assert_undisturbed()

    def test_frames_that_are_wrong_after_the_welcome(self):
        for label, data in (
            ("an oversized frame", b"\x05\xff\xff\xff"), ("a frame one byte too long", b"\x05\x00\x40\x41"),
            ("an unknown kind", b"\xee\x00\x00\x00"), ("a short ping", b"\x07\x00\x00\x01x"),
            ("a second hello", HELLO), ("a message that is none", b"\x05\x00\x00\x06\x00\x03\xff\xff\xff\xff"),
        ):
            with self.subTest(label):
                connection = self.secure()
                connection.sendall(HELLO)
                welcome = connection.recv(4)
                self.assertEqual(welcome[:1], b"\x02", "not welcomed")
                connection.sendall(data)
                received, _ = self.closed_after(connection)
                self.assertIn(b"protocol-violation", received)
        lost = harness.eventually(
            lambda: len(found := self.ada.seen("link.lost")) >= 6 and found, "six lost links")
        self.assertEqual([(event["peer"]["name"], event["reason"]) for event in lost], [("Ann", "protocol-violation")] * 6)
        self.assert_room_goes_on()

    def assert_room_goes_on(self):
        self.bea.call("room.say", text="still here")
        self.ada.event("say", text="still here")
        self.assertEqual(self.peer("cyd").join(self.ada)["my_seat"], 2)
        self.assertEqual(self.bea.seen("link.lost") + self.bea.seen("error"), [])

    def test_a_welcomed_stranger_that_takes_no_part(self):
        connection = self.secure()
        connection.sendall(HELLO)
        self.assertEqual(connection.recv(1), b"\x02")
        seats = self.ada.call("room.get")["seats"]
        self.assertEqual([seat["state"] for seat in seats], ["taken", "taken", "open"])
        self.assert_room_goes_on()

    def test_abuse_during_a_match(self):
        self.bea.call("room.ready", ready=True)
        self.ada.call("room.start")
        for peer in (self.ada, self.bea):
            peer.match("playing")
        stop = threading.Event()

        def annoy():
            while not stop.is_set():
                try:
                    with socket.create_connection(("127.0.0.1", self.ada.port), 2) as connection:
                        connection.sendall(os.urandom(300))
                        with self.secure(connection=socket.create_connection(("127.0.0.1", self.ada.port), 2)) as link:
                            link.sendall(HELLO + b"\x05\xff\xff\xff")
                except OSError:
                    pass
                time.sleep(0.02)
        self.certificate()
        thread = threading.Thread(target=annoy)
        thread.start()
        try:
            for _ in range(6):
                def next_one():
                    return next((peer for peer in (self.ada, self.bea)
                                 if {"do": "flip"} in peer.call("match.view")["legal"]), None)
                harness.eventually(next_one, "somebody who may flip").call("match.act", action={"do": "flip"})
        finally:
            stop.set()
            thread.join()
        views = self.assert_same_match([self.ada, self.bea])
        self.assertTrue(all(seat["state"] == "active" for seat in views[0]["seats"]))
        self.assertEqual(self.bea.seen("link.lost") + self.bea.seen("link.suspect"), [])
