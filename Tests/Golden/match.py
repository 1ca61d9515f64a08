"""Rooms and match logs, written from PROTOCOL.md alone: its chapters Room, Match log, Draw and Chance.

Uses decode.py for CBOR, hashes and signatures, and games.py for the rules. Raises decode.Refused.
"""

import codes
import decode
import games
from decode import blake2b_256, cbor, cbor_encoded, keyed, need

SEATS = 4
ENTRY_MAX = 65536
ENTRIES_MAX = 200000
TIME_MAX = COUNTER_MAX = 2**40
ROUND_MAX = 255
DRAW_WAIT = 10000
LINK_WAIT = 2000
WITHHELD_MAX = 2
REVEAL_MAX = 160
CHAIN = 256
VAULT = 72
SEQUENCER = -1
EPOCH_MAX = 2**20
CLOCK_ZERO_MAX = 10**15
EVIDENCE = 2
EVIDENCE_MAX = 16384
FAULT_KINDS = 11
FAULTS_MAX = 8
ILLEGAL, TWO = 0, 1
ENDPOINTS_MAX = 8
CHANNEL_MAX = 2**62
RELIABLE_MAX = 2**20
UNRELIABLE_MAX = 16384
TIME_TO_LIVE_MAX = 10000


def items(item, count=None):
    """The elements of an array of so many."""
    need(type(item) is list and count in (None, len(item)), "no array, or not so long")
    return item


def number(item, least=-(2**63), most=2**63 - 1):
    """An int within bounds."""
    need(type(item) is int and least <= item <= most, "no int, or out of bounds")
    return item


def octets(item, count=None):
    """Bytes of a length."""
    need(type(item) is bytes and count in (None, len(item)), "no bytes, or not so many")
    return item


def text(item, most=None):
    """A text of at most so many bytes."""
    need(type(item) is str and (most is None or len(item.encode()) <= most), "no text, or too long")
    return item


def truth(item):
    """True or false."""
    need(type(item) is bool, "neither true nor false")
    return item


def optional(read, item, *bounds):
    """Null, or what it is otherwise."""
    return None if item is None else read(item, *bounds)


def hexed(item):
    """Bytes as the golden files write them."""
    return None if item is None else item.hex()


# --- Options


def options(game, item):
    """The options of a game: all of them, in their order, each with a value that it takes."""
    declared = games.RULES[game].OPTIONS
    pairs = [items(pair, 2) for pair in items(item, len(declared))]
    for (name, takes), (given, value) in zip(declared, pairs):
        need(given == name and takes(value), f"option {name}")
    return pairs


# --- Room


def reference(item):
    """Which room is meant."""
    if item is None:
        return None
    if type(item) is bytes:
        return {"id": octets(item, 16).hex()}
    return {"name": text(item)}


def refusal(word, why):
    """A refusal of a room or a match."""
    return {"reason": text(word), "text": text(why)}


def endpoints(item):
    """Where a peer may be reached."""
    need(len(items(item)) <= ENDPOINTS_MAX, "too many endpoints")
    pairs = [items(pair, 2) for pair in item]
    need(all(type(address) is bytes and len(address) in (4, 16) for address, _ in pairs), "no address")
    return [[address.hex(), number(port, 1, 65535)] for address, port in pairs]


def channel_body(item):
    """What a program says to another, or an acknowledgement of it."""
    kind, first, second, third, last = items(item, 5)
    if number(kind, 0, 2) == 1:
        key = optional(number, second, 0, 2**32 - 1)
        head = {"says": "unreliable", "number": number(first, 0, CHANNEL_MAX), "key": key}
        need(type(last) is bytes and len(last) <= UNRELIABLE_MAX, "no data, or too much")
        return {**head, "milliseconds": number(third, 1, TIME_TO_LIVE_MAX), "data": last.hex()}
    head = {"lane": number(first, 1, 2), "stream": number(second, 0, CHANNEL_MAX)}
    if kind == 2:
        number(third, 0, CHANNEL_MAX)
        return {"says": "acknowledge", **head, "number": third, "life": number(last, 0, CHANNEL_MAX)}
    need(type(last) is bytes and len(last) <= RELIABLE_MAX, "no data, or too much")
    return {"says": "reliable", **head, "number": number(third, 1, CHANNEL_MAX), "data": last.hex()}


def bot_level(item):
    """How well a bot plays."""
    return ("easy", "normal", "hard")[number(item, 0, 2)]


def player(item):
    """Who sits in a seat."""
    peer, name, ready, away, wins, rematch, places, level = items(item, 8)
    need(level is None or not places, "a bot that can be reached")
    return {
        "peer": octets(peer, 32).hex(), "name": text(name, 128), "ready": truth(ready), "away": truth(away),
        "wins": number(wins), "rematch": truth(rematch), "endpoints": endpoints(places),
        "bot": optional(bot_level, level),
    }


def room_code(item):
    """A room's code, which has one way to be written."""
    need(codes.code(text(item)) == item, "a code written in another way")
    return item


def watcher(item):
    """Somebody who looks on."""
    peer, name = items(item, 2)
    need(text(name, 128).strip() == name and name, "a name that is none")
    return {"peer": octets(peer, 32).hex(), "name": name}


WORDS_BYTES = 4 * 1024 * 1024  # of a list of words


def room_state(item):
    """The state of a room."""
    room, name, game, given, seats, phase, locked, hidden, banned, match, epoch, code, host, watching, watchable, words = items(
        item, 16)
    need(text(game) in games.RULES, "an unknown game")
    seats = items(seats)
    need(1 <= len(seats) <= SEATS, "seats")
    need(number(host, 0, len(seats) - 1) == host and seats[host] is not None, "the host's seat")
    need(items(seats[host], 8)[7] is None, "a bot cannot host")
    watchers = [watcher(one) for one in items(watching)]
    need(len(watchers) <= 8, "watchers")
    there = [one["peer"] for one in watchers] + [octets(seat[0], 32).hex() for seat in seats if seat is not None]
    need(len(set(there)) == len(there), "one peer in two places")
    need(len(items(banned)) <= 64, "bans")
    return {
        "id": octets(room, 16).hex(), "name": text(name, 128), "game": game, "options": options(game, given),
        "seats": [optional(player, seat) for seat in seats], "phase": number(phase, 0, 3),
        "locked": truth(locked), "hidden": truth(hidden), "banned": [octets(peer, 32).hex() for peer in banned],
        "match": hexed(optional(octets, match, 16)), "epoch": number(epoch),
        "code": optional(room_code, code), "hostSeat": host, "watchers": watchers, "watchable": truth(watchable),
        "words": optional(word_terms, words),
    }


def word_terms(item):
    """Which list of words a room plays with."""
    digest, count, size = items(item, 3)
    size = number(size, 0, WORDS_BYTES)
    return {"hash": octets(digest, 32).hex(), "count": number(count, 0, size + 1), "bytes": size}


def request(item):
    """What a member wants."""
    kind = number(items(item)[0] if item else None, 0, 11)
    rest = items(item, (2, 1, 1, 2, 3, 2, 1, 2, 3, 3, 2, 2)[kind])[1:]
    wants = (
        "ready", "start", "rematch", "lock", "kick", "say", "leave", "watchers", "kick-watcher", "add-bot",
        "remove-bot", "take-words",
    )[kind]
    if wants == "take-words":
        return {"wants": wants, "hash": octets(rest[0], 32).hex()}
    if kind == 0:
        return {"wants": wants, "ready": truth(rest[0])}
    if kind == 3:
        return {"wants": wants, "locked": truth(rest[0])}
    if kind == 4:
        return {"wants": wants, "seat": number(rest[0]), "ban": truth(rest[1])}
    if kind == 5:
        return {"wants": wants, "text": text(rest[0])}
    if kind == 7:
        return {"wants": wants, "allowed": truth(rest[0])}
    if kind == 8:
        return {"wants": wants, "peer": octets(rest[0], 32).hex(), "ban": truth(rest[1])}
    if kind == 9:
        return {"wants": wants, "seat": optional(number, rest[0]), "level": bot_level(rest[1])}
    if kind == 10:
        return {"wants": wants, "seat": optional(number, rest[0])}
    return {"wants": wants}


def departure(item):
    """Who left a seat, and why."""
    seat, peer, reason = items(item, 3)
    return [number(seat), octets(peer, 32).hex(), text(reason)]


def place(item):
    """The seat that somebody got; none to watch."""
    return optional(lambda seat: number(seat, 0, SEATS - 1), item)


ROOM_MESSAGES = (
    ("enter", 5), ("entered", 3), ("denied", 4), ("state", 4), ("request", 4), ("reply", 4), ("closed", 3),
    ("say", 4), ("match", 4), ("relay", 5), ("relayed", 5), ("channel", 3), ("channel-relay", 4),
    ("channel-relayed", 4), ("elsewhere", 4),
)


CODE_MESSAGES = {16: ("prove", 5), 17: ("share", 4), 18: ("confirm", 3), 19: ("admitted", 4)}


def code_message(name, count, body):
    """A message about a room's code."""
    room, *rest = items(body, count)[1:]
    last = octets(rest[-1], 32 if name in ("prove", "share") else 64).hex()
    if name == "prove":
        room, what, called = reference(room), number(rest[0], 0, 1), text(rest[1])
        return {"message": name, "room": room, "purpose": what, "name": called, "share": last}
    head = {"message": name, "room": octets(room, 16).hex()}
    if name == "share":
        return {**head, "reference": reference(rest[0]), "share": last}
    if name == "admitted":
        head["seat"] = place(rest[0])
    return {**head, "tag": last}


def room_message(data):
    """A message between peers about a room."""
    body = items(cbor(data))
    kind = number(body[0] if body else None)
    if kind == 20:
        room, sender, receiver, answer = items(body, 5)[1:]
        return {
            "message": "hail", "room": octets(room, 16).hex(), "from": octets(sender, 32).hex(),
            "to": octets(receiver, 32).hex(), "answer": truth(answer),
        }
    if kind in (15, 21):
        asked, second, *where = items(body, 3 if kind == 15 else 4)[1:]
        if kind == 15:
            return {"message": "knock", "number": number(asked, 0), "port": number(second, 1, 65535)}
        return {
            "message": "knocked", "number": number(asked, 0), "outcome": number(second, 0, 4),
            "endpoint": endpoints([where[0]])[0],
        }
    if kind in (22, 23):
        room, digest, start, *data = items(body, kind - 18)[1:]
        head = {
            "message": "want-words" if kind == 22 else "words", "room": octets(room, 16).hex(),
            "hash": octets(digest, 32).hex(), "from": number(start, 0, WORDS_BYTES),
        }
        need(not data or len(octets(data[0])) <= 65536, "too much at once")
        return {**head, "data": data[0].hex()} if data else head
    if kind in CODE_MESSAGES:
        return code_message(*CODE_MESSAGES[kind], body)
    need(0 <= kind < len(ROOM_MESSAGES), "an unknown kind")
    name, count = ROOM_MESSAGES[kind]
    room, *rest = items(body, count)[1:]
    head = {"message": name}
    if name == "enter":
        head = {**head, "room": reference(room), "purpose": number(rest[0], 0, 2), "name": text(rest[1])}
        return {**head, "endpoints": endpoints(rest[2])}
    if name == "denied":
        return {**head, "room": reference(room), "refusal": refusal(rest[0], rest[1])}
    head["room"] = octets(room, 16).hex()
    if name == "entered":
        return {**head, "seat": place(rest[0])}
    if name == "state":
        state = room_state(rest[0])
        need(state["id"] == head["room"], "the state of another room")
        return {**head, "state": state, "left": [departure(one) for one in items(rest[1])]}
    if name == "request":
        return {**head, "number": number(rest[0]), "request": request(rest[1])}
    if name == "reply":
        why = optional(lambda pair: refusal(*items(pair, 2)), rest[1])
        return {**head, "number": number(rest[0]), "refusal": why}
    if name == "closed":
        return {**head, "reason": text(rest[0])}
    if name == "say":
        return {**head, "from": octets(rest[0], 32).hex(), "text": text(rest[1])}
    if name == "elsewhere":
        return {**head, "host": octets(rest[0], 32).hex(), "endpoints": endpoints(rest[1])}
    if name.startswith("channel"):
        if name != "channel":
            head["peer"] = octets(rest[0], 32).hex()
        return {**head, "body": channel_body(rest[-1])}
    head["match"] = octets(rest[0], 16).hex()
    if name != "match":
        head["seat"] = number(rest[1], 0, SEATS - 1)
    return {**head, "inner": match_message(rest[-1])}


# --- Match log: messages


MATCH_MESSAGES = (
    ("genesis", 2), ("propose", 2), ("refuse", 4), ("entries", 2), ("stored", 6), ("link", 4), ("want", 2),
    ("ask", 2), ("vote", 3), ("hearing", 5), ("promised", 2), ("clock", 3),
)


def match_message(item):
    """A message from one seat's machine to another's."""
    kind = number(items(item)[0] if item else None, 0, len(MATCH_MESSAGES) - 1)
    name, count = MATCH_MESSAGES[kind]
    rest, head = items(item, count)[1:], {"message": name}
    if name == "genesis":
        return {**head, "genesis": octets(rest[0]).hex()}
    if name == "propose":
        return {**head, "proposal": Proposal(rest[0]).meaning()}
    if name == "refuse":
        return {**head, "counter": number(rest[0]), **refusal(rest[1], rest[2])}
    if name == "entries":
        return {**head, "entries": [Entry(octets(entry)).meaning() for entry in items(rest[0])]}
    if name == "stored":
        state = optional(octets, rest[2])
        return {
            **head, "index": number(rest[0]), "hash": octets(rest[1]).hex(), "stateHash": hexed(state),
            "accepted": number(rest[3], 0), "epoch": number(rest[4], 0, EPOCH_MAX),
        }
    if name == "link":
        return {**head, "draw": number(rest[0]), "seat": number(rest[1]), "link": octets(rest[2]).hex()}
    if name == "want":
        return {**head, "from": number(rest[0], 0)}
    if name == "vote":
        seat, epoch, candidate, *said = items(rest[0], 6)
        cast = vote([seat, *said], number(epoch), number(candidate, 0, SEATS - 1))
        return {**head, "vote": vote_meaning(cast), "accepted": number(rest[1], 0)}
    if name == "hearing":
        lists = [[number(seat, 0, SEATS - 1) for seat in items(rest[place])] for place in (0, 2)]
        need(all(seats == sorted(set(seats)) for seats in lists), "seats out of order")
        return {
            **head, "seats": lists[0], "draw": number(rest[1], 0), "links": lists[1],
            "leaderless": truth(rest[3]),
        }
    if name == "clock":
        zero = number(rest[1], -CLOCK_ZERO_MAX, CLOCK_ZERO_MAX)
        return {**head, "epoch": number(rest[0], 0, EPOCH_MAX), "zero": zero}
    return {**head, "epoch": number(rest[0], 1, EPOCH_MAX)}


def vote(item, epoch, candidate):
    """A vote as an entry has it: who votes, the last epoch and the length of what it has stored."""
    seat, last, length, signature = items(item, 4)
    need(1 <= epoch <= EPOCH_MAX, "an epoch out of range")
    return {
        "seat": number(seat, 0, SEATS - 1), "epoch": epoch, "candidate": candidate,
        "lastEpoch": number(last, 0, epoch - 1), "length": number(length, 0, ENTRIES_MAX),
        "signature": octets(signature, 64),
    }


def vote_meaning(cast):
    """As the golden files write it."""
    return {**cast, "signature": cast["signature"].hex()}


def vote_signed(match, cast):
    """What a vote's signature is over."""
    numbers = [cast[name] for name in ("seat", "epoch", "candidate", "lastEpoch", "length")]
    return b"parlor/vote/1" + cbor_encoded([match, *numbers])


# --- Match log: genesis, proposals, entries


class Genesis:
    """What a match begins with."""

    def __init__(self, data):
        layout, nonce, room, game, rules, given, seats, words = items(cbor(data), 8)
        number(layout, 1, 1)
        need(text(game) in games.RULES, "an unknown game")
        number(rules, 1, 1)
        self.nonce, self.room, self.game = octets(nonce, 16), octets(room, 16), game
        self.options = options(game, given)
        self.seats = [self.seat(seat) for seat in items(seats)]
        least, most = games.RULES[game].SEATS
        need(len(self.seats) == 1 or least <= len(self.seats) <= most, "seats that do not fit the game")
        players = [peer for peer, _, bot in self.seats if not bot]
        need(len(set(players)) == len(players), "one player in two seats")
        need(all(peer in players for peer, _, _ in self.seats), "a bot that nobody drives")
        self.words = optional(octets, words, 32)
        self.hash = blake2b_256(b"parlor/genesis/1" + data)
        self.match = self.hash[:16]

    @staticmethod
    def seat(item):
        """Who sits in a seat: key, name, whether it is a bot."""
        peer, name, bot = items(item, 3)
        return octets(peer, 32), text(name, 128), truth(bot)

    def driver(self, seat):
        """The seat of the peer that plays a seat when the match begins."""
        peer, _, bot = self.seats[seat]
        return next(other for other, one in enumerate(self.seats) if one[0] == peer and not one[2]) if bot else seat

    def meaning(self):
        """As the golden files write it."""
        return {
            "hash": self.hash.hex(), "match": self.match.hex(), "nonce": self.nonce.hex(),
            "room": self.room.hex(), "game": self.game, "rules": 1, "options": self.options,
            "seats": [{"peer": peer.hex(), "name": name, "bot": bot} for peer, name, bot in self.seats],
            "words": hexed(self.words),
        }


KINDS = {
    1: ("chain", 3), 2: ("commit", 2), 3: ("reveal", 2), 4: ("move", 1), 5: ("leave", 0), 6: ("draw", 3),
    7: ("open", 3), 8: ("expire", 0), 9: ("away", 1), 10: ("back", 1), 11: ("left", 2), 12: ("withheld", 2),
    13: ("sequencer", 4), 14: ("driver", 5), 15: ("end", 3), 16: ("fault", 3), 17: ("judge", 1),
}
OUTCOMES = ("won", "lost", "tied", "quit", "timed-out", "first", "second", "third", "fourth")


def _no_map(item):
    need(type(item) is not dict, "a map in a move")
    for element in item if type(item) is list else ():
        _no_map(element)
    return item


def entry_body(kind, item):
    """What a proposal says."""
    need(kind in KINDS, "an unknown kind")
    says, count = KINDS[kind]
    rest, body = items(item, count), {"says": says}
    if says == "chain":
        return {**body, "end": octets(rest[0], 32), "boxKey": octets(rest[1], 32), "vault": octets(rest[2], VAULT)}
    if says == "commit":
        return {**body, "round": number(rest[0], 0, ROUND_MAX), "commitment": octets(rest[1], 32)}
    if says == "reveal":
        return {**body, "round": number(rest[0], 0, ROUND_MAX), "nonce": octets(rest[1], 32)}
    if says == "move":
        return {**body, "move": _no_map(rest[0])}
    if says == "draw":
        seats = [number(seat, 0, SEATS - 1) for seat in items(rest[1])]
        links = [octets(link, 32) for link in items(rest[2])]
        need(len(links) <= len(seats), "too many links")
        return {**body, "draw": number(rest[0]), "seats": seats, "links": links}
    if says == "driver":
        body = {**body, "seat": number(rest[0], 0, SEATS - 1), "peer": octets(rest[1], 32)}
        return {**body, "end": octets(rest[2], 32), "boxKey": octets(rest[3], 32), "vault": octets(rest[4], VAULT)}
    if says == "open":
        links = [items(pair, 2) for pair in items(rest[1])]
        links = [[number(seat, 0, SEATS - 1), octets(link, 32)] for seat, link in links]
        return {**body, "draw": number(rest[0]), "links": links, "revealAt": number(rest[2])}
    if says == "judge":
        calls = [[number(part) for part in items(call, 3)] for call in items(rest[0])]
        need(len(calls) <= SEATS, "too many calls")
        return {**body, "calls": calls}
    if says in ("away", "back"):
        return {**body, "seat": number(rest[0], 0, SEATS - 1)}
    if says == "left":
        return {**body, "seat": number(rest[0], 0, SEATS - 1), "reason": number(rest[1], 0, 2)}
    if says == "withheld":
        return {**body, "draw": number(rest[0]), "seat": number(rest[1], 0, SEATS - 1)}
    if says == "sequencer":
        seat, epoch = number(rest[0], 0, SEATS - 1), number(rest[1], 1, EPOCH_MAX)
        cast = items(rest[3])
        need(len(cast) <= SEATS, "too many votes")
        votes = [vote(one, epoch, seat) for one in cast]
        return {**body, "seat": seat, "epoch": epoch, "clock": number(rest[2]), "votes": votes}
    if says == "fault":
        shown = [octets(one) for one in items(rest[2])]
        need(len(shown) <= EVIDENCE and all(len(one) <= EVIDENCE_MAX for one in shown), "too much evidence")
        kind = number(rest[1], 0, FAULT_KINDS - 1)
        return {**body, "seat": number(rest[0], 0, SEATS - 1), "kind": kind, "evidence": shown}
    if says == "end":
        for outcome in items(rest[0]):
            need(type(outcome) is str and outcome in OUTCOMES, "an unknown outcome")
        return {**body, "outcomes": rest[0], "alone": truth(rest[1]), "stateHash": octets(rest[2], 32)}
    return body


class Proposal:
    """What an author wants in the log."""

    def __init__(self, item):
        match, author, counter, index, seen, kind, body, signature = items(item, 8)
        self.match, self.author = octets(match, 16), number(author, SEQUENCER, SEATS - 1)
        self.counter, self.seen_index = number(counter, 0, COUNTER_MAX), number(index, -1)
        self.seen_hash, self.body = octets(seen, 32), entry_body(number(kind), body)
        self.signature = octets(signature, 64)
        self.signed = b"parlor/proposal/1" + cbor_encoded(item[:7])

    def is_signed_by(self, peer):
        """Whether the signature is the peer's."""
        return decode.ed25519_verify(peer, self.signed, self.signature)

    def meaning(self):
        """As the golden files write it."""
        body = dict(self.body)
        for name, value in body.items():
            if type(value) is bytes:
                body[name] = value.hex()
        if "links" in body:
            pairs = body["says"] == "open"
            body["links"] = [[one[0], one[1].hex()] if pairs else one.hex() for one in body["links"]]
        if "votes" in body:
            body["votes"] = [vote_meaning(cast) for cast in body["votes"]]
        if "evidence" in body:
            body["evidence"] = [shown.hex() for shown in body["evidence"]]
        if "move" in body:
            body["move"] = decode.tagged(body["move"])
        return {
            "match": self.match.hex(), "author": self.author, "counter": self.counter,
            "seenIndex": self.seen_index, "seenHash": self.seen_hash.hex(), "body": body,
            "signature": self.signature.hex(),
        }


class Entry:
    """A proposal with its place in the log."""

    def __init__(self, data):
        need(len(data) <= ENTRY_MAX, "an entry that is too large")
        item = items(cbor(data), 5)
        self.index, self.previous = number(item[0], 0), octets(item[1], 32)
        self.time, self.proposal = number(item[2], 0, TIME_MAX), Proposal(item[3])
        self.signature = octets(item[4], 64)
        self.signed = b"parlor/entry/1" + cbor_encoded(item[:4])
        self.hash = blake2b_256(self.signed)

    def is_signed_by(self, peer):
        """Whether the signature is the peer's."""
        return decode.ed25519_verify(peer, self.signed, self.signature)

    def meaning(self):
        """As the golden files write it."""
        return {
            "index": self.index, "previous": self.previous.hex(), "time": self.time,
            "proposal": self.proposal.meaning(), "signature": self.signature.hex(), "hash": self.hash.hex(),
        }


# --- Draw


def draw_commitment(match, draw_round, seat, nonce):
    """What a seat commits to."""
    return blake2b_256(b"parlor/draw/1" + match + bytes([draw_round, seat]) + nonce)


def draw_number(match, draw_round, seat, nonces):
    """A seat's number."""
    head = b"parlor/draw-number/1" + match + bytes([draw_round, seat])
    return uniform(1000, lambda attempt: head + bytes([attempt]) + b"".join(nonces))[0]


class Draw:
    """Who goes first."""

    def __init__(self, seats):
        self.round, self.since, self.first, self.seats, self.rounds = 0, 0, None, seats, []
        self.commitments, self.nonces = [b""] * SEATS, [b""] * SEATS
        if len(seats) == 1:
            self.first = seats[0]

    def is_revealing(self):
        """Whether all have committed."""
        return self.first is None and all(self.commitments[seat] for seat in self.seats)

    def owing(self):
        """Whom the draw waits for."""
        if self.first is not None:
            return []
        given = self.nonces if self.is_revealing() else self.commitments
        return [seat for seat in self.seats if not given[seat]]

    def commit(self, body, seat, time):
        """A seat commits."""
        need(self.first is None and body["round"] == self.round, "no such round")
        need(seat in self.seats and not self.commitments[seat], "nothing to commit to")
        self.commitments[seat] = body["commitment"]
        if self.is_revealing():
            self.since = time

    def reveal(self, body, seat, match, time):
        """A seat reveals; whether it told the truth."""
        need(self.is_revealing() and body["round"] == self.round, "no such round")
        need(seat in self.seats and not self.nonces[seat], "nothing to reveal")
        if draw_commitment(match, self.round, seat, body["nonce"]) != self.commitments[seat]:
            return False
        self.nonces[seat] = body["nonce"]
        if not self.owing():
            self.decide(match, time)
        return True

    def decide(self, match, time):
        """All nonces are here."""
        nonces = [self.nonces[seat] for seat in self.seats]
        numbers = [[seat, draw_number(match, self.round, seat, nonces)] for seat in self.seats]
        self.rounds.append(numbers)
        highest = max(value for _, value in numbers)
        tied = [seat for seat, value in numbers if value == highest]
        if len(tied) == 1 or self.round == ROUND_MAX:
            self.first = tied[0]
        else:
            self.begin(tied, time)

    def begin(self, seats, time):
        """Another round."""
        self.round, self.since, self.seats = self.round + 1, time, seats
        self.commitments, self.nonces = [b""] * SEATS, [b""] * SEATS

    def restart(self, seats, time):
        """The draw begins again among those who are left."""
        self.rounds = []
        self.begin(seats, time)
        if len(seats) == 1 or self.round > ROUND_MAX:
            self.first = seats[0]

    def encode(self, out):
        """For the state's hash."""
        out.write(self.round, self.since, -1 if self.first is None else self.first, len(self.seats), *self.seats)
        for commitment, nonce in zip(self.commitments, self.nonces):
            out.write(commitment, nonce)
        for numbers in self.rounds:
            for seat, value in numbers:
                out.write(seat, value)


# --- Chance


def uniform(among, message):
    """A uniform choice, and the attempt that made it."""
    complete = 2**64 // among * among
    for attempt in range(256):
        value = int.from_bytes(blake2b_256(message(attempt))[:8], "big")
        if value < complete or attempt == 255:
            return value % among, attempt
    raise AssertionError


def chain(link, times):
    """A link, hashed on so many times."""
    for _ in range(times):
        link = blake2b_256(b"parlor/chain/1" + link)
    return link


def choose(among, match, draw, links):
    """The joint choice of a draw, and the attempt that made it."""
    head = b"parlor/chance/1" + match + draw.to_bytes(4, "big")
    return uniform(among, lambda attempt: head + bytes([attempt]) + b"".join(links))


def link_holds(link, draw, end):
    """Whether a link is the one for a draw of the chain with this end."""
    return 1 <= draw <= CHAIN and len(end) == 32 and chain(link, draw) == end


# --- Match log: the vault


class Vault:
    """Everything a seat hides in a match, out of one secret."""

    def __init__(self, secret):
        self.secret = secret
        self.box_seed = self.derive(b"parlor/seat-box/1")
        self.first = self.derive(b"parlor/seat-chain/1")

    def derive(self, label, context=b""):
        """What belongs to a label."""
        return keyed(label + context, self.secret)

    def nonce(self, draw_round):
        """The nonce of a round of the draw."""
        return self.derive(b"parlor/seat-draw/1", bytes([draw_round]))

    def bot(self, seat, epoch):
        """The secret of a bot that the peer of this seat plays since an epoch."""
        return self.derive(b"parlor/seat-bot/1", bytes([seat]) + epoch.to_bytes(4, "big"))

    def game(self, label):
        """What a game derives."""
        return self.derive(b"parlor/seat-game/1", label)

    def box_nonce(self, seat, plain):
        """The nonce for sealing a plaintext for a seat."""
        return self.derive(b"parlor/seat-nonce/1", bytes([seat]) + plain)[:24]


def vault_key(identity, match):
    """The key that seals a vault."""
    return keyed(b"parlor/vault/1" + match, identity)
