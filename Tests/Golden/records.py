"""Scores and achievements as records, written from PROTOCOL.md alone."""

import itertools

import decode
import lucky
import match as log
from decode import need

VERSION = 1


def fields(data, label, count):
    """The items of a record after its version, and its ID; refused unless its player signed it."""
    items = decode.cbor(data)
    need(type(items) is list and len(items) == count + 1 and items[0] == VERSION, "no record")
    signed = label + decode.cbor_encoded(items[:-1])
    need(type(items[2]) is bytes and len(items[2]) == 32 and len(items[-1]) == 64, "no record")
    need(decode.ed25519_verify(items[2], signed, items[-1]), "the player did not sign it")
    return items[1:], decode.blake2b_256(signed).hex()


def score(data):
    """What a score says."""
    items, ident = fields(data, b"parlor/score/1", 8)
    board, player, name, value, context, time, proof, _ = items
    need(type(board) is str and 1 <= len(board) <= 100 and type(name) is str, "no score")
    need(all(type(number) is int for number in (value, context, time)) and time >= 0, "no score")
    need(type(proof) is list and (proof[0], len(proof)) in ((0, 3), (1, 4)), "no proof")
    if proof[0] == 0:
        shown = {"match": proof[1].hex(), "head": proof[2].hex()}
    else:
        shown = played_again(*proof[1:], value, context)
    return {
        "board": board, "player": player.hex(), "name": name, "value": value, "context": context, "time": time,
        "proof": shown, "id": ident,
    }


def played_again(genesis, seed, presses, value, context):
    """A game of Lucky, which must give the score and end with the last press."""
    begun = log.Genesis(genesis)
    level = dict(begun.options)["level"]
    sets = list(itertools.combinations((1, 2, 3, 4), lucky.KILLERS[level]))
    safe = 0
    for number, button in enumerate(presses, 1):
        link = log.chain(seed, log.CHAIN - number)
        choice, _ = log.choose(len(sets), begun.match, number, [link])
        safe += button not in sets[choice]
        need((button in sets[choice]) == (number == len(presses)), "an end before the last press, or none")
    need((safe, len(presses)) == (value, context), "another score")
    return {"genesis": genesis.hex(), "seed": seed.hex(), "presses": list(presses), "level": level}


def achievement(data):
    """What an achievement says."""
    items, ident = fields(data, b"parlor/achievement/1", 7)
    name, player, generation, percent, count, time, _ = items
    need(0 <= percent <= 100 and (count >= 1) == (percent == 100), "no achievement")
    return {
        "achievement": name, "player": player.hex(), "generation": generation, "percent": percent, "count": count,
        "time": time, "id": ident,
    }
