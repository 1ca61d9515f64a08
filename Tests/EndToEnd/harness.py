"""Drives real `parlord` and `parlor` processes from outside, by their documented interface. Standard library only.

A test is a method of a `Scenario`. Every peer has a home of its own below the test's folder and listens on
127.0.0.1 only. What a test starts is ended when it ends, however it ends, by process ID.

PARLOR_BIN        the folder with `parlord` and `parlor` (default: .build/release of the project)
PARLOR_E2E_FOLDER the test's folder, made by the runner, which keeps it when the test fails
"""
import hashlib
import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.abspath(os.environ.get("PARLOR_BIN") or os.path.join(PROJECT, ".build", "release"))
PARLORD = os.path.join(BIN, "parlord")
PARLOR = os.path.join(BIN, "parlor")
START_S = 20
ANSWER_S = 20
EVENT_S = 20
STOP_S = 5
NUMBERS = itertools.count(1)

CODES = {
    "parse-error": -32700, "invalid-request": -32600, "unknown-method": -32601, "bad-params": -32602,
    "version-mismatch": -32001, "no-such-room": -32002, "not-found": -32002, "timed-out": -32003, "not-in-room": -32004,
}


def environment(**more):
    """The environment of the programs: no settings of the person who runs the tests, no crash reports."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PARLOR_", "XDG_"))}
    return {**kept, "SWIFT_BACKTRACE": "enable=no", **more}


def eventually(check, what, seconds=EVENT_S):
    """Waits until `check` returns something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def end_process(pid):
    """Kills one process that a test started, and waits until it is gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    end = time.monotonic() + 5
    while time.monotonic() < end and is_running(pid):
        time.sleep(0.01)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Refused(Exception):
    """An error answer."""

    def __init__(self, error):
        self.code, self.message = error.get("code"), error.get("message")
        self.reason = (error.get("data") or {}).get("reason")
        super().__init__(f"{self.code} {self.reason}: {self.message}")


class Wire:
    """A bare connection to a control socket."""

    def __init__(self, path, timeout=ANSWER_S):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(path)
        self.buffer = b""

    def write(self, data):
        self.socket.sendall(data)

    def line(self):
        """The next line as JSON; `None` at the end."""
        while b"\n" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def ask(self, value):
        self.write((value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n")
        return self.line()

    def close(self):
        self.socket.close()


class Peer:
    """One parlord on a home of its own, and a connection to its control socket that sees all events."""

    before = []
    """What stands before its command, and replaces itself by it."""
    variables = {}

    def __init__(self, folder, name, listen="127.0.0.1", discovery="off", arguments=()):
        self.name, self.folder = name, folder
        plain = name if name.isascii() and name.isalnum() and len(name) < 20 else "peer"
        self.home = os.path.join(folder, f"{plain}-{next(NUMBERS)}")
        self.arguments = ["--home", self.home, "--name", name, "--listen", listen, "--discovery", discovery, *arguments]
        self.process = self.socket = None

    @property
    def control(self):
        return os.path.join(self.home, "run", "control.sock")

    @property
    def port(self):
        return self.endpoints["tcp_port"]

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self.process.pid

    def launch(self):
        """Starts the process without waiting for it."""
        os.makedirs(self.home, 0o700, exist_ok=True)
        with open(os.path.join(self.folder, f"{os.path.basename(self.home)}.log"), "ab") as log:
            self.process = subprocess.Popen(
                [*self.before, PARLORD, *self.arguments], env=environment(**self.variables),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def start(self):
        self.launch()
        self.endpoints, self.socket = eventually(self._ready, f"parlord {self.name} to be ready", START_S)
        self.socket.settimeout(None)
        self.answers, self.pending, self.history = {}, [], []
        self.changed, self.number, self.is_over = threading.Condition(), 0, False
        threading.Thread(target=self._read, args=(self.socket,), daemon=True).start()
        self.call("events.subscribe")
        self.id = self.call("profile.get")["id"]
        return self

    def _ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"parlord {self.name} exited with {self.process.returncode}:\n{self.log()}")
        try:
            with open(os.path.join(self.home, "run", "endpoints.json")) as file:
                endpoints = json.load(file)
            if endpoints["pid"] != self.process.pid:
                return None
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.connect(self.control)
            return endpoints, connection
        except (OSError, ValueError):
            return None

    def log(self):
        with open(os.path.join(self.folder, f"{os.path.basename(self.home)}.log"), errors="replace") as file:
            return file.read()[-4000:]

    def _read(self, connection):
        with connection.makefile("rb") as lines:
            try:
                for line in lines:
                    message = json.loads(line)
                    with self.changed:
                        if message.get("method") == "event":
                            self.pending.append(message["params"])
                            self.history.append(message["params"])
                        else:
                            self.answers[message.get("id")] = message
                        self.changed.notify_all()
            except (OSError, ValueError):
                pass
        with self.changed:
            if connection is self.socket:
                self.is_over = True
            self.changed.notify_all()

    # What a client does.

    def send(self, method, **params):
        """Sends a request and returns its number."""
        with self.changed:
            self.number += 1
            number = self.number
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            self.socket.sendall(json.dumps(request).encode() + b"\n")
        return number

    def answer(self, number, timeout=ANSWER_S):
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers or self.is_over, timeout)
            if number not in self.answers:
                raise AssertionError(f"{self.name} did not answer request {number} (closed: {self.is_over})")
            message = self.answers.pop(number)
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def call(self, method, **params):
        return self.answer(self.send(method, **params))

    def refused(self, reason, method, **params):
        """Makes a call that must be refused for this reason, with the code that belongs to it."""
        try:
            result = self.call(method, **params)
        except Refused as error:
            wanted = CODES.get(reason, -32010)
            assert (error.reason, error.code) == (reason, wanted), f"{method}: wanted {wanted} {reason}, got {error}"
            assert error.message, f"{method}: {reason} without a message"
            return error
        raise AssertionError(f"{method}: wanted {reason}, got {result}")

    def refused_any(self, method, **params):
        """Makes a call that must be refused, and returns the reason."""
        try:
            result = self.call(method, **params)
        except Refused as error:
            return error.reason
        raise AssertionError(f"{method}: wanted a refusal, got {result}")

    def event(self, type, timeout=EVENT_S, **fields):
        """Waits for an event with these fields, takes it from the pending ones and returns it."""
        def find():
            for index, event in enumerate(self.pending):
                if event["type"] == type and all(event.get(key) == value for key, value in fields.items()):
                    return index
            return None
        with self.changed:
            if not self.changed.wait_for(lambda: find() is not None, timeout):
                seen = [(event["type"], event.get("seat"), event.get("reason")) for event in self.history[-30:]]
                wanted = {key: str(value)[:80] for key, value in fields.items()}
                raise AssertionError(f"{self.name}: no {type} {wanted} in {timeout} s; seen: {seen}")
            return self.pending.pop(find())

    def seen(self, type, **fields):
        """All events of a type so far, also those that `event` took."""
        with self.changed:
            return [
                event for event in self.history
                if event["type"] == type and all(event.get(key) == value for key, value in fields.items())]

    def row(self, name, timeout=10, **fields):
        """Waits until discovery shows a room of this name with these fields."""
        def find():
            for row in self.call("rooms.list", all=True)["rooms"]:
                if row["name"] == name and all(row.get(key) == value for key, value in fields.items()):
                    return row
            return None
        return eventually(find, f"the row {name!r} with {fields} at {self.name}", timeout)

    def match(self, state, timeout=30):
        """Waits until the newest match is in this state and returns it."""
        def find():
            try:
                match = self.call("match.view")
            except Refused as error:
                if error.reason in ("not-in-match", "not-in-room"):
                    return None
                raise
            return match if match["state"] == state else None
        return eventually(find, f"the match to be {state} at {self.name}", timeout)

    def join(self, host, **params):
        return self.call("room.join", address=host.address, **params)

    # How it ends.

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it with TERM and returns the exit status and the seconds it took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.terminate()
        status = self.process.wait(STOP_S + 5)
        return status, time.monotonic() - began

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
        if self.socket:
            self.socket.close()


class Scenario(unittest.TestCase):
    """What all tests share.

    `needs_avahi` runs a test with a bus and an Avahi of its own, `needs_network` with a network of its own that has
    nothing but loopback, and `needs_lan` where it can make machines.
    """

    needs_avahi = needs_network = needs_lan = False
    limit_s = 60
    maxDiff = 1000

    def setUp(self):
        given = os.environ.get("PARLOR_E2E_FOLDER")
        self.folder = given or tempfile.mkdtemp(prefix="parlor-e2e-")
        if not given:
            self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.end_daemons)

    def end_daemons(self):
        """Ends what `parlor` started by itself below the test's folder."""
        end_daemons(self.folder)

    def prepare(self, name, **options):
        """A peer that is not started yet."""
        if self.needs_avahi:
            options.setdefault("discovery", "avahi")
        peer = Peer(self.folder, name, **options)
        self.addCleanup(peer.end)
        return peer

    def peer(self, name, **options):
        return self.prepare(name, **options).start()

    def peers(self, *names, **options):
        """Several at once, which is faster than one after the other."""
        peers = [self.prepare(name, **options) for name in names]
        threads = [threading.Thread(target=peer.start) for peer in peers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for peer in peers:
            self.assertIsNotNone(peer.socket, f"{peer.name} did not start:\n{peer.log()}")
        return peers

    def lobby(self, game, seats, options=None, ready=True, **host):
        """A room whose seats are all taken, over addresses; the host is the first of the peers."""
        peers = self.peers(*["ada", "bea", "cyd", "dan"][:seats])
        peers[0].call("room.host", game=game, seats=seats, options=options or {}, name="Table", **host)
        for peer in peers[1:]:
            peer.join(peers[0])
            if ready:
                peer.call("room.ready", ready=True)
        return peers

    def table(self, game, seats, options=None, state="playing"):
        """The same with a match on; every peer has come to `state`."""
        peers = self.lobby(game, seats, options)
        peers[0].call("room.start")
        for peer in peers:
            peer.match(state)
        return peers

    def parlor(self, *arguments, home=None, status=0, timeout=30, input=None, **variables):
        """Runs one `parlor` command, checks its exit status, and returns what it printed."""
        words = [PARLOR, *(["--home", home] if home else []), *arguments]
        done = subprocess.run(
            words, env=environment(**variables), capture_output=True, text=True, timeout=timeout,
            input=input or "")
        said = f"{' '.join(arguments)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        self.assertEqual(done.returncode, status, said)
        return done

    def home(self, name="home", settings="[network]\nlisten = 127.0.0.1\n[discovery]\nbackend = off\n"):
        """A home with settings, for commands that start the daemon by themselves."""
        home = os.path.join(self.folder, name)
        os.makedirs(os.path.join(home, "config"), 0o700)
        with open(os.path.join(home, "config", "parlor.conf"), "w") as file:
            file.write(settings)
        return home

    # Matches.

    def assert_same_match(self, peers):
        """All peers have the same log and state; returns their views."""
        def agree():
            views = [peer.call("match.view") for peer in peers]
            return views if len({(view["head"], view["state_hash"]) for view in views}) == 1 else None
        return eventually(agree, "all logs to be the same", 10)

    def assert_ended_well(self, peers):
        """The match is over, the same for everybody, and valid by every rule that can be checked from outside."""
        for peer in peers:
            peer.match("ended")
        views = self.assert_same_match(peers)
        for view in views:
            for key in ("id", "game", "room", "draw", "seats", "entries"):
                self.assertEqual(view[key], views[0][key], key)
            self.assertEqual(view["legal"], [])
            self.assertEqual(view["turn"], [])
        self.assertTrue(all(seat["outcome"] for seat in views[0]["seats"]), views[0]["seats"])
        for peer in peers:
            verdict = peer.call("match.verify", match=views[0]["id"])
            self.assertEqual(
                (verdict["valid"], verdict["verdict"], verdict["entries"], verdict["outcomes"], verdict.get("problem")),
                (True, "complete", views[0]["entries"], [seat["outcome"] for seat in views[0]["seats"]], None))
            check_log(self, peer, views[0])
        texts = {peer.call("match.export", match=views[0]["id"])["text"] for peer in peers}
        self.assertEqual(len(texts), 1, "the exports differ")
        return views


def check_log(test, peer, view):
    """Checks the chain of hashes and the draw of a match with nothing but the documented rules."""
    match = bytes.fromhex(view["id"])
    log = peer.call("match.log", match=view["id"])
    entries = log["entries"]
    test.assertEqual([entry["index"] for entry in entries], list(range(view["entries"])))
    test.assertEqual(log["head"], view["head"])
    test.assertEqual(entries[-1]["hash"], log["head"])
    test.assertEqual(entries[-1]["kind"], "end")
    lines = peer.call("match.export", match=view["id"])["text"].split("\n")
    test.assertEqual((lines[0], lines[-1]), ("parlor-log 1", ""))
    genesis = bytes.fromhex(lines[1].removeprefix("genesis "))
    previous = blake(b"parlor/genesis/1", genesis)
    test.assertEqual(previous[:16], match)
    for entry, line in zip(entries, lines[2:-1], strict=True):
        raw = bytes.fromhex(line.removeprefix("entry "))
        # Five items, of which the last, the signature, is 64 bytes behind a head of two.
        test.assertEqual((raw[0], raw[-66:-64]), (0x85, b"\x58\x40"))
        test.assertEqual(entry["prev"], previous.hex(), f"entry {entry['index']} does not follow the one before")
        previous = blake(b"parlor/entry/1", b"\x84" + raw[1:-66])
        test.assertEqual(entry["hash"], previous.hex(), f"entry {entry['index']} has another hash")
    times = [entry["time"] for entry in entries]
    test.assertEqual(times, sorted(times))
    check_draw(test, match, entries, view["draw"], len(view["seats"]))


def check_draw(test, match, entries, draw, seats):
    """Checks the commitments and recomputes every number."""
    commits, nonces = {}, {}
    for entry in entries:
        key = (entry["body"].get("round"), entry["author"])
        if entry["kind"] == "commit":
            commits[key] = entry["body"]["commitment"]
        elif entry["kind"] == "reveal":
            nonces[key] = bytes.fromhex(entry["body"]["nonce"])
            place = bytes(key)
            wanted = blake(b"parlor/draw/1", match, place, nonces[key]).hex()
            test.assertEqual(commits[key], wanted, f"the reveal of {key}")
    among = list(range(seats))
    for number, shown in enumerate(draw["rounds"]):
        test.assertEqual([one["seat"] for one in shown], among)
        together = b"".join(nonces[number, seat] for seat in among)
        for one in shown:
            test.assertEqual(one["number"], draw_number(match, number, one["seat"], together), f"round {number}, {one}")
        highest = max(one["number"] for one in shown)
        among = [one["seat"] for one in shown if one["number"] == highest]
    test.assertEqual([draw["first"]], among)


def draw_number(match, round, seat, nonces):
    """The number of a seat: uniform in 0-999, by rejection."""
    runs = 2**64 // 1000 * 1000
    for attempt in range(256):
        digest = blake(b"parlor/draw-number/1", match, bytes([round, seat, attempt]), nonces)
        value = int.from_bytes(digest[:8], "big")
        if value < runs:
            break
    return value % 1000


def blake(*parts):
    return hashlib.blake2b(b"".join(parts), digest_size=32).digest()


def end_daemons(folder):
    """Kills every daemon that says in `endpoints.json` below the folder that it runs there."""
    for place, _, files in os.walk(folder):
        if "endpoints.json" not in files:
            continue
        try:
            with open(os.path.join(place, "endpoints.json")) as file:
                pid = json.load(file)["pid"]
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                is_daemon = os.path.dirname(place).encode() in file.read().split(b"\0")
        except (OSError, ValueError, KeyError):
            continue
        if is_daemon:
            end_process(pid)


def play_hangman(peers, word="garden", letters="etaoinshrdlucmfwypvbgkjqxz"):
    """Plays to the end: every setter sets `word`, everybody goes through `letters`."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        states = []
        for peer in peers:
            view = peer.call("match.view")
            states.append(view["state"])
            kinds = [action["do"] for action in view["legal"]]
            try:
                if "word" in kinds:
                    peer.call("match.act", action={"do": "word", "word": word})
                elif "guess" in kinds:
                    peer.call("match.act", action={"do": "guess", "letter": untried(view, letters)})
            except Refused as error:
                if error.reason not in ("illegal-move", "not-your-turn", "match-ended"):
                    raise
        if set(states) == {"ended"}:
            return
        time.sleep(0.005)
    raise AssertionError("hangman was not over in 60 s")


def guess(peer, letter):
    """Guesses a letter as soon as that is possible, and waits for the setter's answer."""
    eventually(lambda: peer.call("match.view")["legal"], f"{peer.name}'s turn to guess")
    peer.call("match.act", action={"do": "guess", "letter": letter})

    def is_answered():
        board = my_board(peer.call("match.view"))
        return letter in ((board.get("mask") or "") + "".join(board["wrong"])).lower()
    eventually(is_answered, f"the answer to {peer.name}'s {letter}")


def my_board(view):
    return next(board for board in view["view"]["boards"] if board["seat"] in (view["my_seat"], None))


def untried(view, letters):
    board = my_board(view)
    tried = (board.get("mask") or view["view"]["mask"] or "").lower() + "".join(board["wrong"]).lower()
    return next(letter for letter in letters if letter not in tried)


def play_snap(peers):
    """Plays to the end: flips when it may, calls when two open cards have one rank."""
    end, called = time.monotonic() + 90, set()
    while time.monotonic() < end:
        states = []
        for peer in peers:
            view = peer.call("match.view")
            states.append(view["state"])
            if view["state"] != "playing":
                continue
            tops = [seat["top"][0] for seat in view["view"]["seats"] if seat["top"]]
            call = (peer.name, view["view"]["flips"])
            try:
                if len(set(tops)) < len(tops) and call not in called:
                    called.add(call)
                    peer.call("match.act", action={"do": "snap"})
                elif {"do": "flip"} in view["legal"]:
                    peer.call("match.act", action={"do": "flip"})
            except Refused as error:
                if error.reason not in ("illegal-move", "not-your-turn", "match-ended"):
                    raise
        if set(states) == {"ended"}:
            return
        time.sleep(0.01)
    raise AssertionError("snap was not over in 90 s")
