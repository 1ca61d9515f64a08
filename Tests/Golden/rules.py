"""What all games have, written from PROTOCOL.md alone: its chapter Games."""

from decode import need

NEVER = 2**63 - 1


def int_option(least, most, or_zero=False):
    return lambda value: type(value) is int and (least <= value <= most or or_zero and value == 0)


def bool_option(value):
    return type(value) is bool


def word_option(*words):
    return lambda value: type(value) is str and value in words


COMMON = (("grace_s", int_option(10, 120)), ("turn_s", int_option(0, 300)), ("watchers", bool_option))


def places(standings):
    """How each seat ended, of tuples that compare; None is a seat that has left."""
    ranked = [standing for standing in standings if standing is not None]
    tied = len(ranked) > 1 and len(set(ranked)) == 1
    found = []
    for standing in standings:
        better = sum(other > standing for other in ranked) if standing is not None else 0
        if standing is None:
            found.append("quit")
        elif tied:
            found.append("tied")
        elif len(standings) <= 2:
            found.append("lost" if better else "won")
        else:
            found.append(("first", "second", "third", "fourth")[better])
    return found


class Game:
    """What all games have: who plays, who is away."""

    def __init__(self, match, players):
        self.match, self.count = match, len(match.seats)
        self.staying, self.gone = set(players), set()
        self.waiting = []  # calls

    def check(self, seat):
        """Refuses a seat that has left."""
        need(seat in self.staying, "not in this match")

    def taken_over(self, seat, end, time):
        """A bot is played by another peer from here on; most games know nothing of it."""

    def judge(self, bounds, time):
        """Most games have no calls."""
        need(False, "nobody has called")

    def encode_seats(self, out):
        """For the state's hash."""
        out.write(self.count, *(sum(1 << seat for seat in seats) for seats in (self.staying, self.gone)))

    def clockwise(self, seat, start=1):
        """The seats from one on, once round."""
        return [(seat + step) % self.count for step in range(start, self.count + start)]
