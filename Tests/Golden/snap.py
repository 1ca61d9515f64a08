"""The rules of Snap as a fold, written from PROTOCOL.md alone. A move that is not allowed raises decode.Refused."""

import rules
from decode import need

UNKNOWN = 255


class Snap(rules.Game):
    """The rules of Snap."""

    SEATS = (2, 4)
    OPTIONS = rules.COMMON + (("auto_flip_ms", rules.int_option(500, 10000, True)), ("max_flips", rules.int_option(10, 10000)))
    PAUSE = 500
    GUESS = 100  # ms after the reveal
    BELIEVED = 200  # ms before the arrival

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.holders, self.unseen, self.flips = set(players), list(range(52)), 0
        self.closed = [[] for _ in range(self.count)]  # top first
        self.open_piles = [[] for _ in range(self.count)]  # top first
        self.reveal_at = self.turn_since = time
        self.flipper = self.cursor = first
        self.is_flipping = self.is_decided = self.is_over = False
        self.newest, self.called, self.exits = -1, set(), 0
        self.pool, self.pooled_at, self.turned_at = [], 0, [0] * self.count
        self.out_at = [rules.NEVER] * self.count
        limits = [match.options["turn_s"] * 1000, match.options["auto_flip_ms"]]
        self.patience = min((limit for limit in limits if limit), default=None)
        seat = first
        for _ in range(52):
            self.closed[seat].append(UNKNOWN)
            seat = self.holder_after(seat)
        self.settle(time)

    def holder_after(self, seat):
        """The next seat with cards."""
        return next((other for other in self.clockwise(seat) if other in self.holders), seat)

    def move(self, seat, move, time):
        """A flip or a call."""
        need(not self.is_over, "over")
        need(type(move) is list and move and all(type(part) is int for part in move), "no move of Snap")
        need((move[0], len(move)) in ((0, 1), (1, 3), (2, 3)), "no move of Snap")
        self.check(seat)
        need(seat in self.holders, "no cards")
        if move[0] == 0:
            need(self.flipper == seat and not self.is_flipping, "not to flip")
            need(not self.waiting, "calls wait")
            self.is_flipping = True
            return
        _, pressed, flip = move
        need(0 <= flip <= self.flips and pressed >= 0, "a call for no flip")
        pressed = min(pressed, time)
        if self.flips and pressed < self.reveal_at:
            return  # nobody could see it yet
        if flip < self.flips:
            return  # late
        need(seat not in self.called, "a second call")
        if self.is_decided:
            return  # late
        self.called.add(seat)
        self.waiting.append((seat, move[0] == 2, pressed, time))

    def judge(self, bounds, time):
        """The calls of one moment are judged."""
        need(self.waiting and len(bounds) == len(self.waiting) and not self.is_over, "other calls wait")
        presses = []
        for (seat, for_pool, at, logged), (arrival, delay, error) in zip(self.waiting, bounds):
            need(0 <= arrival <= logged and delay >= 0 and error >= 0, "bounds that cannot be")
            need(delay + error <= self.BELIEVED, "bounds that are too wide")
            presses.append((seat, for_pool, max(0, arrival - delay - error, min(at, arrival)), error))
        self.decide(presses)
        self.settle(time)

    def decide(self, presses):
        """Who was first, and what follows; a press is seat, for the pool, time, error."""
        guesses = [self.flips > 0 and press[2] < self.reveal_at + self.GUESS for press in presses]
        order = sorted(zip(guesses, presses), key=lambda one: (one[0], one[1][2], one[1][0]))
        self.waiting = []
        while order:
            guess, press = order.pop(0)
            seat, for_pool, at, error = press
            seen = self.flips == 0 or at >= self.reveal_at
            if not seen or self.is_decided:
                self.called.discard(seat)
            elif self.is_right(for_pool):
                first = [press]
                for other_guess, other in list(order):
                    near = abs(other[2] - at) < max(1, error, other[3])
                    if guess == other_guess and near and self.is_right(other[1]):
                        first.append(other)
                        order.remove((other_guess, other))
                self.give([one[0] for one in first if one[1]], [one[0] for one in first if not one[1]])
                self.is_decided = True
            else:
                self.pay(seat)

    def is_right(self, for_pool):
        """Whether a call is right now."""
        if not for_pool:
            return self.pair() is not None
        tops = [
            pile[0] for pile, turned in zip(self.open_piles, self.turned_at) if pile and turned > self.pooled_at
        ]
        return bool(self.pool) and any(top // 4 == self.pool[0] // 4 for top in tops)

    def give(self, for_pool, for_pair):
        """The pool, then the pair, to those who were first with a call of it."""
        if len(for_pool) == 1:
            self.closed[for_pool[0]] += reversed(self.pool)
            self.pool = []
        if not for_pair:
            return
        pair = self.pair()
        if len(for_pair) == 1:
            for other in self.clockwise(for_pair[0], 0):
                if other in pair:
                    self.closed[for_pair[0]] += reversed(self.open_piles[other])
                    self.open_piles[other] = []
            return
        top = self.newest if self.newest in pair else min(pair)
        under = next(seat for seat in pair if seat != top)
        self.pool = self.open_piles[top] + self.open_piles[under] + self.pool
        self.open_piles[top], self.open_piles[under] = [], []
        self.pooled_at = self.flips

    def pair(self):
        """The pair that a call takes."""
        tops = [pile[0] // 4 if pile else None for pile in self.open_piles]
        pairs = [
            (low, high)
            for low in range(self.count)
            for high in range(low + 1, self.count)
            if tops[low] is not None and tops[low] == tops[high]
        ]
        return min(pairs, key=lambda pair: (self.newest not in pair, pair), default=None)

    def pay(self, seat):
        """A wrong call."""
        for other in self.clockwise(seat)[:-1]:
            if other in self.holders:
                self.recycle(seat)
                if not self.closed[seat]:
                    break
                self.closed[other].append(self.closed[seat].pop(0))

    def recycle(self, seat):
        """The open pile becomes the closed one where that is empty."""
        if not self.closed[seat]:
            self.closed[seat] = self.open_piles[seat][:0:-1]
            self.open_piles[seat] = self.open_piles[seat][:1]

    def can_flip(self, seat):
        """Whether a seat has a card to flip."""
        return seat in self.holders and bool(self.closed[seat] or len(self.open_piles[seat]) >= 2)

    def need(self):
        """The card that waits to be turned."""
        if self.is_over or not self.is_flipping or self.flipper is None:
            return None
        # A closed pile that is empty is filled from cards that everybody has seen.
        is_known = not self.closed[self.flipper] or self.closed[self.flipper][0] != UNKNOWN
        among = None if is_known or len(self.unseen) <= 1 else len(self.unseen)
        return among, None, self.reveal_at + (self.PAUSE if self.flips else 0)

    def deadline(self):
        """When the card flips by itself."""
        if self.waiting or self.is_over or self.is_flipping or self.flipper is None or self.patience is None:
            return None
        return self.turn_since + self.patience

    def expire(self, time):
        """Time is up."""
        self.is_flipping = True

    def open(self, draw, choice, links, reveal_at, time):
        """The card is turned."""
        need(not self.waiting, "calls wait")
        seat = self.flipper
        self.recycle(seat)
        card = self.closed[seat].pop(0)
        if card == UNKNOWN:
            card = self.unseen.pop(choice or 0)
        self.open_piles[seat].insert(0, card)
        self.newest, self.reveal_at = seat, reveal_at
        self.flips += 1
        self.turned_at[seat] = self.flips
        self.is_flipping = self.is_decided = False
        self.called = set()
        self.flipper, self.cursor = None, (seat + 1) % self.count
        self.is_over = self.flips >= self.match.options["max_flips"]
        self.settle(time)

    def away(self, seat, time):
        """A seat is away."""
        self.gone.add(seat)
        self.settle(time)

    def back(self, seat, time):
        """A seat is here again."""
        self.gone.discard(seat)
        self.settle(time)

    def leave(self, seat, time):
        """A seat's cards go to the others."""
        self.staying.discard(seat)
        self.gone.discard(seat)
        self.holders.discard(seat)
        if self.waiting:  # by the times of their entries
            self.decide([(other, for_pool, at, 0) for other, for_pool, _, at in self.waiting if other != seat])
        if self.newest == seat:
            self.newest = -1
        cards = self.closed[seat] + self.open_piles[seat]
        if self.holders:
            self.closed[seat], self.open_piles[seat] = [], []
            other = seat
            for card in cards:
                other = self.holder_after(other)
                self.closed[other].append(card)
        self.settle(time)

    def settle(self, time):
        """Who is out, whether it is over, who is to flip."""
        out = [seat for seat in self.holders if not self.closed[seat] and not self.open_piles[seat]]
        for seat in out:
            self.holders.discard(seat)
            self.out_at[seat] = self.exits
        self.exits += bool(out)
        if len(self.holders) <= 1:
            self.is_over = True
        if self.flipper is not None and self.can_flip(self.flipper):
            if self.is_flipping or self.flipper not in self.gone:
                return
        if self.flipper is not None:
            self.cursor = (self.flipper + 1) % self.count
        self.flipper, self.is_flipping = None, False
        self.turn_since = max(time, self.reveal_at)
        able = [seat for seat in self.clockwise(self.cursor, 0) if self.can_flip(seat)]
        self.flipper = next((seat for seat in able if seat not in self.gone), None)
        if not able:
            self.is_over = True

    def outcomes(self):
        """How each seat ended."""
        if not self.is_over:
            return None
        return rules.places([
            (len(self.closed[seat]) + len(self.open_piles[seat]), self.out_at[seat]) if seat in self.staying else None
            for seat in range(self.count)
        ])

    def encode(self, out):
        """For the state's hash."""
        self.encode_seats(out)
        for seat in range(self.count):
            out.write(bytes(self.closed[seat]), bytes(self.open_piles[seat]), self.out_at[seat])
            out.write(self.turned_at[seat])
        out.write(bytes(self.pool))
        out.write(sum(1 << seat for seat in self.holders), sum(1 << card for card in self.unseen))
        out.write(self.flips, self.reveal_at, -1 if self.flipper is None else self.flipper, self.cursor)
        out.write(self.turn_since, sum(1 << seat for seat in self.called), self.exits)
        out.write(self.pooled_at, self.newest, self.is_flipping, self.is_decided, self.is_over)
        out.write(len(self.waiting), *(int(part) for call in self.waiting for part in call))
