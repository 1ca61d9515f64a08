"""The state of a match as a fold over its log, and the log as a text; written from PROTOCOL.md alone."""

import hashlib

import decode
import games
import match as log
from decode import Refused, need

WORDS = ("active", "away", "left")


class StateBytes:
    """What the hash of a state is over."""

    def __init__(self):
        self.data = b""

    def write(self, *values):
        """Truths, ints, bytes and texts, each in its own way."""
        for value in values:
            if isinstance(value, bool):
                self.data += bytes([value])
            elif isinstance(value, int):
                self.data += (value % 2**64).to_bytes(8, "big")
            else:
                data = value.encode() if isinstance(value, str) else value
                self.data += len(data).to_bytes(8, "big") + data


class Seat:
    """What the log says of a seat."""

    def __init__(self, driver):
        self.driver, self.status, self.away_since, self.withheld, self.counter = driver, "active", 0, 0, -1
        self.end, self.box_key, self.vault, self.faults = b"", b"", b"", 0


class Match:
    """The state after the entries so far."""

    def __init__(self, genesis, words):
        self.genesis, self.words, self.phase = genesis, words, "drawing"
        self.seats = [Seat(genesis.driver(seat)) for seat in range(len(genesis.seats))]
        self.draw = log.Draw(list(range(len(genesis.seats))))
        self.sequencer, self.epoch, self.sequencer_counter, self.entries = 0, 0, -1, []
        self.game = self.open_draw = self.outcomes = None
        self.last_draw, self.is_cancelled = 0, False
        self.options = {name: value for name, value in genesis.options}

    # Entries

    def hash_at(self, index):
        """The hash of an entry, of the genesis for -1."""
        if index == -1:
            return self.genesis.hash
        return self.entries[index].hash if index < len(self.entries) else None

    def append(self, entry):
        """Checks an entry and applies it."""
        need(len(self.entries) < log.ENTRIES_MAX, "too many entries")
        need(self.phase != "ended", "an entry after the end")
        last = len(self.entries) - 1
        need(entry.index == last + 1 and entry.previous == self.hash_at(last), "an entry that does not follow")
        need(entry.time >= (self.entries[-1].time if self.entries else 0), "a time that goes back")
        proposal = entry.proposal
        author, says = proposal.author, proposal.body["says"]
        if author == log.SEQUENCER:
            author = proposal.body["seat"] if says == "sequencer" else self.sequencer
        need(author < len(self.seats), "no such seat")
        peer = self.peer(author)
        signs = says == "sequencer" or says == "end" and proposal.body["alone"]
        need(entry.is_signed_by(peer if signs else self.genesis.seats[self.sequencer][0]), "the entry's signature")
        need(proposal.match == self.genesis.match, "another match")
        need(self.hash_at(proposal.seen_index) == proposal.seen_hash, "another log was seen")
        counter = self.sequencer_counter if proposal.author == log.SEQUENCER else self.seats[author].counter
        need(proposal.counter > counter, "a counter that does not rise")
        need(proposal.is_signed_by(peer), "the proposal's signature")
        if says == "sequencer":
            self.check_votes(proposal.body)
        if says == "fault" and proposal.body["kind"] in (log.ILLEGAL, log.TWO):
            need(self.proves(proposal.body), "what is shown is no proof")
        if proposal.author == log.SEQUENCER:
            self.say(proposal.body, entry.time)
            self.sequencer_counter = proposal.counter
        else:
            self.act(proposal.body, author, entry.time)
            self.seats[author].counter = proposal.counter
        self.settle(entry.time)
        self.entries.append(entry)

    def peer(self, seat):
        """Whose signature counts for a seat."""
        return self.genesis.seats[self.seats[seat].driver][0]

    def is_bot(self, seat):
        """Whether a program plays a seat."""
        return self.genesis.seats[seat][2]

    def act(self, body, seat, time):
        """What a seat says."""
        me, says = self.seats[seat], body["says"]
        need(me.status != "left", "a seat that has left")
        need(not self.is_bot(seat) or says in ("chain", "commit", "reveal", "move"), "not for a bot to say")
        if says == "leave":
            return self.leave(seat, time)
        if says == "end" and body["alone"]:
            return self.end_alone(body, seat)
        if says == "fault":
            return self.show(body, seat, time)
        need(me.status == "active", "a seat that is away")
        if says == "chain":
            need(not me.end, "a second chain")
            me.end, me.box_key, me.vault = body["end"], body["boxKey"], body["vault"]
        elif says == "commit":
            need(me.end, "the chain comes first")
            self.draw.commit(body, seat, time)
        elif says == "reveal":
            if not self.draw.reveal(body, seat, self.genesis.match, time):
                need(not self.is_bot(seat), "a bot that reveals something else")
                self.leave(seat, time)
        else:
            need(says == "move" and self.phase == "playing", "not for a seat to say, or not now")
            self.game.move(seat, body["move"], time)

    def say(self, body, time):
        """What the sequencer says."""
        says = body["says"]
        if says == "draw":
            self.begin_draw(body, time)
        elif says == "open":
            self.open(body, time)
        elif says == "expire":
            need(self.phase == "playing", "no game")
            deadline = self.game.deadline()
            need(deadline is not None and time >= deadline, "no deadline has passed")
            self.game.expire(time)
        elif says == "judge":
            need(self.phase == "playing", "no game")
            self.game.judge(body["calls"], time)
        elif says == "away":
            need(self.status(body["seat"]) == "active", "a seat that is not here")
            need(not self.is_bot(body["seat"]), "a bot is never away")
            self.go_away(body["seat"], time)
        elif says == "back":
            need(self.status(body["seat"]) == "away", "a seat that is not away")
            self.seats[body["seat"]].status = "active"
            if self.phase == "playing":
                need(self.is_on(), "the game is over")
                self.game.back(body["seat"], time)
        elif says == "left":
            self.check_left(body["seat"], body["reason"], time)
            self.leave(body["seat"], time)
        elif says == "withheld":
            self.withhold(body, time)
        elif says == "sequencer":
            self.hand_over(body, time)
            if self.open_draw is not None:
                self.open_draw["since"] = time
        elif says == "driver":
            self.take_over(body, time)
        else:
            need(says == "end" and not body["alone"], "not for the sequencer to say")
            due = [] if self.is_cancelled else self.game.outcomes() if self.game else None
            need(due is not None and body["outcomes"] == due, "not over, or not like that")
            need(body["stateHash"] == self.hash(), "the end's state hash")
            self.phase, self.outcomes = "ended", due

    # Sequencers

    def voters(self):
        """The seats of people that have not left."""
        return [seat for seat in self.remaining() if not self.genesis.seats[seat][2]]

    def is_quorum(self, seats):
        """Whether seats are more than half of the voters, or half with the lowest of them."""
        voters = self.voters()
        count = sum(seat in seats for seat in voters)
        return 2 * count > len(voters) or 2 * count == len(voters) and (not voters or voters[0] in seats)

    def check_votes(self, body):
        """Whether votes are signed, and none had stored more than this log has."""
        for cast in body["votes"]:
            need(cast["seat"] < len(self.seats), "no such voter")
            peer = self.genesis.seats[cast["seat"]][0]
            signed = log.vote_signed(self.genesis.match, cast)
            need(decode.ed25519_verify(peer, signed, cast["signature"]), "a vote's signature")
            had = (cast["lastEpoch"], cast["length"])
            need(had <= (self.epoch, len(self.entries)), "what a voter had stored is left out")

    def hand_over(self, body, time):
        """Another seat orders the entries."""
        need(body["clock"] == time, "a clock that is not the entry's time")
        need(body["epoch"] > self.epoch and body["seat"] in self.voters(), "cannot order entries")
        seats = [cast["seat"] for cast in body["votes"]]
        need(seats == sorted(set(seats)) and set(seats) <= set(self.voters()), "votes out of order")
        need(self.is_quorum(seats), "no quorum has voted")
        self.sequencer, self.epoch = body["seat"], body["epoch"]

    def take_over(self, body, time):
        """The sequencer's peer plays a bot that another drove."""
        seat = body["seat"]
        need(self.status(seat) in ("active", "away") and self.is_bot(seat), "no bot of this match")
        me = self.seats[seat]
        need(me.driver != self.sequencer and body["peer"] == self.peer(self.sequencer), "not to be taken over")
        me.driver, me.end, me.box_key, me.vault = self.sequencer, body["end"], body["boxKey"], body["vault"]
        if self.phase == "drawing" and self.draw.first is None and seat in self.draw.seats:
            self.draw.restart(self.remaining(), time)
        if self.is_on():
            self.game.taken_over(seat, body["end"], time)

    def show(self, body, seat, time):
        """A seat shows what another did."""
        accused = body["seat"]
        need(accused < len(self.seats) and accused != seat and not self.is_bot(accused), "cannot be accused")
        need(self.seats[seat].faults < log.FAULTS_MAX, "too many faults")
        self.seats[seat].faults += 1
        if body["kind"] in (log.ILLEGAL, log.TWO) and self.seats[accused].status != "left":
            self.leave(accused, time)

    def proves(self, body):
        """Whether the evidence alone convinces."""
        if body["seat"] >= len(self.seats):
            return False
        peer = self.genesis.seats[body["seat"]][0]
        try:
            shown = [log.Entry(data) for data in body["evidence"]]
        except Refused:
            return False
        if not all(one.proposal.match == self.genesis.match and one.is_signed_by(peer) for one in shown):
            return False
        alone = [one.proposal.body["says"] == "end" and one.proposal.body["alone"] for one in shown]
        if body["kind"] == log.TWO:
            same = len(shown) == 2 and shown[0].index == shown[1].index
            return same and not any(alone) and shown[0].hash != shown[1].hash
        if len(shown) != 1 or shown[0].index > len(self.entries):
            return False
        before = Match(self.genesis, self.words)
        for entry in self.entries[: shown[0].index]:
            before.append(entry)
        said = shown[0].proposal.body
        takes = said["says"] == "sequencer" and said["seat"] == body["seat"]
        orders = self.genesis.seats[before.sequencer][0] == peer
        if before.hash_at(shown[0].index - 1) != shown[0].previous or not (orders or takes):
            return False
        try:
            before.append(shown[0])
        except Refused:
            return True
        return False

    def status(self, seat):
        """What the log says of a seat; None for no seat."""
        return self.seats[seat].status if seat < len(self.seats) else None

    # Seats that go

    def is_on(self):
        """Whether the game is on and not over."""
        return self.phase == "playing" and self.game.outcomes() is None

    def remaining(self):
        """The seats that have not left."""
        return [seat for seat, one in enumerate(self.seats) if one.status != "left"]

    def forget_link(self, seat):
        """A seat's link is waited for no longer."""
        if self.open_draw and not self.began_with(seat) and seat in self.open_draw["seats"]:
            self.open_draw["seats"].remove(seat)

    def go_away(self, seat, time):
        """A seat's link is lost."""
        self.seats[seat].status, self.seats[seat].away_since = "away", time
        self.forget_link(seat)
        if self.is_on():
            self.game.away(seat, time)

    def leave(self, seat, time):
        """A seat is out for good; bots do not go on among themselves."""
        self.remove(seat, time)
        while not self.voters() and self.remaining() and (not self.game or self.game.outcomes() is None):
            self.remove(self.remaining()[-1], time)

    def began_with(self, seat):
        """Whether the draw that is on began with a seat's link."""
        return any(seat == other for other, _ in self.open_draw["links"])

    def remove(self, seat, time):
        """A seat is out for good, itself alone."""
        self.seats[seat].status = "left"
        self.forget_link(seat)
        if self.phase == "playing":
            return self.game.leave(seat, time) if self.is_on() else None
        least = games.RULES[self.genesis.game].SEATS[0]
        if len(self.remaining()) < (1 if len(self.seats) == 1 else max(2, least)) or not self.voters():
            self.is_cancelled = True
        else:
            self.draw.restart(self.remaining(), time)

    def check_left(self, seat, reason, time):
        """Whether the sequencer may say that a seat has left."""
        need(self.status(seat) in ("active", "away"), "a seat that is not there")
        if reason == 0:
            grace = self.options["grace_s"] * 1000
            need(self.status(seat) == "away" and time >= self.seats[seat].away_since + grace, "still time")
        if reason == 2:
            need(not self.is_bot(seat), "a bot's draw is its driver's to do")
            need(self.phase == "drawing" and seat in self.draw.owing(), "owes nothing")
            need(time >= self.draw.since + log.DRAW_WAIT, "still time")

    def end_alone(self, body, seat):
        """A seat ends its own copy."""
        due = [
            "quit" if one.status == "left" else "won" if other == seat else "timed-out"
            for other, one in enumerate(self.seats)
        ]
        need(body["outcomes"] == due and body["stateHash"] == self.hash(), "an end alone that is wrong")
        self.phase, self.outcomes = "ended", due

    # Chance

    def need(self):
        """What the game waits for: among how many, who keeps its link, not before."""
        return self.game.need() if self.phase == "playing" else None

    def begin_draw(self, body, time):
        """A joint draw begins."""
        wanted = self.need()
        need(wanted and wanted[0] is not None and not self.open_draw, "nobody waits for a draw")
        need(not self.game.waiting, "calls wait")
        among, keeper, not_before = wanted
        need(body["draw"] == self.last_draw + 1 <= log.CHAIN and time >= not_before, "not this draw, or not now")
        seats = [
            seat for seat, one in enumerate(self.seats) if one.status == "active" and one.end and seat != keeper
        ]
        need(body["seats"] == seats, "the wrong seats")
        driven = [seat for seat in seats if self.seats[seat].driver == self.sequencer]
        need(len(body["links"]) == len(driven), "the links of the seats that the sequencer drives")
        need(all(seat in driven for seat in seats if self.is_bot(seat)), "a bot that is not taken over")
        links = [[seat, link] for seat, link in zip(driven, body["links"])]
        for seat, link in links:
            need(log.link_holds(link, body["draw"], self.seats[seat].end), "a link that does not fit")
        self.last_draw = body["draw"]
        self.open_draw = {"draw": body["draw"], "seats": seats, "links": links, "since": time}

    def open(self, body, time):
        """What the game waits for is opened."""
        wanted = self.need()
        need(wanted and time >= wanted[2], "nothing to open")
        need(time <= body["revealAt"] <= time + log.REVEAL_MAX, "a wrong moment of showing")
        among, keeper, _ = wanted
        if among is None:
            need(body["draw"] == 0 and not body["links"], "no chance is needed")
            return self.game.open(0, None, [], body["revealAt"], time)
        begun = self.open_draw
        need(begun and begun["draw"] == body["draw"], "no such draw")
        for seat, link in body["links"]:
            need(seat < len(self.seats), "no such seat")
            need(log.link_holds(link, body["draw"], self.seats[seat].end), "a link that does not fit")
        links = sorted(body["links"] + begun["links"], key=lambda pair: pair[0])
        need([seat for seat, _ in links] == begun["seats"], "the wrong seats")
        choice = None
        if keeper is None:
            choice, _ = log.choose(among, self.genesis.match, body["draw"], [link for _, link in links])
        self.open_draw = None
        self.game.open(body["draw"], choice, links, body["revealAt"], time)

    def withhold(self, body, time):
        """A seat did not give its link."""
        begun, seat = self.open_draw, body["seat"]
        need(begun and begun["draw"] == body["draw"] and seat in begun["seats"], "owes no link")
        need(not self.began_with(seat) and time >= begun["since"] + log.LINK_WAIT, "owes no link yet")
        self.seats[seat].withheld += 1
        if self.seats[seat].withheld >= log.WITHHELD_MAX:
            self.leave(seat, time)
        else:
            self.go_away(seat, time)

    # After each entry

    def settle(self, time):
        """Begins the game once it is drawn; forgets a draw that nobody waits for."""
        first, here = self.draw.first, self.remaining()
        is_drawn = first is not None and first in self.draw.seats
        if self.phase == "drawing" and not self.is_cancelled and is_drawn:
            if all(self.seats[seat].end for seat in here):
                self.game = games.RULES[self.genesis.game](self, here, first, time)
                self.phase = "playing"
                for seat in here:
                    if self.seats[seat].status == "away":
                        self.game.away(seat, time)
        if self.open_draw:
            wanted = self.need()
            if not wanted or wanted[0] is None or wanted[1] in self.open_draw["seats"]:
                self.open_draw = None

    def hash(self):
        """The hash of the state."""
        out = StateBytes()
        out.write(self.genesis.hash, self.phase)
        for seat in self.seats:
            out.write(seat.status, seat.away_since, seat.withheld, seat.counter, seat.end, seat.box_key)
            out.write(seat.faults, seat.driver)
        out.write(self.sequencer, self.epoch, self.sequencer_counter)
        self.draw.encode(out)
        seats = 1
        for seat in self.open_draw["seats"] if self.open_draw else ():
            seats = seats << 4 | seat
        out.write(self.last_draw, seats if self.open_draw else 0, self.is_cancelled)
        if self.game:
            self.game.encode(out)
        return hashlib.blake2b(out.data, digest_size=32).digest()


class Fault(Refused):
    """A log that does not hold, and the index of the entry that breaks it; -1 for what precedes the entries."""

    def __init__(self, index, why):
        super().__init__(f"entry {index}: {why}")
        self.index = index


def _record(word, line):
    need(line.startswith(word + b" "), f"no '{word.decode()}'")
    digits = line[len(word) + 1 :]
    need(len(digits) % 2 == 0 and set(digits) <= set(b"0123456789abcdef"), "no hexadecimal digits")
    return bytes.fromhex(digits.decode())


def read(data, words, watch=lambda match: None):
    """The match of a log's text; `watch` is called after every entry."""
    index = -1
    try:
        lines = data.split(b"\n")
        need(len(lines) >= 3 and lines[0] == b"parlor-log 1" and lines[-1] == b"", "no log")
        match = Match(log.Genesis(_record(b"genesis", lines[1])), words)
        for index, line in enumerate(lines[2:-1]):
            match.append(log.Entry(_record(b"entry", line)))
            watch(match)
        index = len(match.entries)
        need(match.phase == "ended", "no end")
    except Refused as refusal:
        raise Fault(index, refusal) from refusal
    return match
