"""Thousands of strangers at the TCP port: silent ones, ones that hang up and ones that turn to garbage, after each
byte of a handshake. None of them may leave anything behind."""
import os
import shutil
import socket
import ssl
import subprocess
import threading

from harness import Scenario, eventually

# The example of PROTOCOL.md: version 1.0, called Ann, snap, link ID 7, port 9000.
HELLO = bytes.fromhex(
    "01000022 a801820101 0263312e30 0363416e6e 04818264736e617001 0507 0600 07192328 08f6".replace(" ", ""))
# Far below what a peer takes at once: who hangs up stays a stranger for a moment.
HANGING_UP_AT_ONCE, GARBAGE_AT_ONCE = 8, 40
DIAL_S = 5  # how long a dialler goes on trying a peer that turns it away
GROWTH_MAX_KB = 6 * 1024


class Caller:
    """A TLS client that hands out its own bytes one flight at a time, so that a test can cut them anywhere."""

    def __init__(self, context, port):
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing)
        self.connection = socket.create_connection(("127.0.0.1", port), 10)
        self.connection.settimeout(10)

    def first_flight(self):
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        return self.outgoing.read()

    def second_flight(self):
        """Certificate and proof, and behind them the greeting; the first flight has been sent."""
        while True:
            data = self.connection.recv(65536)
            if not data:
                raise ConnectionError("turned away")
            self.incoming.write(data)
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                continue
        handshake = self.outgoing.read()
        self.tls.write(HELLO)
        return handshake + self.outgoing.read()

    def finish(self, garbage):
        """Hangs up, or sends garbage and waits until the other side has hung up."""
        try:
            if garbage:
                self.connection.sendall(b"\xff" * 64)
                while self.connection.recv(65536):
                    pass
        except OSError:
            pass
        self.connection.close()


class Strangers(Scenario):
    limit_s = 240

    def setUp(self):
        super().setUp()
        if not shutil.which("openssl"):
            self.skipTest("openssl is not installed, and makes the strangers' certificate")
        key = os.path.join(self.folder, "mallory.key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=Mallory", "-days", "2", "-keyout",
             key, "-out", key + ".crt"], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE
        self.context.minimum_version = ssl.TLSVersion.TLSv1_3
        self.context.set_alpn_protocols(["parlor/1"])
        self.context.load_cert_chain(key + ".crt", key)
        self.ada, self.bea = self.peers("ada", "bea")
        self.ada.call("room.host", game="snap", seats=3, name="Kitchen")
        self.bea.join(self.ada)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.ada.pid}/fd"))

    def memory_kb(self):
        with open(f"/proc/{self.ada.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))

    def for_each(self, work, items, at_once=HANGING_UP_AT_ONCE):
        """Does the work for all items, so many at once; the first failure is raised."""
        failures, waiting, lock = [], list(items), threading.Lock()

        def run():
            while not failures:
                with lock:
                    if not waiting:
                        return
                    item = waiting.pop()
                try:
                    work(item)
                except Exception as error:  # noqa: BLE001
                    failures.append(f"{item}: {error!r}")
        threads = [threading.Thread(target=run) for _ in range(at_once)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def assert_nothing_is_left(self, descriptors, memory_kb):
        eventually(lambda: self.descriptors() <= descriptors, f"descriptors to be {descriptors} again", 15)
        self.assertLess(self.memory_kb() - memory_kb, GROWTH_MAX_KB)
        seats = self.ada.call("room.get")["seats"]
        self.assertEqual([seat["state"] for seat in seats], ["taken", "taken", "open"])
        self.assertEqual([link["peer"]["id"] for link in self.ada.call("status")["links"]], [self.bea.id])
        for peer in (self.ada, self.bea):
            self.assertEqual(peer.seen("link.lost") + peer.seen("link.suspect") + peer.seen("seat.away"), [])
            self.assertEqual(peer.seen("error"), [])
        cyd = self.peer("cyd")
        self.assertEqual(cyd.join(self.ada)["my_seat"], 2)

    def test_a_thousand_that_say_nothing(self):
        def call(_):
            connection = socket.create_connection(("127.0.0.1", self.ada.port), 10)
            connection.close()
        self.for_each(call, range(200))  # buffers that are made once are made now
        descriptors, memory_kb = self.descriptors(), self.memory_kb()
        self.for_each(call, range(1000))
        silent = [socket.create_connection(("127.0.0.1", self.ada.port), 10) for _ in range(60)]
        for connection in silent:
            self.addCleanup(connection.close)
            connection.settimeout(15)
        for connection in silent:
            try:
                self.assertEqual(connection.recv(100), b"")
            except ConnectionResetError:
                pass
            connection.close()
        self.assert_nothing_is_left(descriptors, memory_kb)

    def assert_each_byte(self, garbage):
        """For each n, a caller stops being polite after n bytes of what a dialler says."""
        at_once = GARBAGE_AT_ONCE if garbage else HANGING_UP_AT_ONCE
        measure = Caller(self.context, self.ada.port)
        first = len(measure.first_flight())
        measure.finish(garbage=False)

        def in_first(length):
            caller = Caller(self.context, self.ada.port)
            caller.connection.sendall(caller.first_flight()[:length])
            caller.finish(garbage)

        def try_second(place):
            caller = Caller(self.context, self.ada.port)
            try:
                caller.connection.sendall(caller.first_flight())
                flight = caller.second_flight()
            except OSError:
                caller.connection.close()
                return None
            caller.connection.sendall(flight[:place])  # never all of it, which would be a welcome guest
            caller.finish(garbage)
            return len(flight)

        def in_second(place):
            return eventually(lambda: try_second(place), "somebody to answer", DIAL_S)
        whole = in_second(0)
        self.for_each(in_second, range(60), at_once)
        descriptors, memory_kb = self.descriptors(), self.memory_kb()
        self.for_each(in_first, range(first + 1), at_once)
        self.for_each(in_second, range(whole), at_once)
        self.assertGreater(first + whole, 500, "a handshake has more bytes than that")
        self.assert_nothing_is_left(descriptors, memory_kb)

    def test_callers_that_hang_up_after_each_byte(self):
        self.assert_each_byte(garbage=False)

    def test_callers_that_turn_to_garbage_after_each_byte(self):
        self.assert_each_byte(garbage=True)
