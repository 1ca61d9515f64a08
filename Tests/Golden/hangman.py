"""The rules of Hangman as a fold, its commitments and plaintexts, written from PROTOCOL.md alone.

A move that is not allowed raises decode.Refused.
"""

import unicodedata

import match as log
import rules
from decode import Refused, blake2b_256, need

# --- words


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


# --- commitments and plaintexts


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


# --- the game


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


class Hangman(rules.Game):
    """The rules of Hangman."""

    SEATS = (1, 4)
    OPTIONS = rules.COMMON + (
        ("mode", rules.word_option("race")), ("rounds", rules.int_option(1, 5)), ("any_word", rules.bool_option), ("words", rules.word_option("builtin")),
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

    def taken_over(self, seat, end, time):
        """The new driver of a bot does not know the word that it has set."""
        if seat != self.setter:
            return
        if self.phase == "drawn":
            self.begin_draw(time)
        elif self.phase in ("guessing", "opening"):
            self.pass_on(seat, time)

    def leave(self, seat, time):
        """A seat has left."""
        self.staying.discard(seat)
        self.gone.discard(seat)
        self.pass_on(seat, time)

    def pass_on(self, seat, time):
        """Goes on without a seat, or without the word that it has set."""
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
        return rules.places([
            (self.scores[seat], rules.NEVER) if seat in self.staying else None for seat in range(self.count)
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
