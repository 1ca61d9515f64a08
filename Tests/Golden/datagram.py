"""Datagrams and what is in them: the chapter Datagrams of PROTOCOL.md."""

import sealing
from decode import need

SIZE = 1200
HEADER = 13
TAG = 16
VERSION = 1
PIECE = 1146
MESSAGE = 16480
CLOCK = 1 << 52
LIFE = 10000
WINDOW = 1024


def number(data):
    """An unsigned number."""
    return int.from_bytes(data, "big")


class Receiver:
    """One side of a connection: opens what is for it, each counter once."""

    def __init__(self, exported, is_client, link):
        self.key = exported[32:] if is_client else exported[:32]
        self.link = link
        self.newest = 0
        self.seen = set()

    def open(self, data):
        """The message in a datagram."""
        need(HEADER + TAG <= len(data) <= SIZE, "length of a datagram")
        need(data[0] == VERSION, "version of a datagram")
        need(number(data[1:5]) == self.link, "link ID")
        counter = number(data[5:HEADER])
        need(counter > max(0, self.newest - WINDOW) and counter not in self.seen, "counter")
        plain = sealing.chacha_open(self.key, data[1:HEADER], data[HEADER:], data[:HEADER])
        need(plain is not None, "not sealed by the peer")
        self.newest = max(self.newest, counter)
        self.seen.add(counter)
        return plain


def message(data):
    """What a datagram or a frame of kind 9 holds."""
    need(data[:1] in (b"\x01", b"\x02", b"\x03", b"\x04"), "kind of a message")
    if data[0] == 1:
        need(len(data) == 9, "length of a probe")
        return {"message": "probe", "token": str(number(data[1:]))}
    if data[0] == 2:
        need(len(data) == 17, "length of an answer")
        need(number(data[9:]) <= CLOCK, "clock")
        return {"message": "answer", "token": str(number(data[1:9])), "clock": number(data[9:])}
    keyed = 4 if data[0] == 4 else 0
    need(len(data) >= 21 + keyed, "length of a fragment")
    content = data[21 + keyed :]
    found = {
        "message": "fragment", "number": str(number(data[1:9])), "sent": number(data[9:17]), "life": number(data[17:19]),
        "key": number(data[19:23]) if keyed else None, "index": data[19 + keyed], "count": data[20 + keyed],
        "content": content.hex(),
    }
    need(found["number"] != "0" and found["sent"] <= CLOCK and 1 <= found["life"] <= LIFE, "head of a fragment")
    index, count = found["index"], found["count"]
    need(index < count and (count - 1) * PIECE < MESSAGE, "place of a fragment")
    if index < count - 1:
        need(len(content) == PIECE, "length of a fragment before the last")
    else:
        need(len(content) <= PIECE and index * PIECE + len(content) <= MESSAGE, "length of the last fragment")
        need(content or count == 1, "an empty fragment after others")
    return found
