#!/usr/bin/env python3
"""Decodes every golden file of this folder with decode.py and compares with the meaning written beside the bytes.

Exits with 1 when anything differs. Each vector's kind names a function of CHECKS.
"""

import json
import pathlib
import sys

import decode


def tagged(item):
    """A CBOR item as the golden files write it."""
    if item is None:
        return {"null": True}
    if isinstance(item, bool):
        return {"bool": item}
    if isinstance(item, int):
        return {"int": item}
    if isinstance(item, bytes):
        return {"bytes": item.hex()}
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, list):
        return {"array": [tagged(element) for element in item]}
    return {"map": [[key, tagged(value)] for key, value in item.items()]}


def cbor(data, meaning):
    """An item, and that it has no other encoding."""
    item = decode.cbor(data)
    return tagged(item) == meaning and decode.cbor_encoded(item) == data


def frame(data, meaning):
    """A frame."""
    return decode.frame(data) == meaning


def stream(data, meaning):
    """Several frames, and the messages that their chunks make."""
    found = decode.frames(data)
    kinds = [one["frame"] for one in found]
    return kinds == meaning["frames"] and decode.messages(found) == meaning["messages"]


def refused(read):
    """What must not be read."""

    def check(data, meaning):
        try:
            read(data)
        except decode.Refused:
            return meaning == {"refused": True}
        return False

    return check


def signature(data, meaning):
    """Whether the signature of a message holds."""
    public, signed = bytes.fromhex(meaning["public"]), bytes.fromhex(meaning["signature"])
    return decode.ed25519_verify(public, data, signed) == meaning["holds"]


def digest(data, meaning):
    """A hash."""
    return decode.blake2b_256(data).hex() == meaning["blake2b-256"]


CHECKS = {
    "cbor": cbor,
    "cbor-refused": refused(decode.cbor),
    "frame": frame,
    "frame-refused": refused(decode.frames),
    "stream": stream,
    "stream-refused": refused(lambda data: decode.messages(decode.frames(data))),
    "signature": signature,
    "hash": digest,
}


def holds(vector):
    """Whether a vector's bytes mean what it says."""
    check = CHECKS.get(vector["kind"])
    if check is None:
        return False
    try:
        return check(bytes.fromhex(vector["hex"]), vector["meaning"])
    except decode.Refused as refusal:
        print(f"refused: {refusal}", file=sys.stderr)
        return False


def main():
    """Checks every file."""
    passed = failed = 0
    for path in sorted(pathlib.Path(__file__).parent.glob("*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8")):
            if holds(vector):
                passed += 1
            else:
                failed += 1
                print(f"FAILED {path.name}: {vector['kind']} {vector['name']} {vector['hex'][:80]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
