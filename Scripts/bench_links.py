#!/usr/bin/env python3
"""Measures links and datagrams between two processes on 127.0.0.1, beside C programs that do the same (Bench/).

Prints how it measures and one table: a line for each figure, with its bar where there is one. Takes about three
minutes. Standard library only; starts its own processes and ends them. Wants PARLOR_BIN, where parlor-bench and parlord
are, and PARLOR_BENCH_C, where the C programs are.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench_daemons import BIN, Daemon  # noqa: E402 (the path comes first)

C_BIN = os.environ.get("PARLOR_BENCH_C") or os.path.join(os.path.dirname(__file__), "..", ".build", "bench")
ROUND_TRIPS = 2000
ROUNDS_MAX, ROUNDS_MIN = 15, 3
RATE_MESSAGES = 200_000
HANDSHAKES = 30
IDLE_LINKS = 1000
IDLE_SECONDS = 12
LANE_ROUND_TRIPS = 800


def pinned(core):
    """What makes a process stay on a core, where there is more than one and taskset knows how."""
    if shutil.which("taskset") is None or len(os.sched_getaffinity(0)) < 2:
        return []
    return ["taskset", "-c", str(sorted(os.sched_getaffinity(0))[core])]


class Server:
    """A program in its server's role; runs clients against it."""

    def __init__(self, program, *words):
        path = os.path.join(BIN if program == "parlor-bench" else C_BIN, program)
        self.words = [path, *words]
        self.process = subprocess.Popen(
            pinned(0) + self.words + ["server"], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            raise SystemExit(f"{path} did not start: {line!r}")
        self.port = line.split()[1]

    def command(self, what, count):
        return pinned(1) + self.words + [what, self.port, str(count)]

    def run(self, what, count, **environment):
        done = subprocess.run(
            self.command(what, count), capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
            env={**os.environ, **environment})
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(self.words)} {what}: {done.stdout}{done.stderr}")
        return numbers(done.stdout + done.stderr)

    def hold(self, what, count):
        """Starts a client that keeps its links until its input ends; returns it once it has printed its line."""
        client = subprocess.Popen(
            self.command(what, count), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        client.stdout.readline()
        return client

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def let_go(client):
    client.stdin.close()
    client.wait(30)
    client.stdout.close()


def numbers(text):
    return {name: float(value) for name, value in re.findall(r"(\w+)=([0-9.]+)", text)}


class Table:
    """The lines of the result."""

    def __init__(self):
        self.rows = []

    def add(self, what, ours, reference="", ratio="", bar="", good=None):
        self.rows.append((what, ours, reference, ratio, bar, {None: "", True: "met", False: "MISSED"}[good]))

    def compare(self, what, name, pairs, unit, bar, more_is_better=False):
        """`pairs` are (ours, theirs) of one round each; the ratio is taken in the round."""
        ratios = [ours / theirs for ours, theirs in pairs]
        middle = statistics.median(ratios)
        good = None if bar is None else middle >= bar if more_is_better else middle <= bar
        self.add(
            what, unit(statistics.median(p[0] for p in pairs)), f"{name} {unit(statistics.median(p[1] for p in pairs))}",
            f"{middle:.2f} [{min(ratios):.2f}-{max(ratios):.2f}]",
            "" if bar is None else f"{'>=' if more_is_better else '<='} {bar:.2f}", good)

    def show(self):
        rows = [("figure", "ours", "beside it", "ratio [range]", "bar", "")] + self.rows
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def us(value):
    return f"{value:.1f} us"


def million(value):
    return f"{value / 1e6:.2f} M/s"


def rounds(seconds, work):
    """Runs `work` again and again, at least ROUNDS_MIN times, until it is enough or the time is over."""
    end, results = time.monotonic() + seconds, []
    while len(results) < ROUNDS_MAX and (len(results) < ROUNDS_MIN or time.monotonic() < end):
        results.append(work())
    return results


def measure_round_trips(table, servers):
    runs = {
        "link": ("parlor", "echo"), "tls": ("tls", "echo"), "zmq": ("zmq", "echo"), "enet": ("enet", "echo"),
        "unreliable": ("parlor", "unreliable"), "aead": ("parlor", "aead"), "c-aead": ("udp", "aead"), "plain": ("parlor", "plain"), "c-plain": ("udp", "plain"),
    }
    found = rounds(70, lambda: {n: servers[s].run(w, ROUND_TRIPS)["p50"] for n, (s, w) in runs.items()})

    def pairs(ours, theirs):
        return [(one[ours], one[theirs]) for one in found]

    table.compare("reliable 64 B round trip, p50", "C, OpenSSL", pairs("link", "tls"), us, 1.25)
    table.compare("reliable 64 B round trip, p50", "ZeroMQ, not encrypted", pairs("link", "zmq"), us, 1.0)
    table.compare("reliable 64 B round trip, p50", "ENet reliable, not encrypted", pairs("link", "enet"), us, None)
    table.compare("unreliable 64 B round trip, p50", "C, same AEAD", pairs("unreliable", "c-aead"), us, 1.3)
    table.compare("unreliable 64 B round trip, p50", "C, plain UDP", pairs("unreliable", "c-plain"), us, None)
    table.compare("unreliable 64 B round trip, p50", "ENet reliable, not encrypted", pairs("unreliable", "enet"), us, None)
    table.compare("the same AEAD alone on our loop, p50", "C, same AEAD", pairs("aead", "c-aead"), us, None)
    table.compare("plain UDP on our loop, p50", "C, plain UDP", pairs("plain", "c-plain"), us, None)
    return len(found)


def measure_rates(table, servers):
    found = rounds(25, lambda: tuple(servers[s].run("rate", RATE_MESSAGES)["rate"] for s in ("parlor", "enet")))
    table.compare("reliable 64 B one way, in batches", "ENet reliable", found, million, 1.0, more_is_better=True)


def measure_handshakes(table, servers):
    found = rounds(20, lambda: tuple(servers[s].run("handshake", HANDSHAKES)["p50"] for s in ("parlor", "tls")))
    table.compare("connect, TLS and greeting, p50", "C, connect and TLS", found, us, None)


def measure_lanes(table, servers):
    found = rounds(15, lambda: servers["parlor"].run("lanes", LANE_ROUND_TRIPS))
    ratios = [one["busy_p99"] / (2 * one["idle_p99"] + one["chunk_us"]) for one in found]

    def middle(name):
        return statistics.median(one[name] for one in found)

    table.add(
        "game lane p99 while bulk is saturated", us(middle("busy_p99")),
        f"idle {us(middle('idle_p99'))}, chunk {us(middle('chunk_us'))}, bulk {middle('bulk_mb_s'):.0f} MB/s",
        f"{statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}]", "<= 1 x (2 idle + chunk)",
        statistics.median(ratios) <= 1)


def measure_costs(table, servers):
    preload = {"LD_PRELOAD": os.path.join(C_BIN, "count_allocations.so")}
    for what, name in (("echo", "a reliable message"), ("unreliable", "an unreliable message")):
        few, many = (servers["parlor"].run(what, n, **preload)["allocations"] for n in (2000, 6000))
        table.add(f"allocations for {name}", f"{(many - few) / 4000 / 2:.2f}")
    sent = [bytes_sent(servers["parlor"], n) for n in (1000, 3000)]
    if None not in sent:
        table.add("bytes in TCP for a reliable message of 64 B", f"{(sent[1] - sent[0]) / 2000:.1f} B")


def bytes_sent(server, count):
    """What a client has given to TCP, as the system counts it; `None` where `ss` cannot say."""
    if shutil.which("ss") is None:
        return None
    client = server.hold("held", count)
    try:
        listed = subprocess.run(["ss", "-tinH", f"dport = :{server.port}"], capture_output=True, text=True).stdout
        found = re.findall(r"bytes_sent:(\d+)", listed)
        return max(map(int, found)) if found else None
    finally:
        let_go(client)


def resident(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024


def measure_memory(table):
    server = Server("parlor-bench", "link")
    try:
        before = resident(server.process.pid)
        one = server.hold("links", 1)
        alone = resident(one.pid)
        let_go(one)
        many = server.hold("links", IDLE_LINKS)
        # taskset becomes the program it starts, so these are the IDs of the programs themselves.
        sides = {"listening": resident(server.process.pid) - before, "dialling": resident(many.pid) - alone}
        let_go(many)
    finally:
        server.end()
    for side, grown in sides.items():
        table.add(
            f"memory of an idle link, {side} side", f"{grown / IDLE_LINKS / 1000:.1f} kB", f"{IDLE_LINKS} links",
            "", "<= 60 kB", grown / IDLE_LINKS <= 60_000)


def measure_idle_daemon(table):
    daemons = []
    try:
        for name in ["ada", "bea", "cyd", "dan", "eve"]:
            daemons.append(Daemon(name))
        host, guests = daemons[0], daemons[1:]
        # A game seats four, so the fourth guest sits in another room.
        rooms = [host.call("room.host", game="snap", name=name)["id"] for name in ("one", "two")]
        for number, guest in enumerate(guests):
            guest.call("room.join", address=f"127.0.0.1:{host.port}", room=rooms[number // 3])
        time.sleep(2)
        before = activity(host.process.pid)
        time.sleep(IDLE_SECONDS)
        after = activity(host.process.pid)
        wakes, busy = ((b - a) / IDLE_SECONDS for a, b in zip(before, after))
        table.add("idle daemon with 4 links", f"{wakes:.1f} wake-ups/s", f"{busy / 1e9 * 100:.3f} % of a core")
        table.add("idle daemon with 4 links, memory", f"{resident(host.process.pid) / 1e6:.1f} MB")
    finally:
        for daemon in daemons:
            daemon.end()


def activity(pid):
    """How often the threads of a process have waited, and for how many nanoseconds they have run."""
    waits = ran = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/status") as file:
            waits += int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", file.read()).group(1))
        with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
            ran += int(file.read().split()[0])
    return waits, ran


def method(count):
    where = "server on one core, client on another" if pinned(0) else "not pinned to cores"
    print(f"Two processes on 127.0.0.1, {where}; load before: {os.getloadavg()[0]:.1f}.")
    print(f"Each round runs ours and the others one after the other ({ROUND_TRIPS} round trips each after 500 to warm up,")
    print(f"{count} rounds); the ratio is taken within the round, the table has medians over the rounds and the ratio's range.")
    print("Allocations are counted at the client by a preloaded library, bytes by the system (TLS included, TCP/IP headers not).")
    print()


def main():
    started = time.monotonic()
    table, servers = Table(), {}
    try:
        servers["parlor"] = Server("parlor-bench", "link")
        for name in ("tls", "zmq", "udp", "enet"):
            servers[name] = Server(f"{name}_echo")
        count = measure_round_trips(table, servers)
        measure_rates(table, servers)
        measure_handshakes(table, servers)
        measure_lanes(table, servers)
        measure_costs(table, servers)
    finally:
        for server in servers.values():
            server.end()
    measure_memory(table)
    measure_idle_daemon(table)
    method(count)
    table.show()
    print(f"\n{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
