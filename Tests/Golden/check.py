#!/usr/bin/env python3
"""Reads every golden file of this folder with the modules beside this one and compares with the meaning written beside the bytes.

Exits with 1 when anything differs. Each vector's kind names a function of CHECKS.
"""

import json
import pathlib
import sys
from random import Random

import codes
import datagram as datagrams
import decode
import fold
import hangman
import match
import records
import sealing
import turns

FOLDER = pathlib.Path(__file__).parent
# How many places of a log are changed, beside the beginning of lines.
SAMPLE = 60


def cbor(data, meaning):
    """An item, and that it has no other encoding."""
    item = decode.cbor(data)
    return decode.tagged(item) == meaning and decode.cbor_encoded(item) == data


def frame(data, meaning):
    """A frame."""
    return decode.frame(data) == meaning


def stream(data, meaning):
    """Several frames, and the messages that their chunks make."""
    found = decode.frames(data)
    kinds = [one["frame"] for one in found]
    return kinds == meaning["frames"] and decode.messages(found) == meaning["messages"]


def refused(read):
    """What must not be read."""

    def check(data, meaning):
        try:
            read(data)
        except decode.Refused:
            return meaning == {"refused": True}
        return False

    return check


def signature(data, meaning):
    """Whether the signature of a message holds."""
    public, signed = bytes.fromhex(meaning["public"]), bytes.fromhex(meaning["signature"])
    return decode.ed25519_verify(public, data, signed) == meaning["holds"]


def digest(data, meaning):
    """A hash."""
    return decode.blake2b_256(data).hex() == meaning["blake2b-256"]


# --- Datagrams


def sealed_packet(data, meaning):
    """What is sealed with a key, a nonce and additional bytes."""
    key, nonce, additional = (octets(meaning[name]) for name in ("key", "nonce", "additional"))
    plain = octets(meaning["plain"])
    again = sealing.chacha_seal(key, nonce, plain, additional)
    return again == data and sealing.chacha_open(key, nonce, data, additional) == plain


def datagram(data, meaning):
    """A datagram that its receiver opens once, and that no other opens, changed or not."""
    exported, link = octets(meaning["exported"]), meaning["link"]
    receiver = datagrams.Receiver(exported, meaning["to"] == "client", link)
    if datagrams.number(data[5:13]) != int(meaning["counter"]):
        return False
    if datagrams.message(receiver.open(data)) != meaning["message"]:
        return False
    others = [
        (receiver, data),
        (datagrams.Receiver(exported, meaning["to"] != "client", link), data),
        (datagrams.Receiver(exported, meaning["to"] == "client", link ^ 1), data),
    ]
    for place in (0, 1, 12, 13, len(data) - 17, len(data) - 1):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        others.append((datagrams.Receiver(exported, meaning["to"] == "client", link), changed))
    return all(refused(one.open)(bytes_, {"refused": True}) for one, bytes_ in others)


# --- Room and match log


def read_as(read):
    """What is read from the bytes."""
    return lambda data, meaning: read(data) == meaning


def genesis(data, meaning):
    """What a match begins with."""
    return match.Genesis(data).meaning() == meaning


def proposal(data, meaning):
    """A proposal and its author's signature."""
    found = match.Proposal(decode.cbor(data))
    return found.meaning() == meaning["proposal"] and found.is_signed_by(octets(meaning["peer"]))


def entry(data, meaning):
    """An entry, its sequencer's signature and its author's."""
    found = match.Entry(data)
    signed = found.is_signed_by(octets(meaning["sequencer"]))
    return found.meaning() == meaning["entry"] and signed and found.proposal.is_signed_by(octets(meaning["author"]))


# --- Draw and chance


def octets(digits):
    """Bytes of hexadecimal digits; None of None."""
    return None if digits is None else bytes.fromhex(digits)


def cut(data):
    """Bytes in pieces of 32."""
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def draw_commitment(data, meaning):
    """What a seat commits to."""
    place = octets(meaning["match"]), meaning["round"], meaning["seat"]
    return match.draw_commitment(*place, octets(meaning["nonce"])) == data


def draw_round(data, meaning):
    """The numbers of a round, who goes first, or who is tied."""
    place, seats = (octets(meaning["match"]), meaning["round"]), meaning["seats"]
    numbers = [match.draw_number(*place, seat, cut(data)) for seat in seats]
    highest = [seat for seat, value in zip(seats, numbers) if value == max(numbers)]
    first, tied = (highest[0], []) if len(highest) == 1 else (None, highest)
    return (numbers, first, tied) == (meaning["numbers"], meaning["first"], meaning["tied"])


def chain_link(data, meaning):
    """A link of a chain."""
    draw, end = meaning["draw"], octets(meaning["end"])
    first = match.chain(octets(meaning["first"]), match.CHAIN - draw)
    holds = [one for one in range(match.CHAIN + 2) if match.link_holds(data, one, end)]
    return first == data and holds == [draw]


def choice(data, meaning):
    """A joint choice."""
    found = match.choose(meaning["among"], octets(meaning["match"]), meaning["draw"], cut(data))
    return found == (meaning["choice"], meaning["attempt"])


# --- Codes


def code_exchange(data, meaning):
    """Two shares and two tags, from what both sides put in."""
    binary = ("session", "client", "server", "guest", "host", "room", "guestEntropy", "hostEntropy")
    given = [codes.code(meaning["code"]), *(octets(meaning[name]) for name in binary)]
    return b"".join(codes.exchange(given)) == data


def cpace_draft(data, meaning):
    """The draft's example, or a share that is none."""
    if "element" in meaning:
        return codes.is_element(data) == meaning["element"]
    binary = ("password", "channel", "session", "initiator", "responder")
    made = codes.draft(*(octets(meaning[name]) for name in binary), [octets(one) for one in meaning["data"]])
    return b"".join(made) == data


# --- The vault


def vault(data, meaning):
    """A seat's secret, and what is derived from it."""
    key = match.vault_key(octets(meaning["identity"]), octets(meaning["match"]))
    secret = sealing.secretbox_open(key, data)
    if secret != octets(meaning["secret"]) or data[:24] != decode.keyed(secret, key)[:24]:
        return False
    found = match.Vault(secret)
    links = [[draw, match.chain(found.first, match.CHAIN - draw).hex()] for draw, _ in meaning["links"]]
    nonces = [[number, found.nonce(number).hex()] for number, _ in meaning["nonces"]]
    return (
        sealing.box_keys(found.box_seed)[1].hex() == meaning["boxKey"]
        and match.chain(found.first, match.CHAIN).hex() == meaning["chainEnd"]
        and (links, nonces) == (meaning["links"], meaning["nonces"])
        and found.game(b"a label").hex() == meaning["game"]
    )


def sealed(data, meaning):
    """What one seat sealed for another: both can open it."""
    sender, receiver = match.Vault(octets(meaning["from"])), match.Vault(octets(meaning["to"]))
    (mine, my_key), (theirs, their_key) = sealing.box_keys(sender.box_seed), sealing.box_keys(receiver.box_seed)
    plain = octets(meaning["plain"])
    opened = sealing.box_open(theirs, my_key, data), sealing.box_open(mine, their_key, data)
    return opened == (plain, plain) and data[:24] == sender.box_nonce(meaning["seat"], plain)


# --- Hangman


def hangman_letter(data, meaning):
    """A letter's commitment, or the whole word's."""
    place = octets(meaning["match"]), meaning["round"], meaning["position"]
    return hangman.letter_commitment(*place, octets(meaning["salt"]), meaning["letter"]) == data


def hangman_guess(data, meaning):
    """A guess's commitment."""
    place = octets(meaning["match"]), meaning["round"], meaning["guesser"], meaning["number"]
    return hangman.guess_commitment(*place, meaning["kind"], octets(meaning["salt"]), meaning["text"]) == data


def hangman_answer(data, meaning):
    """An answer's commitment."""
    place = octets(meaning["match"]), meaning["round"], meaning["guesser"], meaning["number"]
    return hangman.answer_commitment(*place, octets(meaning["salt"]), meaning["positions"]) == data


# --- Whole logs


def whole_log(data, meaning):
    """A log: everything in it, every state, everything sealed, and that no byte of it can be another."""
    text = (FOLDER / meaning["file"]).read_bytes()
    if decode.blake2b_256(text) != data:
        return False
    states, seals = [], []

    def watch(one):
        states.append(one.hash().hex())
        seals.extend(sealed_by(one, [octets(pair["secret"]) for pair in meaning["secrets"]]))

    found = fold.read(text, meaning["words"], watch)
    vaults = [
        sealing.secretbox_open(match.vault_key(octets(pair["identity"]), found.genesis.match), seat.vault)
        for pair, seat in zip(meaning["secrets"], found.seats)
    ]
    return (
        vaults == [octets(pair["secret"]) for pair in meaning["secrets"]]
        and all(bots_secrets(found, meaning["secrets"]))
        and all(seals)
        and (found.genesis.match.hex(), found.hash_at(len(found.entries) - 1).hex()) == (meaning["match"], meaning["head"])
        and (found.draw.rounds, found.draw.first) == (meaning["draw"], meaning["first"])
        and (states, found.outcomes) == (meaning["states"], meaning["outcomes"])
        and len(found.entries) == meaning["entries"]
        and notices_changes(text, meaning["words"])
    )


def bots_secrets(found, kept):
    """Whether the secret of each bot, after those of people, is that which its driver derives."""
    epochs = {seat: 0 for seat in range(len(kept), len(found.seats))}
    for entry in found.entries:
        body = entry.proposal.body
        if body["says"] == "sequencer":
            epoch = body["epoch"]
        if body["says"] == "driver":
            epochs[body["seat"]] = epoch
    for seat, since in epochs.items():
        driver = kept[found.seats[seat].driver]
        secret = match.Vault(octets(driver["secret"])).bot(seat, since)
        key = match.vault_key(octets(driver["identity"]), found.genesis.match)
        yield sealing.secretbox_open(key, found.seats[seat].vault) == secret
        yield match.chain(match.Vault(secret).first, match.CHAIN) == found.seats[seat].end


def sealed_by(one, secrets):
    """Whether what the last entry seals is what it says."""
    move = one.entries[-1].proposal.body.get("move")
    if one.genesis.game != "hangman" or move is None or move[0] >= 3:
        return []
    author, setter = one.entries[-1].proposal.author, one.game.played["setter"]
    receiver = (author, setter, move[2])[move[0]]
    if receiver >= len(secrets):
        return []
    box = move[(4, 4, 8)[move[0]]]
    mine = sealing.box_keys(match.Vault(secrets[receiver]).box_seed)[0]
    plain = sealing.box_open(mine, one.seats[author].box_key, box)
    if plain is None:
        return [False]
    place = one.genesis.match, move[1]
    if move[0] == 0:
        return [hangman.Word(hangman.plain_word(plain)["word"]).text != ""]
    if move[0] == 1:
        guess = hangman.plain_guess(plain)
        mine = hangman.guess_commitment(*place, author, move[2], guess["kind"], octets(guess["salt"]), guess["text"])
        return [mine == move[3]]
    answer = hangman.plain_answer(plain)
    positions = one.game.played["positions"]
    return [answer["openings"] == [] if move[5] else answer["openings"] != []] + [
        hangman.letter_commitment(*place, position, octets(salt), letter) == positions[position]
        for position, salt, letter in answer["openings"]
    ]


def notices_changes(text, words):
    """Whether a change of any one byte is refused, at a sample of places."""
    random = Random(text[0] + len(text))
    lines = text.split(b"\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    places = random.sample(range(len(text)), SAMPLE) + starts[:4] + [len(text) - 1]
    for place in places:
        changed = bytearray(text)
        changed[place] = random.choice([one for one in b"0123456789abcdefABC \n\r\xff" if one != text[place]])
        line = sum(start <= place for start in starts) - 1
        allowed = (-1, 0) if line < 2 else (-1,) if place == len(text) - 1 else (line - 2,)
        try:
            fold.read(bytes(changed), words)
        except fold.Fault as fault:
            if fault.index in allowed:
                continue
        return False
    return True


def turn_set(data, meaning):
    """A match by turns: its genesis and items give what stands of it, in whatever order they come."""
    given = decode.cbor(data)
    again = [given[0], list(reversed(given[1]))]
    return turns.whole(*given) == meaning == turns.whole(*again)


CHECKS = {
    "cbor": cbor,
    "cbor-refused": refused(decode.cbor),
    "frame": frame,
    "frame-refused": refused(decode.frames),
    "stream": stream,
    "stream-refused": refused(lambda data: decode.messages(decode.frames(data))),
    "signature": signature,
    "hash": digest,
    "sealed-packet": sealed_packet,
    "datagram": datagram,
    "unreliable": read_as(datagrams.message),
    "unreliable-refused": refused(datagrams.message),
    "genesis": genesis,
    "genesis-refused": refused(match.Genesis),
    "proposal": proposal,
    "proposal-refused": refused(lambda data: match.Proposal(decode.cbor(data))),
    "entry": entry,
    "entry-refused": refused(match.Entry),
    "match-message": read_as(lambda data: match.match_message(decode.cbor(data))),
    "match-message-refused": refused(lambda data: match.match_message(decode.cbor(data))),
    "room-message": read_as(match.room_message),
    "room-message-refused": refused(match.room_message),
    "draw-commitment": draw_commitment,
    "draw-round": draw_round,
    "chain-link": chain_link,
    "choice": choice,
    "code-exchange": code_exchange,
    "cpace-draft": cpace_draft,
    "vault": vault,
    "sealed": sealed,
    "hangman-letter": hangman_letter,
    "hangman-guess": hangman_guess,
    "hangman-answer": hangman_answer,
    "hangman-plain-word": read_as(hangman.plain_word),
    "hangman-plain-guess": read_as(hangman.plain_guess),
    "hangman-plain-answer": read_as(hangman.plain_answer),
    "log": whole_log,
    "score-record": read_as(records.score),
    "achievement-record": read_as(records.achievement),
    "turn-genesis": read_as(turns.genesis),
    "turn-genesis-refused": refused(turns.genesis),
    "turn-item": read_as(turns.item),
    "turn-item-refused": refused(turns.item),
    "turn-message": read_as(turns.message),
    "turn-message-refused": refused(turns.message),
    "turn-set": turn_set,
}


def holds(vector):
    """Whether a vector's bytes mean what it says."""
    check = CHECKS.get(vector["kind"])
    if check is None:
        return False
    try:
        return check(bytes.fromhex(vector["hex"]), vector["meaning"])
    except decode.Refused as refusal:
        print(f"refused: {refusal}", file=sys.stderr)
        return False


def main():
    """Checks every file."""
    passed = failed = 0
    for path in sorted(FOLDER.glob("*.json")):
        for vector in json.loads(path.read_text(encoding="utf-8")):
            if holds(vector):
                passed += 1
            else:
                failed += 1
                print(f"FAILED {path.name}: {vector['kind']} {vector['name']} {vector['hex'][:80]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
