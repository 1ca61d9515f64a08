"""The rules of the games by ID.

Each is a fold: it is made of the match that it belongs to, the seats that play, the seat that goes first and the time.
"""

import hangman
import lucky
import snap
import story
import tictactoe

RULES = {
    "snap": snap.Snap,
    "hangman": hangman.Hangman,
    "tictactoe": tictactoe.TicTacToe,
    "story": story.Story,
    "lucky": lucky.Lucky,
}
