"""The rules of Story as a fold, written from PROTOCOL.md alone. A move that is not allowed raises decode.Refused.

Python has no graphemes: that a turn has at most 250 of them is checked by the program, and here only that it has at
most as many bytes as fit.
"""

import rules
from decode import need

BEGINNING, ENOUGH, MOST = "Once upon a time", 3800, 4096


def is_control(character):
    """Whether a character is one that a story does not have."""
    number = ord(character)
    return number <= 0x1F or 0x7F <= number <= 0x9F or 0x2028 <= number <= 0x202E or 0x2066 <= number <= 0x2069


class Story(rules.Game):
    """The rules of Story."""

    SEATS = (2, 4)
    OPTIONS = rules.COMMON

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.text, self.parts, self.writer, self.since = BEGINNING.encode(), [], first, time
        self.passes, self.is_over = 0, len(players) < 2

    def move(self, seat, move, time):
        """A turn."""
        need(not self.is_over, "over")
        need(type(move) is list and len(move) == 2 and type(move[0]) is int and move[0] == 0, "no move")
        need(type(move[1]) is str, "no move")
        self.check(seat)
        need(seat == self.writer, "not to write")
        text = move[1].encode()
        need(text and len(self.text) + 1 + len(text) <= MOST, "too long")
        need(not any(is_control(character) for character in move[1]), "control characters")
        start = len(self.text) + 1
        self.text += b" " + text
        self.parts.append((seat, start, len(self.text)))
        self.passes = 0
        if len(self.text) > ENOUGH:
            self.is_over = True
        else:
            self.pass_on(time)

    def pass_on(self, time):
        """The next that has not left."""
        self.since = time
        self.writer = next((seat for seat in self.clockwise(self.writer) if seat in self.staying), self.writer)

    def need(self):
        """No chance."""
        return None

    def deadline(self):
        """When the time of the seat to write is up."""
        limit = self.match.options["turn_s"]
        return None if self.is_over or not limit or self.writer in self.gone else self.since + limit * 1000

    def expire(self, time):
        """Time is up."""
        self.passes += 1
        if self.passes >= 2 * len(self.staying):
            self.is_over = True
        else:
            self.pass_on(time)

    def open(self, draw, choice, links, reveal_at, time):
        """Nothing is drawn."""
        need(False, "nothing to open")

    def away(self, seat, time):
        """A seat is away."""
        self.gone.add(seat)

    def back(self, seat, time):
        """A seat is here again."""
        self.gone.discard(seat)
        if seat == self.writer:
            self.since = time

    def leave(self, seat, time):
        """A seat leaves."""
        self.staying.discard(seat)
        self.gone.discard(seat)
        if len(self.staying) < 2:
            self.is_over = True
        elif seat == self.writer:
            self.pass_on(time)

    def outcomes(self):
        """How each seat ended."""
        if not self.is_over:
            return None
        return ["tied" if seat in self.staying else "quit" for seat in range(self.count)]

    def encode(self, out):
        """For the state's hash."""
        self.encode_seats(out)
        out.write(self.text, len(self.parts), *(number for part in self.parts for number in part))
        out.write(self.writer, self.since, self.passes, self.is_over)
