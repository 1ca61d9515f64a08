#!/usr/bin/env python3
"""Plays whole matches between real daemons on this machine and tells what every player sees.

Four daemons play Snap and two play Hangman; then one plays Snap against bots, plays them again, and guesses a word
alone. They find each other as on a network: through Avahi, the system's where there
is one, else a private one (Scripts/with-avahi). Where neither can be had, as in a container without privileges, the
guests are told the host's address instead. Everything stays on 127.0.0.1 and in folders that are removed at the
end. Needs the release build; PARLOR_BIN names its folder (default: .build/release). Standard library only.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("PARLOR_BIN") or os.path.join(os.path.dirname(HERE), ".build", "release")
INSIDE = "PARLOR_DEMO_INSIDE"
START_S, FIND_S, CALL_S, MATCH_S, STOP_S = 10, 15, 15, 120, 8
SECRET_WORDS = ["garden", "kitchen"]
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
# Refusals that only mean that the table has moved on since the player looked.
MOVED_ON = {"not-your-turn", "illegal-move", "match-ended"}


class DemoError(Exception):
    """The demonstration cannot go on; the text is for people."""


class Refused(Exception):
    """A daemon said no, for the reason given."""

    def __init__(self, error):
        self.reason = (error.get("data") or {}).get("reason", "?")
        super().__init__(f"{self.reason}: {error.get('message')}")


def say(who, text):
    print(f"{who:>8}  {text}", flush=True)


def wait_for(look, seconds, what):
    """The first true answer of `look`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise DemoError(f"waited {seconds} s for {what}")


class Player:
    """One daemon with a home of its own, and a connection to its control socket."""

    def __init__(self, name, folder):
        self.name = name
        self.home = os.path.join(folder, name.lower())
        os.mkdir(self.home, 0o700)
        self.log = os.path.join(self.home, "log")
        self.last_id, self.seen, self.match, self.buffer = 0, None, None, b""
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [os.path.join(BIN, "parlord"), "--home", self.home, "--name", name, "--listen", "127.0.0.1"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.socket, self.port = None, None

    def connect(self):
        run = os.path.join(self.home, "run")
        self.socket = wait_for(lambda: self._try(run), START_S, f"{self.name}'s daemon")
        self.socket.settimeout(CALL_S)
        hello = self.call("hello", client="demo", api=1)
        with open(os.path.join(run, "endpoints.json"), encoding="utf-8") as file:
            self.port = json.load(file)["tcp_port"]
        say(self.name, f"is here: parlord {hello['version']}, port {self.port}, key {hello['peer']['id'][:8]}…")

    def _try(self, run):
        if self.process.poll() is not None:
            with open(self.log, encoding="utf-8", errors="replace") as log:
                raise DemoError(f"{self.name}'s daemon ended with {self.process.returncode}: {log.read()[-800:]}")
        if not os.path.exists(os.path.join(run, "endpoints.json")):
            return None
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.connect(os.path.join(run, "control.sock"))
            return connection
        except OSError:
            connection.close()
            return None

    def call(self, method, **params):
        """One request, one answer."""
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        try:
            self.socket.sendall(json.dumps(request).encode() + b"\n")
            while True:
                answer = json.loads(self._line())
                if answer.get("id") == self.last_id:
                    break
        except OSError as error:
            raise DemoError(f"{self.name}'s daemon does not answer {method}: {error}") from error
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["result"]

    def _line(self):
        while b"\n" not in self.buffer:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise OSError("connection closed")
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def view(self):
        """The match as this player sees it; None before there is one."""
        try:
            self.match = self.call("match.view", **({"match": self.match["id"]} if self.match else {}))
        except Refused as refusal:
            if refusal.reason not in ("not-in-match", "not-found", "not-in-room"):
                raise
            return None
        return self.match

    def act(self, **action):
        """One action; False when the table has moved on."""
        try:
            self.call("match.act", match=self.match["id"], action=action)
            return True
        except Refused as refusal:
            if refusal.reason not in MOVED_ON:
                raise
            return False

    def stop(self):
        """Ends the daemon; whether it went by itself and in order."""
        if self.socket:
            self.socket.close()
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode == 0


@contextlib.contextmanager
def table(*names):
    """Daemons for these players; ended and removed in any case."""
    folder = tempfile.mkdtemp(prefix="parlor-demo-")
    players = []
    try:
        for name in names:
            players.append(Player(name, folder))
        for player in players:
            player.connect()
        yield players
        for player in players:
            if not player.stop():
                raise DemoError(f"{player.name}'s daemon ended with {player.process.returncode} instead of 0")
    finally:
        for player in players:
            player.stop()
        shutil.rmtree(folder, ignore_errors=True)


def find(guest, room):
    """What a guest says to join a room that it sees by itself."""
    def look():
        rows = guest.call("rooms.list", all=True)["rooms"]
        return next((row for row in rows if row["id"] == room["id"]), None)
    began = time.monotonic()
    row = wait_for(look, FIND_S, f"{guest.name} to find the room")
    say(guest.name, f"found “{row['name']}” by {row['host']['name']} after {time.monotonic() - began:.1f} s")
    return {"room": row["id"]}


def meet(players, game, finding, options):
    """The first player hosts; the others find the room, join and are ready; the match begins."""
    host, guests = players[0], players[1:]
    room = host.call("room.host", game=game, name=f"{host.name}'s table", seats=len(players), options=options)
    say(host.name, f"opens the room “{room['name']}” for {game}, {len(players)} seats")
    for guest in guests:
        place = find(guest, room) if finding else {"address": f"127.0.0.1:{host.port}"}
        joined = guest.call("room.join", **place)
        guest.call("room.ready", ready=True)
        say(guest.name, f"joined and sits on seat {joined['my_seat'] + 1}, ready")
    wait_for(lambda: all(seat["ready"] for seat in host.call("room.get")["seats"][1:]), CALL_S, "all to be ready")
    host.call("room.start")
    say(host.name, "starts the match")
    return begun(players)


def begun(players):
    """Waits until all see the first move coming, and tells who goes first; the names by seat."""
    host = players[0]
    wait_for(lambda: all((view := player.view()) and view["state"] != "drawing" for player in players), START_S,
             "the draw")
    by_seat = {seat["index"]: seat["player"]["name"] for seat in host.match["seats"]}
    draw = host.match["draw"]
    if not draw or not draw["rounds"]:
        return by_seat
    for number, drawn in enumerate(draw["rounds"], 1):
        again = f" (round {number}, after a tie)" if number > 1 else ""
        say("draw", ", ".join(f"{by_seat[one['seat']]} {one['number']}" for one in drawn) + again)
    say("draw", f"{by_seat[draw['first']]} has the highest number and goes first")
    if any(player.match["draw"] != draw for player in players):
        raise DemoError("the players saw different draws")
    return by_seat


def play(players, turn):
    """Gives every player looks and turns until all see the end."""
    end = time.monotonic() + MATCH_S
    while time.monotonic() < end:
        if all([player.view()["state"] == "ended" or turn(player) for player in players]):
            return
        time.sleep(0.02)
    raise DemoError(f"the match was not over in {MATCH_S} s")


def standing(view, by_seat):
    """The last word and the points of Hangman, or the cards of Snap."""
    if "scores" in view:
        if view.get("reveal"):
            yield revealed(view["reveal"])
        counts, what = view["scores"], "points"
    else:
        counts, what = [seat["closed"] + seat["open"] for seat in view["seats"]], "cards"
    yield f"{what} at the end: " + ", ".join(f"{by_seat[seat]} {count}" for seat, count in enumerate(counts))


def revealed(reveal):
    """A sentence about the word of a round that is over."""
    return f"the word was “{reveal['word']}”, " + ("honestly played" if reveal["honest"] else "and its setter cheated")


def finish(players, by_seat):
    """Tells how it ended, and lets every player check the whole log."""
    final = players[0].match
    for line in standing(final["view"], by_seat):
        say("table", line)
    for seat in final["seats"]:
        say(by_seat[seat["index"]], f"outcome: {seat['outcome']}")
    if len({(player.match["head"], player.match["state_hash"]) for player in players}) != 1:
        raise DemoError("the players' logs or states differ")
    for player in players:
        result = player.call("match.verify", match=player.match["id"])
        if not result["valid"]:
            raise DemoError(f"{player.name} could not verify the match: {result.get('problem')}")
        say(player.name, f"verified all {result['entries']} entries of the log, head {player.match['head'][:12]}…")


def snap_turn(by_seat):
    """What a player does in Snap, said aloud; returns a function of the player that is true when the match is over."""
    told = {"last": None}
    called = set()

    def tell(view):
        last = view["last"]
        key = (view["flips"], json.dumps(last, sort_keys=True))
        if not last or key == told["last"]:
            return
        told["last"] = key
        who = by_seat.get(last["seat"], "table")
        tops = "  ".join(f"{by_seat[i]}:{seat['top'] or '--'}" for i, seat in enumerate(view["seats"]))
        if last["kind"] == "flip":
            say(who, f"flips, card {view['flips']:>2}    {tops}")
        else:
            what = {"took": "calls Snap! and takes {} cards", "wrong": "calls Snap wrongly and pays {} cards",
                    "late": "calls Snap, but too late", "tied": "ties with another call",
                    "pooled": "takes {} cards from the pool", "ignored": "calls Snap before seeing the card"}
            say(who, what.get(last["kind"], last["kind"]).format(last.get("cards", 0)))

    def turn(player):
        view, legal = player.match["view"], [action["do"] for action in player.match["legal"]]
        tell(view)
        ranks = [seat["top"][0] for seat in view["seats"] if seat["top"]]
        key = (player.name, view["flips"])
        if "snap" in legal and len(set(ranks)) < len(ranks) and key not in called:
            called.add(key)
            player.act(do="snap")
        elif "flip" in legal:
            player.act(do="flip")
        return False

    return turn


def hangman_turn(by_seat):
    """What a player does in Hangman, said aloud; as snap_turn."""
    told = set()

    def once(who, text):
        if (who, text) not in told:
            told.add((who, text))
            say(who, text)

    def guess(player):
        view, seat = player.match["view"], player.match["my_seat"]
        board = next((b for b in view["boards"] if b["seat"] in (seat, None)), None)
        if board is None:
            return
        mask = board.get("mask") or view.get("mask") or ""
        tried = {letter.lower() for letter in [*mask, *board["wrong"]]}
        letter = next((letter for letter in LETTERS if letter not in tried), None)
        if letter and player.act(do="guess", letter=letter):
            after = wait_for(lambda: answered(player, board), CALL_S, "the setter's machine to answer")
            mask = after.get("mask") or mask
            end = {"solved": ", solved", "hanged": ", hanged"}.get(after["state"], "")
            say(player.name, f"guesses {letter.upper()}    {mask}    wrong {after['bad']} of 6{end}")

    def answered(player, before):
        """The player's board once it differs from what it was, else nothing."""
        boards = player.view()["view"]["boards"]
        board = next((b for b in boards if b["seat"] == before["seat"]), before)
        return board if (board["found"], board["bad"]) != (before["found"], before["bad"]) else None

    def turn(player):
        view, seat = player.match["view"], player.match["my_seat"]
        legal = [action["do"] for action in player.match["legal"]]
        if view.get("reveal"):
            once("table", revealed(view["reveal"]))
        if "word" in legal:
            word = SECRET_WORDS[seat % len(SECRET_WORDS)]
            if player.act(do="word", word=word):
                say(player.name, f"sets a secret word; the others see {len(word)} blanks")
        elif "guess" in legal:
            guess(player)
        return False

    return turn


def one_match(title, names, game, turn, finding, **options):
    print(f"\n{title}\n{'-' * len(title)}", flush=True)
    with table(*names) as players:
        by_seat = meet(players, game, finding, options)
        play(players, turn(by_seat))
        finish(players, by_seat)


def alone(title, name, game, turn, bots, matches, **options):
    """One player against bots, or with nobody: no network, and nobody can come in."""
    print(f"\n{title}\n{'-' * len(title)}", flush=True)
    with table(name) as players:
        player = players[0]
        room = player.call("room.host", game=game, name=f"{name}'s table", seats=bots + 1, bots=bots, hidden=True,
                           watchers=False, options=options)
        others = [seat["player"]["name"] for seat in room["seats"] if seat["state"] == "bot"]
        say(name, f"opens a room for {game} that is not advertised, with {', '.join(others) or 'nobody else'}")
        player.call("room.start")
        for number in range(matches):
            if number:
                before = player.match["id"]
                player.match = None
                player.call("room.rematch")
                wait_for(lambda: (view := player.view()) and view["id"] != before, START_S, "the rematch")
                say(name, "wants to play again, and bots always do")
            by_seat = begun(players)
            play(players, turn(by_seat))
            finish(players, by_seat)


def has_system_avahi():
    """Whether an Avahi daemon answers on the system bus."""
    try:
        return subprocess.run(
            ["dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.Avahi", "/",
             "org.freedesktop.Avahi.Server.GetState"], capture_output=True, timeout=5, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def avahi_problem(script):
    """Why there can be no Avahi of our own; nothing when there can."""
    try:
        done = subprocess.run(
            [script, "true"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip() or f"{script} ended with {done.returncode}"


def main():
    if not os.access(os.path.join(BIN, "parlord"), os.X_OK):
        print(f"demo: no parlord in {BIN}; run Scripts/play, which builds it", file=sys.stderr)
        return 1
    finding = True
    if not os.environ.get(INSIDE) and not has_system_avahi():
        script = os.path.join(HERE, "with-avahi")
        problem = avahi_problem(script)
        if not problem:
            # Run again with a bus and an Avahi of its own, confined to the loopback interface.
            os.environ[INSIDE] = "1"
            os.execv(script, [script, sys.executable, os.path.abspath(__file__), *sys.argv[1:]])
        finding = False
        print(f"demo: {problem}", file=sys.stderr)
        print("demo: so rooms cannot be found by themselves here; the guests are told the host's address",
              file=sys.stderr)
    # An end from outside becomes an exception, so that the daemons are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        one_match("Snap for four, 40 cards", ("Ada", "Bea", "Cyd", "Dan"), "snap", snap_turn, finding, max_flips=40)
        one_match("Hangman for two", ("Ada", "Bea"), "hangman", hangman_turn, finding)
        alone("Snap with two bots, and again", "Ada", "snap", snap_turn, bots=2, matches=2, max_flips=12)
        alone("Hangman alone", "Ada", "hangman", hangman_turn, bots=0, matches=1)
    except (DemoError, Refused) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print("\nAll matches were played, agreed on and verified by everybody.")
    print("To play yourself, in two terminals: see “A first game” in README.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
