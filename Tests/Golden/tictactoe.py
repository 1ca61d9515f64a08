"""The rules of Tic Tac Toe as a fold, written from PROTOCOL.md alone. A move that is not allowed raises decode.Refused."""

import rules
from decode import need

LINES = ((1, 2, 3), (4, 5, 6), (7, 8, 9), (1, 4, 7), (2, 5, 8), (3, 6, 9), (1, 5, 9), (3, 5, 7))


class TicTacToe(rules.Game):
    """The rules of Tic Tac Toe."""

    SEATS = (2, 2)
    OPTIONS = rules.COMMON

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.cells, self.first, self.mover, self.since = [0] * 9, first, first, time
        self.expired, self.is_over = -1, len(players) < 2

    def move(self, seat, move, time):
        """A mark on a square."""
        need(not self.is_over, "over")
        need(type(move) is list and len(move) == 2 and all(type(part) is int for part in move), "no move")
        need(move[0] == 0 and 1 <= move[1] <= 9, "no move")
        self.check(seat)
        need(seat == self.mover, "not to move")
        need(not self.cells[move[1] - 1], "taken")
        self.cells[move[1] - 1] = 1 if seat == self.first else 2
        self.mover, self.since = 1 - seat, time
        self.is_over = self.winner() != 0 or all(self.cells)

    def winner(self):
        """Whose mark fills a line; 0 for nobody's."""
        for line in LINES:
            marks = {self.cells[cell - 1] for cell in line}
            if len(marks) == 1 and marks != {0}:
                return marks.pop()
        return 0

    def need(self):
        """No chance."""
        return None

    def deadline(self):
        """When the time of the seat to move is up."""
        limit = self.match.options["turn_s"]
        return None if self.is_over or not limit or self.mover in self.gone else self.since + limit * 1000

    def expire(self, time):
        """Time is up."""
        self.expired, self.is_over = self.mover, True

    def open(self, draw, choice, links, reveal_at, time):
        """Nothing is drawn."""
        need(False, "nothing to open")

    def away(self, seat, time):
        """A seat is away."""
        self.gone.add(seat)

    def back(self, seat, time):
        """A seat is here again."""
        self.gone.discard(seat)
        if seat == self.mover:
            self.since = time

    def leave(self, seat, time):
        """A seat leaves."""
        self.staying.discard(seat)
        self.gone.discard(seat)
        self.is_over = True

    def outcomes(self):
        """How each seat ended."""
        if not self.is_over:
            return None
        winner, short = self.winner(), self.expired >= 0 or len(self.staying) < self.count
        found = []
        for seat in range(self.count):
            mark = 1 if seat == self.first else 2
            if seat not in self.staying:
                found.append("quit")
            elif short:
                found.append("timed-out" if seat == self.expired else "won")
            else:
                found.append("tied" if not winner else "won" if winner == mark else "lost")
        return found

    def encode(self, out):
        """For the state's hash."""
        self.encode_seats(out)
        out.write(bytes(self.cells), self.first, self.mover, self.since, self.expired, self.is_over)
