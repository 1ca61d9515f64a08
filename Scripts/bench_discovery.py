#!/usr/bin/env python3
"""Measures two machines of Scripts/lan with an Avahi each: from opening a room to its row at the other, and joining it.

Run by `Scripts/lan inside`. What is seen takes as long as mDNS takes to claim a name, which is most of a second; a
plain call (profile.get) of the same run is printed to compare with. Standard library only.
"""
import os
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("EndToEnd", "Lan"):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Tests", folder))
import machines  # noqa: E402

ROUNDS = int(os.environ.get("PARLOR_LAN_ROUNDS") or 100)


def timed(what):
    began = time.monotonic()
    result = what()
    return (time.monotonic() - began) * 1000, result


def line(name, values):
    print(f"{name:28} p50 {machines.middle(values):8.1f} ms   p95 {machines.middle(values, 0.95):8.1f} ms   "
          f"({len(values)} rounds)", flush=True)


def measure(ada, bea):
    seen, joined, called, gone = [], [], [], []
    for number in range(ROUNDS):
        began = time.monotonic()
        room = ada.call("room.host", game="snap", name=f"Round {number}")["id"]
        bea.event("room.found", room=room)
        seen.append((time.monotonic() - began) * 1000)
        joined.append(timed(lambda: bea.call("room.join", room=room))[0])
        called.append(timed(lambda: bea.call("profile.get"))[0])
        bea.call("room.leave")
        began = time.monotonic()
        ada.call("room.leave")
        bea.event("room.lost", room=room)
        gone.append((time.monotonic() - began) * 1000)
    line("host to visible", seen)
    line("join", joined)
    line("closed to gone", gone)
    line("profile.get", called)


def main():
    folder = tempfile.mkdtemp(prefix="parlor-bench-")
    peers = []
    try:
        lan = machines.lan.Lan(os.path.join(folder, "lan"))
        for machine in lan.add(["ada", "bea"]):
            peers.append(machines.LanPeer(folder, machine, machine.name))
            peers[-1].start()
        measure(*peers)
    finally:
        for peer in peers:
            peer.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
