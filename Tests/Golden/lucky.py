"""The rules of Lucky as a fold, written from PROTOCOL.md alone. A move that is not allowed raises decode.Refused."""

import itertools

import match as log
import rules
from decode import need

KILLERS = {"easy": 1, "normal": 2, "hard": 3}


class Lucky(rules.Game):
    """The rules of Lucky."""

    SEATS = (1, 1)
    OPTIONS = rules.COMMON + (("level", rules.word_option(*KILLERS)),)

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.count_killers, self.safe, self.killers = KILLERS[match.options["level"]], [], ()
        self.is_over = False

    def move(self, seat, move, time):
        """A button."""
        need(self.outcomes() is None, "over")
        need(type(move) is list and len(move) == 3 and type(move[0]) is int and move[0] == 0, "no move")
        need(type(move[1]) is int and type(move[2]) is bytes, "no move")
        self.check(seat)
        need(1 <= move[1] <= 4, "no button")
        draw = len(self.safe) + 1
        need(log.link_holds(move[2], draw, self.match.seats[0].end), "the link")
        sets = list(itertools.combinations((1, 2, 3, 4), self.count_killers))
        choice, _ = log.choose(len(sets), self.match.genesis.match, draw, [move[2]])
        self.killers = sets[choice]
        if move[1] in self.killers:
            self.is_over = True
            return
        self.safe.append(move[1])
        self.is_over = len(self.safe) == log.CHAIN

    def need(self):
        """A press brings its chance along."""
        return None

    def deadline(self):
        """Never."""
        return None

    def open(self, draw, choice, links, reveal_at, time):
        """Nothing is drawn."""
        need(False, "nothing to open")

    def away(self, seat, time):
        """The seat is away."""
        self.gone.add(seat)

    def back(self, seat, time):
        """The seat is here again."""
        self.gone.discard(seat)

    def leave(self, seat, time):
        """The seat leaves."""
        self.staying.discard(seat)
        self.gone.discard(seat)

    def outcomes(self):
        """How the seat ended."""
        if not self.staying:
            return ["quit"]
        return ["won" if len(self.safe) == log.CHAIN else "lost"] if self.is_over else None

    def encode(self, out):
        """For the state's hash."""
        self.encode_seats(out)
        out.write(self.count_killers, bytes(self.safe), bytes(self.killers), self.is_over)
