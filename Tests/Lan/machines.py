"""What tests on several machines share: daemons on machines of Scripts/lan, on a network of their own."""
import importlib.util
import os
import sys
import threading
import time

import harness
from harness import Peer, Scenario, eventually

ROUNDS = int(os.environ.get("PARLOR_LAN_ROUNDS") or 0)
"""How often what is to be true each time is tried; by default as often as the gate has time for."""
ROUND_S = 30
"""How long one of them may take, on a busy machine."""


def load(path):
    spec = importlib.util.spec_from_file_location("lan", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["lan"] = module
    spec.loader.exec_module(module)
    return module


lan = load(os.path.join(harness.PROJECT, "Scripts", "lan.py"))


class LanPeer(Peer):
    """A daemon on a machine: it listens on all of the machine's addresses and finds rooms through its Avahi."""

    def __init__(self, folder, machine, name, discovery="avahi", arguments=()):
        super().__init__(folder, name, discovery=discovery)
        self.machine, self.before, self.variables = machine, machine.enter, machine.variables
        self.arguments = ["--home", self.home, "--name", name, "--discovery", discovery, *arguments]

    @property
    def address(self):
        """Where others reach it; from any of the machines, which all have their link-local addresses on eth0."""
        address = self.machine.address
        scope = "%eth0" if address.startswith("fe80") else ""
        return f"[{address}{scope}]:{self.port}" if ":" in address else f"{address}:{self.port}"

    def rows(self):
        return self.call("rooms.list", all=True)["rooms"]

    def memory(self):
        """Bytes that it holds in memory."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class LanScenario(Scenario):
    """A test on machines. Those of `add` have a daemon each, which finds rooms; `machine` has Avahi alone."""

    needs_lan = True
    limit_s = 120

    def setUp(self):
        super().setUp()
        self.lan = lan.Lan(os.path.join(self.folder, "lan"))
        self.addCleanup(self.lan.end)

    def add(self, *names, kind="dual", avahi=True, **options):
        """Machines, each with a daemon of the same name."""
        peers = [LanPeer(self.folder, machine, machine.name, **options)
                 for machine in self.lan.add(names, kind, avahi)]
        return self.start(peers)

    def on(self, machine, *names, **options):
        """More daemons on one machine."""
        return self.start([LanPeer(self.folder, machine, name, **options) for name in names])

    def start(self, peers):
        for peer in peers:
            self.addCleanup(peer.end)
        threads = [threading.Thread(target=peer.start) for peer in peers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for peer in peers:
            self.assertIsNotNone(peer.socket, f"{peer.name} did not start:\n{peer.log()}")
        return peers

    def assert_all_see(self, peers, name, timeout=20, **fields):
        """All find the same room by this name; returns its ID."""
        rows = [peer.row(name, timeout=timeout, **fields) for peer in peers]
        self.assertEqual(len({row["id"] for row in rows}), 1, rows)
        return rows[0]["id"]


def seconds_until(check, what, seconds=harness.EVENT_S):
    """Waits until `check` is true, and returns how long that took."""
    began = time.monotonic()
    eventually(check, what, seconds)
    return time.monotonic() - began


def middle(values, share=0.5):
    """The value that this share of them does not exceed."""
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]
