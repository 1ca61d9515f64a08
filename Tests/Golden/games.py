"""The rules of the games by ID.

Each is a fold: it is made of the match that it belongs to, the seats that play, the seat that goes first and the time.
"""

import hangman
import snap

RULES = {"snap": snap.Snap, "hangman": hangman.Hangman}
