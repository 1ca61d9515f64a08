"""The rules of the games as folds, written from PROTOCOL.md alone: its chapter Games.

A game is made of the match that it belongs to, the seats that play, the seat that goes first and the time. A move
that is not allowed raises decode.Refused.
"""

import unicodedata

import match as log
from decode import Refused, blake2b_256, need

NEVER = 2**63 - 1


def _int(least, most, or_zero=False):
    return lambda value: type(value) is int and (least <= value <= most or or_zero and value == 0)


def _bool(value):
    return type(value) is bool


def _word(*words):
    return lambda value: type(value) is str and value in words


COMMON = (("grace_s", _int(10, 120)), ("turn_s", _int(0, 300)), ("watchers", _bool))


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

    def check(self, seat):
        """Refuses a seat that has left."""
        need(seat in self.staying, "not in this match")

    def encode_seats(self, out):
        """For the state's hash."""
        out.write(self.count, *(sum(1 << seat for seat in seats) for seats in (self.staying, self.gone)))

    def clockwise(self, seat, start=1):
        """The seats from one on, once round."""
        return [(seat + step) % self.count for step in range(start, self.count + start)]


# --- Snap

UNKNOWN = 255


class Snap(Game):
    """The rules of Snap."""

    SEATS = (2, 4)
    OPTIONS = COMMON + (("auto_flip_ms", _int(500, 10000, True)), ("max_flips", _int(10, 10000)))
    PAUSE = 500

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.holders, self.unseen, self.flips = set(players), list(range(52)), 0
        self.closed = [[] for _ in range(self.count)]  # top first
        self.open_piles = [[] for _ in range(self.count)]  # top first
        self.reveal_at = self.turn_since = time
        self.flipper = self.cursor = first
        self.is_flipping = self.is_taken = self.is_over = False
        self.newest, self.called, self.exits = -1, set(), 0
        self.out_at = [NEVER] * self.count
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
        if self.is_taken:
            return  # late
        self.called.add(seat)
        pair = self.pair() if move[0] == 1 else None
        if pair:
            for other in self.clockwise(seat, 0):
                if other in pair:
                    self.closed[seat] += reversed(self.open_piles[other])
                    self.open_piles[other] = []
            self.is_taken = True
        else:
            self.pay(seat)
        self.settle(time)

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
        if self.is_over or self.is_flipping or self.flipper is None or self.patience is None:
            return None
        return self.turn_since + self.patience

    def expire(self, time):
        """Time is up."""
        self.is_flipping = True

    def open(self, draw, choice, links, reveal_at, time):
        """The card is turned."""
        seat = self.flipper
        self.recycle(seat)
        card = self.closed[seat].pop(0)
        if card == UNKNOWN:
            card = self.unseen.pop(choice or 0)
        self.open_piles[seat].insert(0, card)
        self.newest, self.reveal_at = seat, reveal_at
        self.flips += 1
        self.is_flipping = self.is_taken = False
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
        return places([
            (len(self.closed[seat]) + len(self.open_piles[seat]), self.out_at[seat]) if seat in self.staying else None
            for seat in range(self.count)
        ])

    def encode(self, out):
        """For the state's hash."""
        self.encode_seats(out)
        for seat in range(self.count):
            out.write(bytes(self.closed[seat]), bytes(self.open_piles[seat]), self.out_at[seat])
        out.write(sum(1 << seat for seat in self.holders), sum(1 << card for card in self.unseen))
        out.write(self.flips, self.reveal_at, -1 if self.flipper is None else self.flipper, self.cursor)
        out.write(self.turn_since, sum(1 << seat for seat in self.called), self.exits, self.newest)
        out.write(self.is_flipping, self.is_taken, self.is_over)


# --- Hangman: words


def _is_mark(scalar):
    return unicodedata.category(scalar).startswith("M")


def graphemes(text):
    """The graphemes of a text of letters, marks and the shown characters."""
    found = []
    for scalar in text:
        if _is_mark(scalar) and found:
            found[-1] += scalar
        else:
            found.append(scalar)
    return found


def folded(text):
    """A text without differences of case and without marks."""
    out = ""
    for scalar in unicodedata.normalize("NFD", text):
        if _is_mark(scalar):
            continue
        capital = scalar.upper()
        base = capital if len(capital) == 1 else scalar
        out += "".join(low for low in unicodedata.normalize("NFD", base.lower()) if not _is_mark(low))
    return unicodedata.normalize("NFC", out)


def keys(letter):
    """What a letter answers to."""
    return {"ß", "s"} if folded(letter) == "ß" else {folded(letter)}


def _is_letter(grapheme):
    categories = [unicodedata.category(scalar) for scalar in grapheme]
    return categories[0][0] == "L" and all(category[0] in "LM" for category in categories)


SHOWN = (" ", "-", "'", "\u2019")


def _plain(text):
    return text.replace("\u2019", "'")


class Word:
    """A word that can be guessed; refuses others."""

    def __init__(self, text):
        need(text == unicodedata.normalize("NFC", text).strip(" ") and len(text.encode()) <= 191, "no word")
        self.text, self.graphemes = text, graphemes(text)
        self.is_letter = [_is_letter(grapheme) for grapheme in self.graphemes]
        need(len(self.graphemes) <= 64 and 2 <= sum(self.is_letter) <= 32, "no word")
        for grapheme, is_letter in zip(self.graphemes, self.is_letter):
            need(is_letter or grapheme in SHOWN, "no word")

    def is_solved_by(self, typed):
        """Whether a text is this word but for case, marks and the kind of apostrophe."""
        other = graphemes(_plain(unicodedata.normalize("NFC", typed.strip(" "))))
        return len(other) == len(self.graphemes) and all(
            folded(theirs) in keys(mine) if is_letter else _plain(mine) == theirs
            for mine, theirs, is_letter in zip(self.graphemes, other, self.is_letter)
        )

    def is_in(self, words):
        """Whether a list has it."""
        low = unicodedata.normalize("NFC", _plain(self.text).lower())
        return low in words or folded(_plain(self.text)) in words


def letter_count(text):
    """How many letters a text has that is a word; 0 otherwise."""
    try:
        return sum(Word(text).is_letter)
    except Refused:
        return 0


# --- Hangman: commitments and plaintexts


def letter_commitment(match, number, position, salt, letter):
    """Of a letter, or of the whole word at 255."""
    return blake2b_256(b"parlor/hangman/1" + match + bytes([number, position]) + salt + letter.encode())


def guess_commitment(match, number, guesser, count, kind, salt, text):
    """Of a guess."""
    head = b"parlor/hangman-guess/1" + match + bytes([number, guesser, count, kind])
    return blake2b_256(head + salt + text.encode())


def answer_commitment(match, number, guesser, count, salt, positions):
    """Of an answer."""
    head = b"parlor/hangman-answer/1" + match + bytes([number, guesser, count])
    return blake2b_256(head + (salt or bytes(16)) + bytes(positions))


class Plain:
    """A plaintext, read front to back."""

    def __init__(self, data):
        self.data = data

    def take(self, count):
        """So many bytes."""
        need(len(self.data) >= count, "a plaintext that ends too soon")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def byte(self):
        """A number."""
        return self.take(1)[0]

    def text(self):
        """A text with its length before it."""
        try:
            return self.take(self.byte()).decode()
        except UnicodeDecodeError as error:
            raise Refused("not UTF-8") from error

    def end(self, block):
        """Nothing but zeros follows."""
        need(not any(self.data), "something after the plaintext")
        need(len(self.data) < block, "too many zeros")


def plain_word(data):
    """The word that a setter seals for itself."""
    need(len(data) == 192, "a wrong length")
    plain = Plain(data)
    word = plain.text()
    plain.end(192)
    return {"word": word}


def plain_guess(data):
    """A guess for the setter."""
    need(len(data) % 128 == 0, "a wrong length")
    plain = Plain(data)
    guess = {"kind": plain.byte(), "salt": plain.take(16).hex(), "text": plain.text()}
    plain.end(128)
    return guess


def plain_answer(data):
    """An answer for the guesser."""
    need(len(data) % 128 == 0, "a wrong length")
    plain = Plain(data)
    answer = {"kind": plain.byte(), "text": plain.text(), "openings": []}
    for _ in range(plain.byte()):
        answer["openings"].append([plain.byte(), plain.take(16).hex(), plain.text()])
    plain.end(128)
    return answer


# --- Hangman: the game


class Board:
    """One guesser's board."""

    def __init__(self, seat, time):
        self.seat, self.since, self.guesses = seat, time, []  # [commitment, sealed, answer or None]
        self.found = self.bad = self.streak = self.score = 0

    def pending(self):
        """The number of the guess that waits for its answer."""
        return len(self.guesses) if self.guesses and self.guesses[-1][2] is None else None

    def miss(self):
        """A bad guess."""
        self.bad += 1
        self.streak = 0


class Hangman(Game):
    """The rules of Hangman."""

    SEATS = (1, 4)
    OPTIONS = COMMON + (
        ("mode", _word("race")), ("rounds", _int(1, 5)), ("any_word", _bool), ("words", _word("builtin", "system")),
    )
    PHASES = ("choosing", "drawing", "drawn", "guessing", "opening", "over")

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.alone, self.options = self.count == 1, match.options
        self.id, self.setter, self.number, self.scores = match.genesis.match, first, 0, [0] * self.count
        once = [seat for seat in self.clockwise(first, 0) if seat in self.staying]
        self.setters = once * self.options["rounds"]
        self.next_setter = self.solved = 0
        self.played = self.opening = None
        self.candidates = [
            word for word in match.words if (4 <= letter_count(word) <= 8 if self.alone else letter_count(word))
        ]
        self.begin(time)

    def begin(self, time):
        """The next round."""
        self.since = self.word_since = time
        while self.next_setter < len(self.setters) and self.setters[self.next_setter] not in self.staying:
            self.next_setter += 1
        if self.next_setter == len(self.setters) or not self.alone and len(self.staying) < 2:
            self.phase = "over"
            return
        self.setter = self.setters[self.next_setter]
        self.next_setter += 1
        self.number += 1
        self.phase = "choosing"
        if self.alone:
            self.begin_draw(time)

    def begin_draw(self, time):
        """A word has to be drawn."""
        if self.candidates:
            self.phase, self.since = "drawing", time
        else:
            self.begin(time)

    def need(self):
        """The draw of a word."""
        return (len(self.candidates), self.setter, self.since) if self.phase == "drawing" else None

    def open(self, draw, choice, links, reveal_at, time):
        """The others' links are here."""
        need(draw >= 1, "a word is drawn by chance")
        self.phase, self.opening, self.since = "drawn", (draw, links), max(self.since, time)

    def state(self, board):
        """guessing, solved or hanged."""
        if board.found >= self.played["length"]:
            return "solved"
        return "hanged" if board.bad >= 6 else "guessing"

    def move(self, seat, move, time):
        """A word, a guess, an answer or an opening."""
        need(self.phase != "over", "over")
        self.check(seat)
        log.items(move)
        need(len(move) >= 2, "no move of Hangman")
        kind, number = log.number(move[0], 0, 3), log.number(move[1])
        rest = log.items(move, (6, 5, 9, 7)[kind])[2:]
        need(number == self.number, "another round")
        (self.set_word, self.guess, self.answer, self.finish)[kind](seat, rest, time)

    def set_word(self, seat, move, time):
        """The setter's word."""
        positions, whole, sealed, draw = move
        need(len(log.items(positions)) <= 64, "too many positions")
        commitments = []
        for position in positions:
            is_shown = type(position) is str and position in SHOWN
            commitments.append(b"" if is_shown else log.octets(position, 32))
        length = sum(map(bool, commitments))
        need(2 <= length <= 32, "a wrong length")
        log.octets(whole, 32)
        need(len(log.octets(sealed)) <= 2048, "too much")
        need(seat == self.setter, "not the setter")
        if self.phase == "drawn":
            need(draw == self.opening[0], "a word was drawn")
        else:
            need(self.phase == "choosing" and not self.alone and draw is None, "no word is to be set")
        guessers = [seat] if self.alone else [other for other in sorted(self.staying) if other != seat]
        self.played = {
            "number": self.number, "setter": seat, "positions": positions, "commitments": commitments,
            "length": length, "whole": whole, "sealed": sealed,
            "draw": self.opening if self.phase == "drawn" else None,
            "boards": [Board(other, time) for other in guessers], "reveal": None, "honest": True,
        }
        self.phase, self.since = "guessing", time

    def board(self, seat):
        """A seat's board."""
        found = [board for board in self.played["boards"] if board.seat == seat]
        need(found, "no board")
        return found[0]

    def guess(self, seat, move, time):
        """A guess."""
        count, commitment, sealed = move
        need(self.phase == "guessing", "nothing to guess")
        board = self.board(seat)
        need(self.state(board) == "guessing" and board.pending() is None, "no guess now")
        need(log.number(count) == len(board.guesses) + 1, "a wrong number")
        need(len(log.octets(sealed)) <= 2048, "too much")
        board.guesses.append([log.octets(commitment, 32), sealed, None])
        board.since = time

    def answer(self, seat, move, time):
        """The setter's answer."""
        guesser, count, found, bad, rights, commitment, sealed = move
        need(self.phase == "guessing" and seat == self.setter, "nothing to answer")
        board = self.board(log.number(guesser))
        need(board.pending() == log.number(count), "no such guess")
        length = self.played["length"]
        log.number(found, 0, length), log.number(rights, 0, length), log.truth(bad)
        need(bad == (rights == 0) and found - board.found >= rights, "an answer that contradicts itself")
        need(not bad or found == board.found, "an answer that contradicts itself")
        log.octets(commitment, 32)
        need(len(log.octets(sealed)) <= 2048, "too much")
        board.guesses[-1][2] = (found, bad, rights, commitment, sealed)
        board.since, board.found = time, found
        if bad:
            board.miss()
        for _ in range(rights):
            board.streak += 1
            board.score += 10 * board.streak
            self.scores[board.seat] += 10 * board.streak
        self.close(time)

    def close(self, time):
        """All who are here are done, and one is."""
        if self.phase != "guessing":
            return
        boards = [board for board in self.played["boards"] if board.seat in self.staying]
        undone = [board for board in boards if self.state(board) == "guessing"]
        if len(undone) < len(boards) and all(board.seat in self.gone for board in undone):
            self.phase, self.since = "opening", max(self.since, time)

    def finish(self, seat, move, time):
        """The setter opens its word."""
        word, salt, salts, guesses, link = move
        log.text(word, 191), log.octets(salt, 16)
        need(len(log.octets(salts)) <= 16 * 32 and len(log.items(guesses)) <= 3 * 38, "too much")
        for guess in guesses:
            if guess is not None:
                kind, one_salt, text = log.items(guess, 3)
                log.number(kind, 0, 1), log.octets(one_salt, 16), log.text(text, 255)
        if link is not None:
            log.octets(link, 32)
        need(self.phase == "opening" and seat == self.setter, "nothing to open")
        try:
            self.check_opening(Word(word), salt, salts, guesses, link)
        except Refused:
            return self.fail(word, time)
        boards = [board for board in self.played["boards"] if board.seat in self.staying]
        if self.played["draw"] is None:
            self.scores[seat] += 10 * sum(self.state(board) == "hanged" for board in boards)
        self.solved += self.alone and all(self.state(board) == "solved" for board in boards)
        self.played["reveal"] = word
        self.begin(time)

    def check_opening(self, word, salt, salts, guesses, link):
        """Refuses an opening that is not honest."""
        played, number = self.played, self.played["number"]
        need(len(word.graphemes) == len(played["positions"]), "another length")
        need(len(salts) == 16 * sum(word.is_letter), "salts")
        need(letter_commitment(self.id, number, 255, salt, word.text) == played["whole"], "the whole word")
        for place, position in enumerate(played["positions"]):
            need(word.is_letter[place] == bool(played["commitments"][place]), "a letter, or not")
            if word.is_letter[place]:
                one, salts = salts[:16], salts[16:]
                need(letter_commitment(self.id, number, place, one, word.graphemes[place]) == position, "a letter")
            else:
                need(word.graphemes[place] == position, "a shown character")
        self.check_allowed(word, link)
        rest = list(guesses)
        for board in played["boards"]:
            self.check_answers(word, board, rest)
        need(not rest, "guesses that nobody made")

    def check_allowed(self, word, link):
        """Refuses a word that was not allowed."""
        played = self.played
        if played["draw"] is None:
            need(self.options["any_word"] or word.is_in(self.match.words), "a word outside the list")
            return
        draw, links = played["draw"]
        need(link is not None and log.link_holds(link, draw, self.match.seats[self.setter].end), "the setter's link")
        links = sorted(links + [[self.setter, link]], key=lambda pair: pair[0])
        choice, _ = log.choose(len(self.candidates), self.id, draw, [one for _, one in links])
        need(self.candidates[choice] == word.text, "another word was drawn")

    def check_answers(self, word, board, rest):
        """Refuses an answer that was not true; takes the board's guesses off the list."""
        shown = [not is_letter for is_letter in word.is_letter]
        for count, (commitment, _, answer) in enumerate(board.guesses, 1):
            if answer is None:
                continue
            need(rest, "a guess is missing")
            guess = rest.pop(0)
            hits, rights = [], 0
            if guess is not None:
                kind, salt, text = guess
                mine = guess_commitment(self.id, self.played["number"], board.seat, count, kind, salt, text)
                need(mine == commitment, "another guess")
                hidden = [place for place, is_shown in enumerate(shown) if not is_shown]
                if kind == 0 and len(graphemes(text)) == 1:
                    hits = [place for place in hidden if folded(text) in keys(word.graphemes[place])]
                    rights = int(bool(hits))
                elif kind == 1 and word.is_solved_by(text):
                    hits = hidden
                    rights = len({folded(word.graphemes[place]) for place in hits})
            for place in hits:
                shown[place] = True
            found = sum(one and is_letter for one, is_letter in zip(shown, word.is_letter))
            salt = guess[1] if guess else None
            mine = answer_commitment(self.id, self.played["number"], board.seat, count, salt, hits)
            need(answer[:4] == (found, not hits, rights, mine), "an answer that was not true")

    def fail(self, word, time):
        """The setter loses the round."""
        self.console(lambda board: self.state(board) != "solved")
        self.played["reveal"], self.played["honest"] = word, False
        self.begin(time)

    def console(self, is_meant):
        """Points for a setter that vanished."""
        for board in self.played["boards"]:
            if board.seat in self.staying and is_meant(board):
                board.score += 50
                self.scores[board.seat] += 50

    def due(self, board):
        """When a board's time is up."""
        if self.state(board) != "guessing" or board.seat not in self.staying:
            return None
        if board.pending() is not None:
            return None if self.setter in self.gone else max(board.since, self.since) + 10000
        if not self.options["turn_s"] or board.seat in self.gone:
            return None
        return board.since + self.options["turn_s"] * 1000

    def deadline(self):
        """When time is up."""
        is_away = self.setter in self.gone
        if self.phase == "choosing":
            return self.since + 30000 if is_away else self.word_since + 90000
        if self.phase == "drawing":
            return self.since + 30000 if is_away and not self.alone else None
        if self.phase == "drawn":
            if is_away:
                return None if self.alone else self.since + 30000
            return self.since + 10000
        if self.phase == "guessing":
            times = [self.due(board) for board in self.played["boards"]]
            return min((time for time in times if time is not None), default=None)
        return self.since + 10000 if self.phase == "opening" and not is_away else None

    def expire(self, time):
        """Time is up."""
        if self.phase == "choosing" and self.setter not in self.gone:
            self.begin_draw(time)
        elif self.phase in ("choosing", "drawing", "drawn"):
            self.begin(time)
        elif self.phase == "opening":
            self.fail(None, time)
        else:
            due = [(board, self.due(board)) for board in self.played["boards"]]
            late = [board for board, end in due if end is not None and end <= time]
            if any(board.pending() is not None for board in late):
                self.fail(None, time)
                return
            for board in late:
                board.miss()
                board.since = time
            self.close(time)

    def away(self, seat, time):
        """A seat is away."""
        self.gone.add(seat)
        if seat == self.setter:
            self.since = max(self.since, time)
        self.close(time)

    def back(self, seat, time):
        """A seat is here again."""
        self.gone.discard(seat)
        if seat == self.setter:
            self.since = max(self.since, time)
        for board in self.played["boards"] if self.played else ():
            if board.seat == seat and board.pending() is None:
                board.since = time

    def leave(self, seat, time):
        """A seat has left."""
        self.staying.discard(seat)
        self.gone.discard(seat)
        if self.phase in ("choosing", "drawing", "drawn"):
            if seat == self.setter or len(self.staying) < 2:
                self.begin(time)
        elif seat == self.setter:
            if self.phase == "guessing":
                self.console(lambda board: self.state(board) == "guessing")
            self.begin(time)
        elif len(self.staying) < 2:
            self.begin(time)
        else:
            self.close(time)

    def outcomes(self):
        """How each seat ended."""
        if self.phase != "over":
            return None
        if self.alone:
            return ["quit"] if 0 not in self.staying else ["won" if self.solved == len(self.setters) else "lost"]
        return places([
            (self.scores[seat], NEVER) if seat in self.staying else None for seat in range(self.count)
        ])

    def encode(self, out):
        """For the state's hash."""
        self.encode_seats(out)
        out.write(self.PHASES.index(self.phase))
        if self.phase == "drawn":
            out.write(self.opening[0], *(link for _, link in self.opening[1]))
        out.write(self.since, self.word_since, self.number, self.setter, self.next_setter, self.solved, *self.scores)
        if not self.played:
            return
        played = self.played
        out.write(played["number"], played["setter"], *played["commitments"], played["whole"], played["sealed"])
        out.write(played["draw"][0] if played["draw"] else -1)
        for board in played["boards"]:
            out.write(board.seat, board.found, board.bad, board.streak, board.score, board.since, len(board.guesses))
            for commitment, sealed, answer in board.guesses:
                out.write(commitment, sealed, answer[3] if answer else b"", answer[4] if answer else b"")
        out.write(played["reveal"] or "", played["honest"])


RULES = {"snap": Snap, "hangman": Hangman}
