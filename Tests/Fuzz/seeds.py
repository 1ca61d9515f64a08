"""Writes inputs for the fuzz targets to begin with, from the golden files and by hand.

    python3 Tests/Fuzz/seeds.py FOLDER

makes FOLDER/TARGET/ with one file for each. They are candidates: Scripts/fuzz --merge puts those of them that reach
something into Tests/Fuzz/Corpus, and calls this by itself.
"""

import hashlib
import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "..", "Golden")
CONFIG = os.path.join(HERE, "..", "..", "Config")


def vectors(*names):
    """The bytes of all vectors in some golden files."""
    for name in names:
        with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
            for vector in json.load(file):
                yield bytes.fromhex(vector["hex"])


def head(data, at):
    """The major type and argument of the CBOR item at a place, and where its content begins."""
    major, low = data[at] >> 5, data[at] & 31
    if low < 24:
        return major, low, at + 1
    width = 1 << (low - 24)
    return major, int.from_bytes(data[at + 1 : at + 1 + width], "big"), at + 1 + width


def end(data, at):
    """Where the CBOR item at a place ends."""
    major, argument, at = head(data, at)
    if major in (2, 3):
        return at + argument
    for _ in range(argument if major == 4 else 2 * argument if major == 5 else 0):
        at = end(data, at)
    return at


def items(data):
    """The items of a CBOR array, each as its bytes."""
    _, count, at = head(data, 0)
    found = []
    for _ in range(count):
        stop = end(data, at)
        found.append(data[at:stop])
        at = stop
    return found


def number(data):
    """A whole number."""
    major, argument, _ = head(data, 0)
    return ~argument if major == 1 else argument


def counted(data):
    return len(data).to_bytes(2, "big") + data


def log_lines(name):
    with open(os.path.join(GOLDEN, name), encoding="ascii") as file:
        return file.read().splitlines()


LOGS = ["snap.log", "snap-troubled.log", "hangman.log", "hangman-alone.log"]


def logs():
    for name in LOGS:
        lines = log_lines(name)
        for count in (2, 3, 4, 8):
            yield ("\n".join(lines[:count]) + "\n").encode()
    yield ("\n".join(log_lines("hangman-alone.log")) + "\n").encode()


def folds():
    """Logs as the target `fold` takes them: without chain and signatures, which it makes anew."""
    for name in LOGS:
        lines = log_lines(name)
        out = counted(bytes.fromhex(lines[1].split()[1]))
        last = 0
        for place, line in enumerate(lines[2:]):
            entry = items(bytes.fromhex(line.split()[1]))
            proposal = items(entry[3])
            time = number(entry[2])
            author = number(proposal[1]) + 1
            out += bytes([author]) + min(time - last, 65_535).to_bytes(2, "big")
            out += bytes([number(proposal[5])]) + counted(proposal[6])
            last = time
            if place in (1, 5, 11, 20, 40):
                yield out
        yield out


REQUESTS = """
{"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"me","api":1}}
{"jsonrpc":"2.0","id":"a","method":"status"}
{"jsonrpc":"2.0","method":"events.subscribe","params":{"types":["room.changed"],"since":7}}
{"jsonrpc":"2.0","id":2,"method":"rooms.list","params":{"refresh":true}}
{"jsonrpc":"2.0","id":3,"method":"room.host","params":{"game":"snap","seats":3,"name":"Attic","hidden":false,"options":{"max_flips":20}}}
{"jsonrpc":"2.0","id":4,"method":"room.join","params":{"room":"Attic","host":"127.0.0.1:9000","as":"Bob"}}
{"jsonrpc":"2.0","id":5,"method":"room.ready","params":{"room":"00","ready":true}}
{"jsonrpc":"2.0","id":6,"method":"room.kick","params":{"room":null,"seat":1,"ban":true}}
{"jsonrpc":"2.0","id":7,"method":"room.say","params":{"text":"a \\u00e9 \\ud83d\\ude00 \\n"}}
{"jsonrpc":"2.0","id":8,"method":"room.set","params":{"options":{"turn_s":30,"watchers":true,"x":null}}}
{"jsonrpc":"2.0","id":9,"method":"room.bot","params":{"op":"add","level":"easy","seat":2}}
{"jsonrpc":"2.0","id":10,"method":"match.act","params":{"action":{"do":"guess","letter":"e"}}}
{"jsonrpc":"2.0","id":11,"method":"match.log","params":{"match":"00","from":0,"limit":10}}
{"jsonrpc":"2.0","id":12,"method":"match.verify","params":{"path":"/tmp/a"}}
{"jsonrpc":"2.0","id":13,"method":"channel.send","params":{"room":"x","to":1,"channel":"reliable","text":"hi"}}
{"jsonrpc":"2.0","id":14,"method":"profile.set","params":{"name":"Ann"}}
{"jsonrpc":"2.0","id":15,"method":"fault.set","params":{"peer":"all","loss":0.25,"delay_ms":40}}
{"jsonrpc":"2.0","id":16,"method":"room.lock","params":{"locked":true}}
{"jsonrpc":"2.0","method":"event","params":{"seq":1,"type":"room.changed","time":1.5e3}}
{"jsonrpc":"2.0","id":1,"result":{"a":[1,-2,3.5,1e-7,true,false,null]}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"no","data":{"reason":"busy"}}}
[-0.0,0,-1,9223372036854775807,9223372036854775808,1E400,"\\"\\\\\\/\\b\\f\\r\\t"]
{"a":1,"a":2}
""".strip().splitlines()


def settings():
    with open(os.path.join(CONFIG, "parlor.conf"), "rb") as file:
        lines = file.read().splitlines(keepends=True)
    yield b"".join(line.removeprefix(b"#") if b"=" in line else line for line in lines if line[:2] != b"# ")
    yield b"[network]\nlisten = 127.0.0.1\nlisten = ::1\nport = 0\n[discovery]\nbackend = off\n"
    yield b"\xef\xbb\xbf[player]\r\nname = Ann\r\nname = Bob\r\n nonsense\n[x\n[y]\nz=1\n;c\n"
    yield b"port = 1\n[network]\nport = 70000\nlisten = [fe80::1%lo]:99\nlisten = *:1\n" + b"x" * 200
    yield b"fe80::1%lo"
    yield b"[::1]:9000"


def record(name, *strings):
    return b"".join(bytes([len(text)]) + text for text in (name, *strings))


def records():
    both = [b"id=" + b"0a" * 16, b"k=" + b"0b" * 32]
    yield record(b"Attic", b"txtvers=1", *both)
    yield record(
        b"Attic", b"txtvers=1", *both, b"pv=1-3", b"g=snap", b"n=1", b"m=4", b"st=playing", b"lock=1", b"code=1",
        b"e=7", b"h=Ann",
    )  # fmt: skip
    yield record(b"\xe2\x80\xaeAttic", b"TXTVERS=9", b"pv=2-1", b"n=100", b"h=" + b"\xc3\x9f" * 40)
    yield record(b"", b"txtvers=2", b"=x", b"id", b"id=zz", *both, b"g=\xff\x00")


def datagrams():
    """Probes, answers, and messages in one and more pieces, each as it may come."""

    def piece(number, index, count, content, key=None):
        kind, tail = (3, b"") if key is None else (4, key.to_bytes(4, "big"))
        whole = number.to_bytes(8, "big") + (1_000_000).to_bytes(8, "big") + (200).to_bytes(2, "big")
        return bytes([kind]) + whole + tail + bytes([index, count]) + content

    probe = b"\x01" + (7).to_bytes(8, "big")
    answer = b"\x02" + (1).to_bytes(8, "big") + (1_000_000).to_bytes(8, "big")
    full = bytes(1_146)
    for way in (0x00, 0x01, 0x05, 0x15):
        for parts in (
            [probe, answer],
            [piece(1, 0, 1, b"hello"), piece(2, 0, 1, b"key", key=9), piece(1, 0, 1, b"again")],
            [piece(3, 0, 2, full), piece(3, 1, 2, b"end"), piece(4, 1, 3, full), piece(4, 0, 3, full)],
        ):
            yield b"".join(bytes([way]) + counted(part) for part in parts)


def chances(count, bytes_max):
    """Operations of chance for the targets that take any."""
    generator = random.Random(1)
    for _ in range(count):
        yield generator.randbytes(generator.randint(bytes_max // 4, bytes_max))


def seeds():
    requests = [line.encode() for line in REQUESTS]
    yield "cbor", vectors("cbor.json", "cbor-refused.json", "room-messages.json", "genesis.json")
    frames = [b"\x01" + data for data in vectors("frames.json", "frames-refused.json", "streams.json")]
    yield "frames", frames + [b"\x00" + data[1:] for data in frames]
    yield "greeting", (bytes([choice]) + data[1:] for data in frames for choice in (0xF0, 0xF1, 0xF6, 0xF7, 0xFA))
    yield "room-messages", vectors("room-messages.json")
    yield "match-messages", vectors("match-messages.json")
    yield "logs", logs()
    yield "fold", folds()
    yield "json", requests
    yield "requests", requests
    yield "lines", [b"\x00" + b"\r\n".join(requests[:3]) + b"\n", b"\x05\n\n" + requests[0], b"\x01\n\r\n"]
    yield "settings", settings()
    yield "records", records()
    yield "datagrams", datagrams()
    yield "unreliable", chances(60, 400)
    yield "link", chances(60, 120)
    yield "room", chances(60, 400)
    yield "match", chances(30, 300)


def main():
    for target, inputs in seeds():
        folder = os.path.join(sys.argv[1], target)
        os.makedirs(folder, exist_ok=True)
        for data in inputs:
            with open(os.path.join(folder, hashlib.sha1(data).hexdigest()), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    main()
