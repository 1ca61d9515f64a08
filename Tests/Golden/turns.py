"""Matches by turns, written from PROTOCOL.md alone."""

import decode
from decode import need

SEATS = {"tictactoe": (2, 2), "story": (2, 4)}
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def octets(item, count):
    """A byte string of that length."""
    need(type(item) is bytes and len(item) == count, "no bytes of that length")
    return item


def number(item, least, most=(1 << 63) - 1):
    """A whole number in a range."""
    need(type(item) is int and least <= item <= most, "no number of that range")
    return item


def name(item):
    """What a player is called."""
    need(type(item) is str and len(item.encode()) <= 128, "no name")
    return item


def signed(items, label, key, what):
    """Refuses unless the last item is the key's signature of the others."""
    need(
        decode.ed25519_verify(key, label + decode.cbor_encoded(items[:-1]), octets(items[-1], 64)),
        f"{what}: not signed by its author")


def genesis(data):
    """What a match begins with."""
    need(len(data) <= 2048, "too long")
    items = decode.cbor(data)
    need(type(items) is list and len(items) == 9 and items[0] == 1, "no genesis of version 1")
    _, nonce, game, rules, seats, seconds, after, time, _ = items
    octets(nonce, 16)
    need(game in SEATS and rules == 1 and type(seats) is list, "no game by turns")
    need(SEATS[game][0] <= len(seats) <= SEATS[game][1], "too many seats, or too few")
    shown = []
    for seat in seats:
        need(type(seat) is list and len(seat) == 2, "no seat")
        if seat[0] is None:
            need(seat[1] == "", "an open seat with a name")
        shown.append([seat[0] and octets(seat[0], 32).hex(), name(seat[1])])
    peers = [seat[0] for seat in shown if seat[0]]
    need(shown[0][0] and len(set(peers)) == len(peers), "no creator, or a player twice")
    signed(items, b"parlor/turn-genesis/1", seats[0][0], "genesis")
    hashed = decode.blake2b_256(b"parlor/turn-genesis-hash/1" + data)
    return {
        "match": hashed[:16].hex(), "hash": hashed.hex(), "game": game, "seats": shown,
        "seconds": number(seconds, 0, 2592000), "after": after and octets(after, 16).hex(), "time": number(time, 0),
    }


def item(data, taken=False):
    """What an item says; a grant says what the request in it asks for."""
    need(len(data) <= 5120, "too long")
    items = decode.cbor(data)
    need(type(items) is list and len(items) == 6, "no item")
    match, author, kind, body, time, _ = items
    octets(match, 16), octets(author, 32), number(time, 0)
    need(type(body) is list and (kind == 5 or not taken), "no item")
    shown = {"match": match.hex(), "author": author.hex(), "time": time}
    words = ("move", "accept", "decline", "quit", "skip", "take", "grant", "remind")
    counts = (3, 1, 0, 1, 2, 2, 1, 1)
    need(kind in range(8) and len(body) == counts[kind], "no kind of item")
    shown["says"] = words[kind]
    if kind in (0, 4, 7):
        shown["parent"] = octets(body[0], 32).hex()
    if kind in (0, 4):
        shown["seat"] = number(body[1], 0, 3)
    if kind == 0:
        shown["move"] = body[2]
    if kind == 1:
        shown["name"] = name(body[0])
    if kind == 3:
        shown["after"] = number(body[0], 0)
    if kind == 5:
        shown["seat"], shown["name"] = number(body[0], 0, 3), name(body[1])
    if kind == 6:
        need(type(body[0]) is bytes, "no grant")
        take = item(body[0], taken=True)
        need(take["match"] == shown["match"], "a request for a seat of another match")
        shown["take"] = {key: take[key] for key in ("author", "seat", "name")}
    signed(items, b"parlor/turn/1", author, "item")
    return {**shown, "hash": decode.blake2b_256(b"parlor/turn-item/1" + data).hex()}


def message(data):
    """A message about matches by turns."""
    items = decode.cbor(data)
    need(type(items) is list and items and items[0] in (24, 25, 26), "no message about turns")
    if items[0] == 24:
        need(len(items) == 3 and items[1] == 1 and type(items[2]) is list and len(items[2]) <= 256, "no heads")
        return {"message": "turn-heads", "heads": [head(one) for one in items[2]]}
    need(len(items) == 4, "too many items, or too few")
    match = octets(items[1], 16).hex()
    if items[0] == 25:
        need(type(items[2]) is list and len(items[2]) <= 512 and type(items[3]) is bool, "no want")
        return {
            "message": "turn-want", "match": match, "has": [octets(one, 32).hex() for one in items[2]],
            "answer": items[3],
        }
    need(items[2] is None or type(items[2]) is bytes and len(items[2]) <= 2048, "no genesis")
    need(type(items[3]) is list and len(items[3]) <= 512, "no items")
    need(all(type(one) is bytes and len(one) <= 5120 for one in items[3]), "no items")
    return {
        "message": "turn-items", "match": match, "genesis": items[2] and items[2].hex(),
        "items": [one.hex() for one in items[3]],
    }


def head(body):
    """A match that a peer has."""
    need(type(body) is list and len(body) == 3 and type(body[2]) is list and 1 <= len(body[2]) <= 4, "no head")
    return {
        "match": octets(body[0], 16).hex(), "digest": octets(body[1], 16).hex(),
        "seats": [seat and octets(seat, 32).hex() for seat in body[2]],
    }


# --- How a match stands


class TicTacToe:
    """A board; seat 0 is X."""

    def __init__(self, seats):
        self.cells, self.turn, self.out, self.over, self.late = [None] * 9, 0, set(), False, None

    def play(self, move):
        """Whether the move is one, and is allowed."""
        if not (type(move) is list and len(move) == 2 and move[0] == 0 and type(move[1]) is int):
            return False
        if not 1 <= move[1] <= 9 or self.cells[move[1] - 1] is not None:
            return False
        self.cells[move[1] - 1] = self.turn
        self.turn = 1 - self.turn
        self.over = self.winner() is not None or None not in self.cells
        return True

    def winner(self):
        """Who has a line."""
        for one, two, three in LINES:
            if self.cells[one] is not None and self.cells[one] == self.cells[two] == self.cells[three]:
                return self.cells[one]
        return None

    def skip(self):
        """The seat to move ran out of time."""
        self.late, self.over = self.turn, True

    def leave(self, seat):
        """A seat has left."""
        self.out.add(seat)
        self.over = True

    def outcomes(self):
        """How each seat ended."""
        if self.late is not None:
            return ["timed-out" if seat == self.late else "won" for seat in (0, 1)]
        if self.out:
            return ["quit" if seat in self.out else "won" for seat in (0, 1)]
        won = self.winner()
        return ["tied" if won is None else "won" if seat == won else "lost" for seat in (0, 1)]


class Story:
    """A text that the seats write."""

    def __init__(self, seats):
        self.text, self.seats, self.turn, self.out = "Once upon a time", seats, 0, set()
        self.over, self.passes = False, 0

    def play(self, move):
        """Whether the move is one, and is allowed; graphemes are not counted here."""
        if not (type(move) is list and len(move) == 2 and move[0] == 0 and type(move[1]) is str and move[1]):
            return False
        if len((self.text + " " + move[1]).encode()) > 4096:
            return False
        self.text += " " + move[1]
        self.passes = 0
        if len(self.text.encode()) > 3800:
            self.over = True
        else:
            self.pass_on()
        return True

    def pass_on(self):
        """The next seat that has not left."""
        order = [(self.turn + step) % self.seats for step in range(1, self.seats + 1)]
        self.turn = next((seat for seat in order if seat not in self.out), self.turn)

    def skip(self):
        """The seat to move ran out of time."""
        self.passes += 1
        if self.passes >= 2 * (self.seats - len(self.out)):
            self.over = True
        else:
            self.pass_on()

    def leave(self, seat):
        """A seat has left."""
        self.out.add(seat)
        if self.seats - len(self.out) < 2:
            self.over = True
        elif seat == self.turn:
            self.pass_on()

    def outcomes(self):
        """How each seat ended."""
        return ["quit" if seat in self.out else "tied" for seat in range(self.seats)]


def whole(begun, encoded):
    """What stands of a match: chain, turn, statuses, outcomes, and seats that signed two moves for one turn."""
    first = genesis(begun)
    seats = len(first["seats"])
    all_items = sorted((item(one) for one in encoded), key=lambda one: one["hash"])
    creator = first["seats"][0][0]
    peers = [seat[0] for seat in first["seats"]]
    status = ["invited" if peer else "unknown" for peer in peers]
    status[0] = "active"
    for one in all_items:
        if one["says"] == "grant" and one["author"] == creator:
            seat = one["take"]["seat"]
            if seat < seats and peers[seat] is None:
                peers[seat], status[seat] = one["take"]["author"], "active"
    after, gone = {}, set()
    for one in all_items:
        for seat in (seat for seat in range(seats) if peers[seat] == one["author"]):
            if one["says"] == "accept" or one["says"] == "move" and one["seat"] == seat:
                status[seat] = "active"
            if one["says"] == "quit":
                gone.add(seat)
                after[seat] = min(after.get(seat, one["after"]), one["after"])
    for one in all_items:
        for seat in (seat for seat in range(seats) if peers[seat] == one["author"] and seat not in gone):
            if one["says"] == "decline":
                status[seat], after[seat] = "declined", 0
    for seat in gone:
        status[seat] = "done"
    if 0 in after:
        after.update({seat: 0 for seat in range(seats) if peers[seat] is None})
    game = {"tictactoe": TicTacToe, "story": Story}[first["game"]](seats)
    parent, chain, played, cheats = first["hash"], [], [0] * seats, []

    def passed(seat):
        return decode.blake2b_256(b"parlor/turn-pass/1" + bytes.fromhex(parent) + bytes([seat])).hex()

    while not game.over:
        seat = game.turn
        voters = {peers[other] for other in range(seats) if other != seat and status[other] == "active"}
        votes = {
            one["author"] for one in all_items
            if one["says"] == "skip" and one["parent"] == parent and one["seat"] == seat}
        if seat in after and after[seat] <= played[seat]:
            game.leave(seat)
            parent = passed(seat)
            chain.append([seat, "left"])
        elif first["seconds"] and voters and voters <= votes:
            game.skip()
            parent = passed(seat)
            chain.append([seat, "skipped"])
        else:
            tries = [
                one for one in all_items if one["says"] == "move" and one["author"] == peers[seat]
                and one["parent"] == parent and one["seat"] == seat]
            legal = [one for one in tries if allowed(game, one["move"])]
            if not legal:
                break
            game.play(legal[0]["move"])
            played[seat] += 1
            parent = legal[0]["hash"]
            chain.append([seat, "moved"])
            if len(legal) > 1:
                cheats.append(seat)
                gone.add(seat)
                after[seat] = min(after.get(seat, played[seat]), played[seat])
                status[seat] = "done"
    if not game.over and seats - len(after) < 2:
        for seat in sorted(after):
            if seat not in game.out:
                game.leave(seat)
    ended = game.outcomes() if game.over else None
    outcomes = [
        "quit" if seat in gone else ended[seat] if ended else None for seat in range(seats)]
    if ended:
        status = ["declined" if one == "declined" else "done" for one in status]
    return {
        "head": parent, "chain": chain, "turn": None if game.over else game.turn, "status": status,
        "outcomes": outcomes, "cheats": cheats, "digest": digest(first, all_items),
    }


def allowed(game, move):
    """Whether a move could be played."""
    before = dict(vars(game))
    if isinstance(game, TicTacToe):
        game.cells = list(game.cells)
    fine = game.play(move)
    vars(game).update(before)
    return fine


def digest(first, ordered):
    """What tells two copies of a match apart."""
    hashes = b"".join(bytes.fromhex(one["hash"]) for one in ordered)
    return decode.blake2b_256(b"parlor/turn-set/1" + bytes.fromhex(first["match"]) + hashes)[:16].hex()
