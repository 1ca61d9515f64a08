#!/usr/bin/env python3
"""Drives `parlor` line mode through a pseudo-terminal.

Usage: line_mode.py PARLOR PARLORD [TEST]…
PARLORD may be Tests/Fixtures/fake-parlord; the tests marked `fake` need it. Both programs are linked
into a folder of their own, since parlor starts the parlord beside it.
"""
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

DEADLINE_S = 20
PARLOR, PARLORD = (os.path.abspath(path) for path in sys.argv[1:3])
IS_FAKE = os.path.basename(PARLORD).startswith("fake")


class Terminal:
    """One program on a pseudo-terminal, with everything it printed."""

    def __init__(self, arguments, environment):
        self.text = ""
        self.seen = 0
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.execve(arguments[0], arguments, environment)

    def expect(self, wanted):
        """Waits until the text comes, after all that was expected before."""
        end = time.monotonic() + DEADLINE_S
        while True:
            at = self.text.find(wanted, self.seen)
            if at >= 0:
                self.seen = at + len(wanted)
                return
            if not self.read(end - time.monotonic()):
                raise AssertionError(f"{wanted!r} never came; so far:\n{self.text}")

    def read(self, seconds):
        if seconds <= 0 or not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:
            return False
        self.text += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def resize(self, rows, columns):
        termios.tcsetwinsize(self.descriptor, (rows, columns))

    def exit_code(self):
        """Reads to the end and returns the exit code, or minus the signal."""
        end = time.monotonic() + DEADLINE_S
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0.05):
                    pass
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"parlor did not end; so far:\n{self.text}")

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.descriptor)


class LineMode(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="parlor-line-")
        self.home = os.path.join(self.folder, "home")
        os.mkdir(self.home, 0o700)
        self.parlor = os.path.join(self.folder, "parlor")
        shutil.copy(PARLOR, self.parlor)
        shutil.copy(PARLORD, os.path.join(self.folder, "parlord"))
        os.mkdir(os.path.join(self.home, "config"), 0o700)
        with open(os.path.join(self.home, "config", "parlor.conf"), "w") as file:
            file.write("[network]\nlisten = 127.0.0.1\n[discovery]\nbackend = off\n")
        self.environment = {**os.environ, "PARLOR_HOME": self.home, "SWIFT_BACKTRACE": "enable=no"}
        self.terminals = []

    def tearDown(self):
        for terminal in self.terminals:
            terminal.close()
        self.run_parlor("daemon", "stop")
        shutil.rmtree(self.folder)

    def run_parlor(self, *arguments):
        return subprocess.run(
            [self.parlor, *arguments], env=self.environment, capture_output=True, text=True, timeout=DEADLINE_S)

    def open(self, *arguments):
        terminal = Terminal([self.parlor, *arguments], self.environment)
        self.terminals.append(terminal)
        return terminal

    def rooms(self):
        return self.run_parlor("status", "--json").stdout.count('"my_seat"')

    def test_ctrl_c_asks_and_a_second_one_leaves(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman, hosted by you")
        terminal.type("\x03")
        terminal.expect("Leave Kitchen? Press Ctrl-C again or type leave.")
        self.assertEqual(self.rooms(), 1)
        terminal.type("\x03")
        terminal.expect("You left Kitchen.")
        self.assertEqual(terminal.exit_code(), 130)
        self.assertEqual(self.rooms(), 0)

    def test_typing_something_takes_the_question_back(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman")
        terminal.type("\x03")
        terminal.expect("Press Ctrl-C again")
        terminal.type("who\n")
        terminal.expect("Seat 1")
        terminal.type("\x03")
        terminal.expect("Press Ctrl-C again")
        terminal.type("leave\n")
        terminal.expect("You left Kitchen.")
        self.assertEqual(terminal.exit_code(), 0)

    def test_end_of_input_leaves(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman")
        terminal.type("\x04")
        terminal.expect("You left Kitchen.")
        self.assertEqual(terminal.exit_code(), 0)
        self.assertEqual(self.rooms(), 0)

    def test_termination_leaves(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman")
        os.kill(terminal.pid, signal.SIGTERM)
        self.assertEqual(terminal.exit_code(), 130)
        self.assertEqual(self.rooms(), 0)

    @unittest.skipIf(IS_FAKE, "needs a daemon that knows its clients")
    def test_a_second_terminal_does_not_close_the_room_of_the_first(self):
        first = self.open("host", "hangman", "--name", "Kitchen")
        first.expect("Kitchen: hangman")
        for end in ("\x04", "\x03"):
            second = self.open("join", "Kitchen")
            second.expect("You are in Kitchen in another terminal too")
            if end == "\x03":
                second.type(end)
                second.expect("Press Ctrl-C again")
            second.type(end)
            second.expect("Kitchen stays open in your other terminal.")
            second.exit_code()
            self.assertEqual(self.rooms(), 1)
        second = self.open("join", "Kitchen")
        second.expect("another terminal too")
        second.type("say hello\n")
        first.expect("you: hello")
        second.type("leave\n")
        second.expect("leave again to leave in both")
        self.assertEqual(self.rooms(), 1)
        second.type("who\n")
        second.expect("Seat 1")
        second.type("leave\n")
        second.expect("leave again to leave in both")
        second.type("leave\n")
        second.expect("You left Kitchen.")
        self.assertEqual((second.exit_code(), first.exit_code()), (0, 0))
        self.assertEqual(self.rooms(), 0)

    def test_what_arrives_does_not_cut_into_what_is_typed(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman")
        terminal.type("say helx")
        terminal.expect("say helx")
        self.run_parlor("say", "from elsewhere")
        terminal.expect("\r        \ryou: from elsewhere\nsay helx")
        terminal.type("\x7flo\n")
        terminal.expect("\b \blo\nyou: hello\n")
        terminal.type("leave\n")
        self.assertEqual(terminal.exit_code(), 0)

    def test_the_terminal_is_given_back_as_it_was(self):
        script = '"$@"; stty -a | grep -o -w -e "-*icanon" -e "-*echo"; echo done'
        terminal = Terminal(
            ["/bin/sh", "-c", script, "sh", self.parlor, "host", "hangman", "--name", "Kitchen"], self.environment)
        self.terminals.append(terminal)
        terminal.expect("Kitchen: hangman")
        terminal.type("\x04")
        terminal.expect("done")
        self.assertIn("\nicanon\necho\ndone", terminal.text)

    def test_ctrl_backslash_leaves_quietly(self):
        waiting = self.open("events", "--verbose")
        waiting.expect("No daemon answers")
        waiting.type("\x1c")
        self.assertEqual(waiting.exit_code(), 131)
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman")
        terminal.type("\x1c")
        self.assertEqual(terminal.exit_code(), 131)
        self.assertTrue(terminal.text.endswith("You left Kitchen.\n"), terminal.text)
        self.assertEqual(self.rooms(), 0)

    def test_a_resize_and_a_suspension_are_survived(self):
        # Only a job of a shell can be suspended.
        script = 'set -m; "$@"; echo "stopped $?"; fg'
        terminal = Terminal(
            ["/bin/bash", "-c", script, "bash", self.parlor, "host", "hangman", "--name", "Kitchen"], self.environment)
        self.terminals.append(terminal)
        terminal.expect("Kitchen: hangman")
        terminal.resize(10, 30)
        terminal.type("\x1a")
        terminal.expect("stopped 148")
        terminal.type("who\n")
        terminal.expect("Seat 1")
        terminal.type("leave\n")
        terminal.expect("You left Kitchen.")
        self.assertEqual(terminal.exit_code(), 0)

    def test_a_lost_daemon_is_named(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Kitchen: hangman")
        with open(os.path.join(self.home, "run", "endpoints.json")) as file:
            pid = int(file.read().split('"pid":')[1].split(",")[0])
        os.kill(pid, signal.SIGKILL)
        terminal.expect("has stopped")
        self.assertEqual(terminal.exit_code(), 3)

    def test_without_a_terminal_the_room_is_printed(self):
        result = self.run_parlor("host", "hangman", "--name", "Kitchen")
        self.assertEqual(result.returncode, 0)
        self.assertIn("Kitchen: hangman", result.stdout)
        self.assertEqual(self.rooms(), 1)

    @unittest.skipIf(IS_FAKE, "needs a daemon that lets guests in")
    def test_the_code_is_shown_and_asked_for(self):
        host = self.open("host", "snap", "--name", "Kitchen", "--code", "k7px")
        host.expect("Kitchen: snap, hosted by you, waiting to start, code K7PX")
        host.expect("--code K7PX")
        with open(os.path.join(self.home, "run", "endpoints.json")) as file:
            port = json.load(file)["tcp_port"]
        home = os.path.join(self.folder, "guest")
        shutil.copytree(os.path.join(self.home, "config"), os.path.join(home, "config"))
        os.chmod(home, 0o700)
        join = ["--home", home, "join", "--address", f"127.0.0.1:{port}"]
        try:
            stranger = self.open(*join)
            stranger.expect("Kitchen wants a code")
            stranger.expect("Type the code, or nothing to give up.")
            stranger.type("\n")
            self.assertEqual(stranger.exit_code(), 1)
            guest = self.open(*join)
            guest.expect("Type the code")
            guest.type("seven\n")
            guest.expect("a code has 4 characters")
            guest.type("zzzz\n")
            guest.expect("That code is not right for Kitchen. 4 tries left, then one a minute.")
            guest.expect("Type the code")
            guest.type("k7 px\n")
            guest.expect("waiting to start, code K7PX")
            host.expect("took seat 2.")
            guest.type("leave\n")
            self.assertEqual(guest.exit_code(), 0)
        finally:
            self.run_parlor("--home", home, "daemon", "stop")

    @unittest.skipIf(IS_FAKE, "needs a daemon that has bots")
    def test_alone_and_against_bots(self):
        terminal = self.open("play", "snap", "--level", "hard")
        terminal.expect("Bot Ray")
        terminal.expect("The draw: ")
        terminal.expect("26 face down")
        terminal.type("/leave\n")
        self.assertEqual(terminal.exit_code(), 0)
        terminal = self.open("play", "hangman")
        terminal.expect("hidden")
        terminal.expect("Type a letter, or the whole word")
        terminal.type("leave\n")
        self.assertEqual(terminal.exit_code(), 0)
        terminal = self.open("host", "snap", "--name", "Kitchen")
        terminal.expect("Type bot add to play with a bot")
        terminal.type("bot add hard\n")
        terminal.expect("Bot Ray took seat 2.")
        terminal.type("bot remove\n")
        terminal.expect("Bot Ray")
        terminal.type("leave\n")
        self.assertEqual(terminal.exit_code(), 0)

    @unittest.skipUnless(IS_FAKE, "fake")
    def test_a_whole_match(self):
        terminal = self.open("host", "hangman", "--name", "Kitchen")
        terminal.expect("Waiting for somebody to join.")
        terminal.type("start\n")
        terminal.expect("No: A match needs two players.")
        terminal.type("say come in\n")
        terminal.expect("you: come in")
        terminal.expect("Tom took seat 2.")
        terminal.expect("All are ready.")
        terminal.type("start\n")
        terminal.expect("The draw: you 12, Tom 77.")
        terminal.expect("Tom goes first.")
        terminal.expect("Tom set a word of 6 letters: _ _ _ _ _ _")
        terminal.expect("Type a letter, or the whole word once you are sure.")
        terminal.type("a\n")
        terminal.expect("_ A _ _ _ _")
        terminal.type("z\n")
        terminal.expect("wrong 1 of 6: Z")
        terminal.type("z\n")
        terminal.expect("No: That letter was guessed before.")
        terminal.type("garden\n")
        terminal.expect("The word was: GARDEN")
        terminal.expect("Points: you 60, Tom 0.")
        terminal.expect("The match is over: you won, Tom lost.")
        terminal.expect("rematch")
        terminal.type("rematch\n")
        terminal.expect("Type a letter")
        terminal.type("/leave\n")
        terminal.expect("You left Kitchen.")
        self.assertEqual(terminal.exit_code(), 0)

    @unittest.skipUnless(IS_FAKE, "fake")
    def test_several_rooms_are_asked_about(self):
        with open(os.path.join(self.home, "fake.json"), "w") as file:
            file.write('{"rooms": 2}')
        terminal = self.open("join")
        terminal.expect("1   Attic")
        terminal.expect("Which one?")
        terminal.type("7\n")
        terminal.expect("There is no number 7.")
        terminal.type("1\n")
        terminal.expect("Attic: hangman, hosted by Tom")
        self.assertNotIn("\x1b", terminal.text)
        self.assertNotIn("\u202e", terminal.text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
