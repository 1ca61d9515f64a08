"""A second decoder of the Parlor protocol, written from PROTOCOL.md alone, with Python's standard library alone.

Each function takes bytes and gives what they mean, or raises Refused. Chapters of PROTOCOL.md are sections here;
check.py compares what this says with the golden files.
"""

import functools
import hashlib


class Refused(Exception):
    """The bytes break a rule of PROTOCOL.md."""


def need(condition, why):
    """Refuses unless the condition holds."""
    if not condition:
        raise Refused(why)


# --- Conventions: CBOR

DEPTH_MAX = 16


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        need(count <= len(self.data) - self.at, "truncated")
        taken = self.data[self.at : self.at + count]
        self.at += count
        return taken

    def head(self):
        first = self.take(1)[0]
        major, low = first >> 5, first & 31
        if low < 24:
            return major, low, low
        need(low <= 27, "reserved or indefinite")
        width = 1 << (low - 24)
        number = int.from_bytes(self.take(width), "big")
        if major != 7:
            need(number >= (24 if width == 1 else 1 << (4 * width)), "not the shortest form")
        return major, low, number

    def item(self, depth):
        major, low, number = self.head()
        if major <= 1:
            need(number < 1 << 63, "out of range")
            return number if major == 0 else -1 - number
        if major == 2:
            return bytes(self.take(number))
        if major == 3:
            try:
                return bytes(self.take(number)).decode("utf-8", "strict")
            except UnicodeDecodeError as error:
                raise Refused("not UTF-8") from error
        if major == 4:
            need(number <= len(self.data) - self.at, "truncated")
            need(depth < DEPTH_MAX, "too deep")
            return [self.item(depth + 1) for _ in range(number)]
        if major == 5:
            need(2 * number <= len(self.data) - self.at, "truncated")
            need(depth < DEPTH_MAX, "too deep")
            return self.map(number, depth)
        need(major == 7 and low in (20, 21, 22), "tag, float or simple value")
        return {20: False, 21: True, 22: None}[low]

    def map(self, count, depth):
        entries, last = {}, None
        for _ in range(count):
            start = self.at
            key = self.item(depth + 1)
            need(type(key) is int, "a key that is no int")
            # Of two encodings in their shortest form, the one of the smaller head comes first, byte by byte.
            encoding = self.data[start : self.at]
            need(last is None or last < encoding, "keys out of order")
            last = encoding
            entries[key] = self.item(depth + 1)
        return entries


def cbor(data):
    """The one item that the bytes are: int, bytes, str, list, dict, bool or None."""
    reader = _Reader(data)
    item = reader.item(0)
    need(reader.at == len(data), "bytes after the item")
    return item


def _head(major, number):
    if number < 24:
        return bytes([major << 5 | number])
    for low, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << (8 * width):
            return bytes([major << 5 | low]) + number.to_bytes(width, "big")
    raise ValueError(number)


def cbor_encoded(item):
    """The one encoding of an item."""
    if item is None or isinstance(item, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[item]
    if isinstance(item, int):
        return _head(0, item) if item >= 0 else _head(1, -1 - item)
    if isinstance(item, bytes):
        return _head(2, len(item)) + item
    if isinstance(item, str):
        data = item.encode("utf-8")
        return _head(3, len(data)) + data
    if isinstance(item, list):
        return _head(4, len(item)) + b"".join(cbor_encoded(element) for element in item)
    entries = sorted((cbor_encoded(key), cbor_encoded(value)) for key, value in item.items())
    return _head(5, len(entries)) + b"".join(key + value for key, value in entries)


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


# --- Link: frames and handshake

CHUNK_MAX = 16384
MESSAGE_MAX = 1048576
BODY_MAX = 8188
KINDS = {
    1: ("hello", 0, BODY_MAX),
    2: ("welcome", 0, BODY_MAX),
    3: ("refuse", 0, BODY_MAX),
    4: ("goodbye", 0, BODY_MAX),
    5: ("chunk", 2, 2 + CHUNK_MAX),
    6: ("acknowledge", 24, 24),
    7: ("ping", 8, 8),
    8: ("pong", 16, 16),
    9: ("datagram", 0, CHUNK_MAX),
}
WORD = set("abcdefghijklmnopqrstuvwxyz0123456789-")
PHASES = ("connecting", "greeting", "open", "closing")


def _int(body, key, least, most):
    number = body.get(key)
    need(type(number) is int and least <= number <= most, f"key {key}")
    return number


def _text(body, key, most):
    text = body.get(key)
    need(type(text) is str and len(text.encode("utf-8")) <= most, f"key {key}")
    return text


def _word(body, key):
    word = _text(body, key, 32)
    need(word and set(word) <= WORD, f"key {key} is no word")
    return word


def _protocols(body, key):
    pair = body.get(key)
    need(type(pair) is list and len(pair) == 2, f"key {key}")
    need(all(type(number) is int and 1 <= number <= 65535 for number in pair), f"key {key}")
    need(pair[0] <= pair[1], f"key {key}")
    return pair


def _games(body, key):
    games = body.get(key)
    need(type(games) is list and len(games) <= 64, f"key {key}")
    for game in games:
        need(type(game) is list and len(game) == 2, "a game is a pair")
        need(type(game[0]) is str and len(game[0].encode("utf-8")) <= 64, "the ID of a game")
        need(type(game[1]) is int and game[1] >= 0, "the rules of a game")
    return games


def _counts(body, count):
    """Key 8: null, or so many numbers."""
    need(8 in body, "key 8")
    numbers = body[8]
    if numbers is None:
        return None
    need(type(numbers) is list and len(numbers) == count, "key 8")
    need(all(type(number) is int and number >= 0 for number in numbers), "key 8")
    return numbers


def _resume(body):
    numbers = _counts(body, 4)
    need(numbers is None or numbers[0] < 2**32, "the link's ID in key 8")
    return numbers


def _about(body):
    return {
        "protocols": _protocols(body, 1),
        "software": _text(body, 2, 64),
        "name": _text(body, 3, 128),
        "games": _games(body, 4),
        "linkID": _int(body, 5, 0, 2**32 - 1),
        "datagramPort": _int(body, 6, 0, 65535),
        "listenPort": _int(body, 7, 0, 65535),
    }


def _hello(body):
    return {**_about(body), "resume": _resume(body)}


def _welcome(body):
    return {**_about(body), "received": _counts(body, 3), "chosen": _int(body, 9, 1, 65535)}


def _refuse(body):
    return {
        "reason": _word(body, 1),
        "detail": _text(body, 2, 256),
        "protocols": _protocols(body, 3),
        "software": _text(body, 4, 64),
    }


def _goodbye(body):
    phase = _text(body, 3, 32)
    need(phase in PHASES, "an unknown phase")
    return {"reason": _word(body, 1), "detail": _text(body, 2, 256), "phase": phase}


BODIES = {"hello": _hello, "welcome": _welcome, "refuse": _refuse, "goodbye": _goodbye}


def _payload(name, data):
    if name in BODIES:
        body = cbor(data)
        need(type(body) is dict, "a body is a map")
        return BODIES[name](body)
    if name == "chunk":
        lane, flags, content = data[0], data[1], data[2:]
        need(lane <= 2, "an unknown lane")
        need(flags <= 1, "unknown flags")
        need(flags == 1 or len(content) == CHUNK_MAX, "a short chunk that is not the last")
        return {"lane": lane, "last": flags == 1, "content": content.hex()}
    numbers = [int.from_bytes(data[at : at + 8], "big") for at in range(0, len(data), 8)]
    if name == "acknowledge":
        return {"counts": numbers}
    if name == "ping":
        return {"token": numbers[0]}
    if name == "pong":
        return {"token": numbers[0], "clock": numbers[1]}
    return {"content": data.hex()}


def frames(stream):
    """The frames of a stream that holds nothing else."""
    found, at = [], 0
    while at < len(stream):
        need(len(stream) - at >= 4, "half a header")
        need(stream[at] in KINDS, "an unknown kind")
        name, least, most = KINDS[stream[at]]
        length = int.from_bytes(stream[at + 1 : at + 4], "big")
        need(least <= length <= most, "a length that the kind cannot have")
        need(length <= len(stream) - at - 4, "half a payload")
        found.append({"frame": name, **_payload(name, stream[at + 4 : at + 4 + length])})
        at += 4 + length
    return found


def frame(data):
    """The one frame that the bytes are."""
    found = frames(data)
    need(len(found) == 1, "one frame")
    return found[0]


# --- Lanes


def messages(found):
    """The messages of frames, in the order in which they become whole, each with its lane."""
    whole, parts = [], {0: b"", 1: b"", 2: b""}
    for one in found:
        if one["frame"] != "chunk":
            continue
        need(one["content"] or not parts[one["lane"]], "an empty chunk after others")
        parts[one["lane"]] += bytes.fromhex(one["content"])
        need(len(parts[one["lane"]]) <= MESSAGE_MAX, "a message that is too large")
        if one["last"]:
            whole.append({"lane": one["lane"], "content": parts[one["lane"]].hex()})
            parts[one["lane"]] = b""
    return whole


# --- Hashes and signatures


def blake2b_256(data):
    """BLAKE2b with 32 bytes of output and no key (RFC 7693)."""
    return hashlib.blake2b(data, digest_size=32).digest()


def keyed(data, key):
    """BLAKE2b with 32 bytes of output and a key."""
    return hashlib.blake2b(data, digest_size=32, key=key).digest()


_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)


def _add(one, two):
    a = (one[1] - one[0]) * (two[1] - two[0]) % _P
    b = (one[1] + one[0]) * (two[1] + two[0]) % _P
    c = 2 * one[3] * two[3] * _D % _P
    d = 2 * one[2] * two[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


@functools.lru_cache(maxsize=64)
def _doublings(point):
    """The point, and so often doubled as a factor has bits: most points are keys, which come again and again."""
    found = [point]
    while len(found) < 256:
        found.append(_add(found[-1], found[-1]))
    return found


def _times(factor, point):
    result = (0, 1, 1, 0)
    for bit, double in enumerate(_doublings(point)):
        if factor >> bit & 1:
            result = _add(result, double)
    return result


def _same(one, two):
    return (one[0] * two[2] - two[0] * one[2]) % _P == 0 and (one[1] * two[2] - two[1] * one[2]) % _P == 0


@functools.lru_cache(maxsize=64)
def _point(data):
    """The point of 32 bytes (RFC 8032 section 5.1.3); None where there is none."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


_BASE = _point((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


@functools.lru_cache(maxsize=4096)
def ed25519_verify(public, message, signature):
    """Whether a signature of a message holds (RFC 8032 section 5.1.7)."""
    if len(public) != 32 or len(signature) != 64:
        return False
    key, nonce = _point(public), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or nonce is None or s >= _ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    challenge = int.from_bytes(digest, "little") % _ORDER
    return _same(_times(s, _BASE), _add(nonce, _times(challenge, key)))
