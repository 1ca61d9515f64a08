#!/usr/bin/env python3
"""Measures real daemons on loopback: from join to seated, and from one seat's move to the event at every seat.

Each figure is printed beside one plain call (profile.get) on the same control socket in the same run, so that it can
be read as a ratio: the machine's mood cancels out. Standard library only; starts its own daemons and ends them.
"""
import base64
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN = os.environ.get("PARLOR_BIN") or os.path.join(os.path.dirname(__file__), "..", ".build", "release")
SEATS = 4
JOINS = 60
MOVES = 300
STANDSTILL_S = 60


class Daemon:
    """One parlord on a home of its own, with one connection for calls and one for events."""

    def __init__(self, name):
        self.home = tempfile.mkdtemp(prefix="parlor-bench-")
        self.process = subprocess.Popen(
            [os.path.join(BIN, "parlord"), "--home", self.home, "--name", name, "--listen", "127.0.0.1", "--discovery", "off"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ready = os.path.join(self.home, "run", "endpoints.json")
        end = time.monotonic() + 10
        while not os.path.exists(ready):
            if time.monotonic() > end or self.process.poll() is not None:
                raise SystemExit(f"parlord did not start in {self.home}")
            time.sleep(0.01)
        with open(ready) as file:
            self.port = json.load(file)["tcp_port"]
        self.calls, self.events = self.connect(), self.connect()
        self.number = 0
        self.request(self.events, "events.subscribe")

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(15)
        sock.connect(os.path.join(self.home, "run", "control.sock"))
        return sock, sock.makefile("r", encoding="utf-8", newline="\n")

    def request(self, connection, method, **params):
        self.number += 1
        line = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        connection[0].sendall(line.encode() + b"\n")
        while True:
            message = json.loads(connection[1].readline())
            if message.get("id") == self.number:
                break
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def call(self, method, **params):
        return self.request(self.calls, method, **params)

    def wait_event(self, accept):
        while True:
            event = json.loads(self.events[1].readline()).get("params", {})
            if accept(event):
                return event

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(8)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def percentile(samples, part):
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * part))]


def report(name, samples, reference=None):
    middle = percentile(samples, 0.5)
    ratio = f", {middle / reference:.1f} x a plain call" if reference else ""
    print(f"{name}: p50 {middle * 1e3:.2f} ms, p99 {percentile(samples, 0.99) * 1e3:.2f} ms ({len(samples)} times){ratio}")
    return middle


def timed(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure_joins(host, guest, room):
    address = f"127.0.0.1:{host.port}"
    plain, joins = [], []
    for _ in range(JOINS):
        plain.append(timed(lambda: guest.call("profile.get")))
        joins.append(timed(lambda: guest.call("room.join", address=address, room=room)))
        guest.call("room.leave")
    return plain, joins


def measure_moves(daemons):
    """Wrong calls of Snap are refused after the first of a flip, so moves are what a race at Hangman has plenty of."""
    plain, moves = [], []
    by_seat = {daemon.call("match.view")["my_seat"]: daemon for daemon in daemons}
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    while len(moves) < MOVES:
        views = {seat: daemon.call("match.view") for seat, daemon in by_seat.items()}
        if all(view["state"] == "ended" for view in views.values()):
            return plain, moves
        acted = False
        for seat, daemon in by_seat.items():
            action = next_action(daemon.call("match.view"), letters)
            if action is None:
                continue
            acted = True
            plain.append(timed(lambda: daemon.call("profile.get")))
            begun = time.perf_counter()
            try:
                index = daemon.call("match.act", action=action)["entry"]["index"]
            except RuntimeError:
                continue
            for other in by_seat.values():
                other.wait_event(lambda event: event.get("type") == "match.changed" and event["entry"] >= index)
            moves.append(time.perf_counter() - begun)
        if not acted:
            time.sleep(0.005)
    return plain, moves


def measure_messages(daemons, seconds):
    """A reliable message each from one member to two others, one after the other, until the time is over."""
    samples, number, end = [], 0, time.monotonic() + seconds
    peers = [daemon.call("profile.get")["id"] for daemon in daemons]
    while time.monotonic() < end:
        number += 1
        sender = number % len(daemons)
        data = base64.b64encode(b"%d" % number).decode()
        to = [peer for index, peer in enumerate(peers) if index != sender]
        begun = time.perf_counter()
        daemons[sender].call("channel.send", mode="reliable", data=data, to=to, lane="game")
        for index, daemon in enumerate(daemons):
            if index != sender:
                daemon.wait_event(lambda event: event.get("type") == "message" and event["data"] == data)
        samples.append(time.perf_counter() - begun)
        time.sleep(0.005)
    return samples


def measure_standstill(daemons):
    """The same three members with the fourth running, standing still (stopped) with its queue full, running again."""
    others, fourth = daemons[:3], daemons[3]
    peer = fourth.call("profile.get")["id"]
    before = measure_messages(others, STANDSTILL_S / 3)
    fourth.process.send_signal(signal.SIGSTOP)
    try:
        filling = base64.b64encode(bytes(256 * 1024)).decode()
        while True:
            try:
                others[0].call("channel.send", mode="reliable", data=filling, to=[peer])
            except RuntimeError:
                break  # its queue is full
        during = measure_messages(others, STANDSTILL_S)
    finally:
        fourth.process.send_signal(signal.SIGCONT)
    return before, during


def next_action(view, letters):
    for action in view.get("legal", []):
        if action["do"] == "word":
            return {"do": "word", "word": "garden"}
        if action["do"] == "guess":
            board = next(b for b in view["view"]["boards"] if b["seat"] == view["my_seat"])
            used = set((board.get("mask") or "").lower()) | {letter.lower() for letter in board["wrong"]}
            return {"do": "guess", "letter": next(l for l in letters if l not in used)}
    return None


def main():
    daemons = []
    try:
        for name in ["ada", "bea", "cyd", "dan"][:SEATS]:
            daemons.append(Daemon(name))
        host, guests = daemons[0], daemons[1:]
        room = host.call("room.host", game="hangman", name="bench", options={"rounds": 5})["id"]
        plain, joins = measure_joins(host, guests[0], room)
        reference = report("plain call on the control socket", plain)
        report("join to seated (TCP, TLS, greeting, seat; new link each time)", joins, reference)
        for guest in guests:
            guest.call("room.join", address=f"127.0.0.1:{host.port}", room=room)
            guest.call("room.ready", ready=True)
        host.call("room.start")
        for daemon in daemons:
            daemon.wait_event(lambda event: event.get("type") == "match.started")
        plain, moves = measure_moves(daemons)
        reference = report("plain call on the control socket", plain)
        report(f"act to event at all {SEATS} peers", moves, reference)
        before, during = measure_standstill(daemons)
        report("message from one of three members to the other two", before)
        report("the same while the fourth stands still and its queue is full", during)
        ratio = percentile(during, 0.99) / percentile(before, 0.99)
        print(f"p99 with a member that stands still: {ratio:.2f} x without (bar 1.20)")
    finally:
        for daemon in daemons:
            daemon.end()


if __name__ == "__main__":
    sys.exit(main())
