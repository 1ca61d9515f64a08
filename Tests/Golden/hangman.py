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
    """One guesser's board, or that of all, of seat -1."""

    def __init__(self, seat, time):
        # Of one: [commitment, sealed, after a lapse, answer or None]
        # Of all: [seat, kind, text, after a lapse, points, openings or None]
        self.seat, self.since, self.guesses = seat, time, []
        self.found = self.bad = self.streak = self.score = self.passes = 0
        self.lapsed, self.turn = False, -1

    def pending(self):
        """The number of the guess that waits for its answer."""
        return len(self.guesses) if self.guesses and self.guesses[-1][-1] is None else None

    def append(self, guess, time):
        """A guess."""
        self.guesses.append(guess)
        self.lapsed, self.passes, self.since = False, 0, time

    def lapse(self):
        """Time that ran out and is a bad guess."""
        self.bad, self.streak, self.lapsed = self.bad + 1, 0, True

    def take(self, rights):
        """So many right letters, or a bad guess; their points."""
        points = 0
        if not rights:
            self.bad, self.streak = self.bad + 1, 0
        for _ in range(rights):
            self.streak += 1
            points += 10 * self.streak
        self.score += points
        return points

    def letters(self):
        """What is open on the board of all, by position."""
        return {place: letter for guess in self.guesses for place, _, letter in guess[-1] or ()}


class Hangman(rules.Game):
    """The rules of Hangman."""

    SEATS = (1, 4)
    OPTIONS = rules.COMMON + (
        ("mode", rules.word_option("race", "together")), ("rounds", rules.int_option(1, 5)), ("any_word", rules.bool_option), ("words", rules.word_option("builtin", "system")),
    )
    PHASES = ("choosing", "drawing", "drawn", "guessing", "opening", "over")

    def __init__(self, match, players, first, time):
        super().__init__(match, players)
        self.alone, self.options = self.count == 1, match.options
        self.together = self.options["mode"] == "together"
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
        kind, number = log.number(move[0], 0, 5), log.number(move[1])
        rest = log.items(move, (6, 5, 9, 7, 5, 4)[kind])[2:]
        need(number == self.number, "another round")
        (self.set_word, self.guess, self.answer, self.finish, self.call, self.hit)[kind](seat, rest, time)

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
        self.setter = seat
        self.played = {
            "number": self.number, "setter": seat, "positions": positions, "commitments": commitments,
            "length": length, "whole": whole, "sealed": sealed,
            "draw": self.opening if self.phase == "drawn" else None,
            "boards": [Board(other, time) for other in ([-1] if self.together else self.guessers())],
            "reveal": None, "honest": True,
        }
        self.phase, self.since = "guessing", time
        if self.together:
            self.played["boards"][0].turn = self.guesser_after(seat)

    def guessers(self):
        """Who guesses."""
        return [0] if self.alone else [seat for seat in sorted(self.staying) if seat != self.setter]

    def guesser_after(self, seat):
        """The next guesser that is here, clockwise; -1 for none."""
        here = [other for other in self.clockwise(seat) if other in self.guessers() and other not in self.gone]
        return here[0] if here else -1

    def is_played(self, board):
        """Whether a board has somebody to guess on it."""
        return board.seat in self.staying or board.seat == -1

    def board(self, seat):
        """A seat's board."""
        found = [board for board in self.played["boards"] if board.seat == seat]
        need(found, "no board")
        return found[0]

    def guess(self, seat, move, time):
        """A guess."""
        count, commitment, sealed = move
        need(self.phase == "guessing" and not self.together, "nothing to guess")
        board = self.board(seat)
        need(self.state(board) == "guessing" and board.pending() is None, "no guess now")
        need(log.number(count) == len(board.guesses) + 1, "a wrong number")
        need(len(log.octets(sealed)) <= 2048, "too much")
        board.append([log.octets(commitment, 32), sealed, board.lapsed, None], time)

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
        board.guesses[-1][-1] = (found, bad, rights, commitment, sealed)
        board.since, board.found = time, found
        self.scores[board.seat] += board.take(rights)
        self.close(time)

    def call(self, seat, move, time):
        """A guess on the board of all."""
        count, kind, text = move
        log.number(kind, 0, 1), log.text(text, 191)
        need(text and text == unicodedata.normalize("NFC", text).strip(" "), "no guess")
        need(kind == 1 or len(graphemes(text)) == 1 and _is_letter(text), "no letter")
        need(self.phase == "guessing" and self.together, "nothing to guess")
        board = self.played["boards"][0]
        need(self.state(board) == "guessing" and board.pending() is None and board.turn == seat, "no guess now")
        need(log.number(count) == len(board.guesses) + 1, "a wrong number")
        tried = {(guess[1], folded(_plain(guess[2]))) for guess in board.guesses}
        need((kind, folded(_plain(text))) not in tried, "a repeat")
        need(kind == 1 or folded(text) not in map(folded, board.letters().values()), "a letter that shows")
        board.append([seat, kind, text, board.lapsed, 0, None], time)

    def hit(self, seat, move, time):
        """The setter's answer on the board of all."""
        count, openings = move
        need(self.phase == "guessing" and self.together and seat == self.setter, "nothing to answer")
        board = self.played["boards"][0]
        need(board.pending() == log.number(count), "no such guess")
        guess = board.guesses[-1]
        rights = self.rights(log.items(openings), guess[1], guess[2], board)
        guess[4], guess[5] = board.take(rights), openings
        self.scores[guess[0]] += guess[4]
        board.found, board.since = board.found + len(openings), time
        board.turn = self.guesser_after(guess[0])
        self.close(time)

    def rights(self, openings, kind, text, board):
        """How many different letters the openings show."""
        letters, last, shown = board.letters(), -1, set()
        for opening in openings:
            place, salt, letter = log.items(opening, 3)
            log.number(place, last + 1, len(self.played["positions"]) - 1), log.octets(salt, 16)
            need(place not in letters and len(graphemes(log.text(letter, 191))) == 1, "open already")
            mine = letter_commitment(self.id, self.played["number"], place, salt, letter)
            need(_is_letter(letter) and mine == self.played["positions"][place], "not what was committed to")
            need(kind == 1 or folded(text) in keys(letter), "not what was guessed")
            letters[place], last = letter, place
            shown.add(folded(letter))
        if kind == 1 and openings:
            need(len(letters) == self.played["length"], "not the whole word")
            positions = enumerate(self.played["positions"])
            word = Word("".join(letters.get(place, position) for place, position in positions))
            need(word.is_solved_by(text), "another word")
        return len(shown) if kind == 1 else min(1, len(shown))

    def close(self, time):
        """All who are here are done, and one is."""
        if self.phase != "guessing":
            return
        boards = [board for board in self.played["boards"] if self.is_played(board)]
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
            real, unread = self.check_opening(Word(word), salt, salts, guesses)
            worth, honest = self.replay(real, guesses)
        except Refused:
            return self.fail(word, time)
        try:
            self.check_allowed(real, link)
            need(honest, "an answer that was not true")
        except Refused:
            return self.fail(word, time, worth)
        boards = [board for board in self.played["boards"] if self.is_played(board)]
        if self.played["draw"] is None:
            hanged = [board.seat for board in boards if self.state(board) == "hanged"]
            for other in self.guessers() if hanged == [-1] else hanged:
                self.scores[seat] += 10 * (other not in unread)
        self.solved += self.alone and all(self.state(board) == "solved" for board in boards)
        self.played["reveal"] = word
        self.begin(time)

    def check_opening(self, word, salt, salts, guesses):
        """Refuses an opening that is not of what was committed to; the word, and whose guesses could not be read."""
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
        answered = self.answered()
        need(len(guesses) == len(answered), "other guesses")
        for guess, (board, count, logged) in zip(guesses, answered):
            if guess is not None:
                kind, one, text = guess
                need(guess_commitment(self.id, number, board.seat, count, kind, one, text) == logged[0], "another guess")
        return word, {board.seat for guess, (board, _, _) in zip(guesses, answered) if guess is None}

    def answered(self):
        """Every answered guess on a board of one's own, in order, with its board and number."""
        return [
            (board, count, guess)
            for board in self.played["boards"] if board.seat >= 0
            for count, guess in enumerate(board.guesses, 1) if guess[-1] is not None
        ]

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

    def replay(self, word, guesses):
        """What each seat's guesses are worth by the true word, and whether every answer was true."""
        worth, honest, rest = [0] * self.count, True, list(guesses)
        for board in self.played["boards"]:
            shown, truth = [not is_letter for is_letter in word.is_letter], Board(0, 0)
            for count, logged in enumerate(board.guesses, 1):
                if logged[-1] is None:
                    continue
                if board.seat < 0:
                    guess, seat, lapsed = (logged[1], None, logged[2]), logged[0], logged[3]
                else:
                    guess, seat, lapsed = rest.pop(0), board.seat, logged[2]
                hits, rights = self.hits(word, guess, shown)
                for place in hits:
                    shown[place] = True
                if board.seat < 0:
                    honest = honest and [place for place, _, _ in logged[-1]] == hits
                else:
                    found = sum(one and is_letter for one, is_letter in zip(shown, word.is_letter))
                    salt = guess[1] if guess else None
                    mine = answer_commitment(self.id, self.played["number"], seat, count, salt, hits)
                    honest = honest and logged[-1][:4] == (found, not hits, rights, mine)
                truth.streak = 0 if lapsed else truth.streak
                worth[seat] += truth.take(rights)
        return worth, honest

    @staticmethod
    def hits(word, guess, shown):
        """The positions that a guess opens, and how many different letters these are."""
        kind, _, text = guess or (None, None, "")
        hidden = [place for place, is_shown in enumerate(shown) if not is_shown]
        if kind == 0 and len(graphemes(text)) == 1:
            hits = [place for place in hidden if folded(text) in keys(word.graphemes[place])]
            return hits, int(bool(hits))
        if kind == 1 and word.is_solved_by(text):
            return hidden, len({folded(word.graphemes[place]) for place in hidden})
        return [], 0

    def fail(self, word, time, worth=None):
        """The setter loses the round."""
        for board in self.played["boards"] if worth else ():
            for seat in range(self.count) if board.seat < 0 else [board.seat]:
                logged = sum(guess[4] for guess in board.guesses if guess[0] == seat) if board.seat < 0 else board.score
                board.score += worth[seat] - logged
                self.scores[seat] += worth[seat] - logged
        self.console(lambda board: self.state(board) != "solved")
        self.played["reveal"], self.played["honest"] = word, False
        self.begin(time)

    def console(self, is_meant):
        """Points for a setter that vanished."""
        for board in filter(is_meant, self.played["boards"]):
            for seat in self.guessers() if board.seat < 0 else [board.seat]:
                if seat in self.staying:
                    board.score += 50
                    self.scores[seat] += 50

    def due(self, board):
        """When a board's time is up."""
        if self.state(board) != "guessing" or not self.is_played(board):
            return None
        if board.pending() is not None:
            return None if self.setter in self.gone else max(board.since, self.since) + 10000
        seat = board.turn if board.seat < 0 else board.seat
        if not self.options["turn_s"] or seat < 0 or seat in self.gone:
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
                board.since = time
                if board.seat >= 0:
                    board.lapse()
                    continue
                if board.passes >= 2 * len(self.guessers()):
                    board.lapse()
                board.passes += 1
                board.turn = self.guesser_after(board.turn)
            self.close(time)

    def away(self, seat, time):
        """A seat is away."""
        self.gone.add(seat)
        if seat == self.setter:
            self.since = max(self.since, time)
        self.pass_turn(seat, time)
        self.close(time)

    def pass_turn(self, seat, time):
        """Whoever's turn it was has gone."""
        if self.phase == "guessing" and self.together:
            board = self.played["boards"][0]
            if board.turn == seat and board.pending() is None:
                board.turn, board.since = self.guesser_after(seat), time

    def back(self, seat, time):
        """A seat is here again."""
        self.gone.discard(seat)
        if seat == self.setter:
            self.since = max(self.since, time)
        for board in self.played["boards"] if self.played else ():
            if board.seat < 0 and self.phase == "guessing" and board.turn < 0 and seat in self.guessers():
                board.turn, board.since = seat, time
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
            self.pass_turn(seat, time)
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
            out.write(board.seat, board.found, board.bad, board.streak, board.score, board.since, board.lapsed)
            out.write(len(board.guesses))
            for guess in board.guesses:
                if board.seat >= 0:
                    commitment, sealed, lapsed, answer = guess
                    out.write(commitment, sealed, lapsed, answer[3] if answer else b"", answer[4] if answer else b"")
                    continue
                openings = guess[-1]
                out.write(*guess[:-1], -1 if openings is None else len(openings))
                for place, _, letter in openings or ():
                    out.write(place, letter)
            if board.seat < 0:
                out.write(board.turn, board.passes)
        out.write(played["reveal"] or "", played["honest"])
