#!/usr/bin/env python3
"""Plays Snap for Parlor: parlor host snap --bots 1 --bot-cmd Examples/snap_bot.py

Reads one question a line and answers each with one line; what a question and an answer hold says
`parlor help bots`. It sees what a player at its seat would see, and calls as fast as most people do.
"""

import json
import random
import sys


def answer(question):
    """What to do now; None to wait until something changes."""
    legal = [action["do"] for action in question["legal"]]
    seats = question["view"]["seats"]
    ranks = [seat["top"][0] for seat in seats if seat["top"]]
    if "snap" in legal and len(set(ranks)) < len(ranks):
        return {"action": {"do": "snap"}, "after_ms": random.randint(350, 1200)}
    if "flip" in legal:
        return {"action": {"do": "flip"}, "after_ms": random.randint(0, 1000)}
    return {"action": None}


def main():
    """Answers until the input ends."""
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
