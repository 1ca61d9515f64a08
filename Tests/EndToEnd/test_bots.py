"""Bots in rooms, whoever hosts them; programs that play them; playing alone, without any network."""
import json
import os
import shutil
import stat
import subprocess
import time

import harness
from harness import PARLOR, Scenario, end_process, environment, eventually, is_running
from test_kills import play, state

SNAP = {"max_flips": 10}
EXAMPLE = os.path.join(harness.PROJECT, "Examples", "snap_bot.py")


SPY = """#!/usr/bin/env python3
import json, os, sys
kept = {{}}
for name in os.listdir("/proc/self/fd"):
    try:
        kept[name] = os.readlink("/proc/self/fd/" + name)
    except OSError:
        pass  # that of the listing itself
with open("{told}.fd", "w") as file:
    json.dump(kept, file)
with open("{told}.pid", "a") as file:
    print(os.getpid(), file=file)
sys.path.insert(0, "{folder}")
sys.dont_write_bytecode = True
import snap_bot
for line in sys.stdin:
    with open("{told}", "a") as file:
        file.write(line)
    print(json.dumps(snap_bot.answer(json.loads(line))), flush=True)
"""


def kinds(peer, match, author=None):
    """The kinds of a match's entries, those of one author if wanted."""
    entries = peer.call("match.log", match=match)["entries"]
    return [entry["kind"] for entry in entries if author in (None, entry["author"])]


class Bots(Scenario):
    limit_s = 150

    def host(self, peer, game="snap", **params):
        """A room with options that make a short match."""
        params.setdefault("options", SNAP if game == "snap" else {})
        return peer.call("room.host", game=game, name="Table", **params)

    def start(self, *peers):
        for peer in peers[1:]:
            peer.call("room.ready", ready=True)
        peers[0].call("room.start")
        for peer in peers:
            peer.match("playing")

    def test_bots_play_with_people_and_again(self):
        ada, bea = self.peers("ada", "bea")
        room = self.host(ada, seats=4, bots=2, bot_level="hard")
        self.assertEqual([seat["state"] for seat in room["seats"]], ["taken", "bot", "bot", "open"])
        self.assertEqual([seat.get("level") for seat in room["seats"]], [None, "hard", "hard", None])
        self.assertEqual(room["seats"][1]["player"], {"id": ada.id, "name": "Bot Ray"})
        self.assertTrue(room["seats"][1]["ready"])
        bea.join(ada)
        eventually(lambda: len([s for s in bea.call("room.get")["seats"] if s["state"] == "bot"]) == 2, "the bots")
        self.start(ada, bea)
        harness.play_snap([ada, bea])
        views = self.assert_ended_well([ada, bea])
        self.assertEqual([seat["bot"] for seat in views[0]["seats"]], [False, True, True, False])
        first = views[0]["id"]
        for bot in (1, 2):
            self.assertIn("move", kinds(ada, first, bot))
            self.assertIn("reveal", kinds(ada, first, bot), "bots draw too")
        # A vote of each person is enough, however often it is given.
        eventually(lambda: ada.call("room.get")["state"] == "finished", "the score board")
        eventually(lambda: bea.call("room.get")["state"] == "finished", "the score board")
        ada.call("room.rematch")
        ada.call("room.rematch")
        self.assertEqual(ada.call("room.get")["state"], "finished")
        for _ in range(3):
            bea.send("room.rematch")
        second = eventually(
            lambda: (lambda view: view if view["id"] != first else None)(bea.call("match.view")), "the next match")["id"]
        harness.play_snap([ada, bea])
        self.assert_ended_well([ada, bea])
        self.assertEqual(ada.call("match.view")["id"], second, "exactly one new match")
        self.assertEqual(ada.call("room.get")["seats"][1]["ready"], True)

    def test_a_bot_takes_a_leavers_seat_while_somebody_watches(self):
        ada, bea, wim = self.peers("ada", "bea", "wim")
        self.host(ada, "hangman", seats=2)
        ada.refused("not-enough-players", "room.start")
        bea.refused("not-in-room", "room.bot", op="add")
        bea.join(ada)
        bea.refused("not-host", "room.bot", op="add")
        ada.refused("room-full", "room.bot", op="add")
        wim.call("room.join", address=ada.address, watch=True)
        self.start(ada, bea)
        ada.refused("busy", "room.bot", op="add")
        bea.call("room.leave")
        ada.match("ended")
        room = ada.call("room.bot", op="add", seat=1, level="hard")
        self.assertEqual((room["seats"][1]["state"], room["seats"][1]["level"]), ("bot", "hard"))
        ada.call("room.rematch")
        match = eventually(lambda: wim.match("playing"), "the watcher to see it")
        self.assertEqual([seat["bot"] for seat in match["seats"]], [False, True])
        harness.play_hangman([ada])
        wim.match("ended")
        self.assert_ended_well([ada, wim])
        room = ada.call("room.bot", op="remove")
        self.assertEqual(room["seats"][1]["state"], "open")
        ada.refused("bad-params", "room.bot", op="remove")

    def test_a_bot_is_removed_in_a_match(self):
        ada, bea = self.peers("ada", "bea")
        self.host(ada, seats=3, bots=1)
        bea.join(ada)
        self.start(ada, bea)
        room = ada.call("room.bot", op="remove")
        self.assertEqual(room["seats"][1]["state"], "open")
        view = eventually(
            lambda: (lambda view: view if view["seats"][1]["state"] == "left" else None)(bea.call("match.view")), "it to leave")
        self.assertEqual([seat["state"] for seat in view["seats"]], ["active", "left", "active"])
        harness.play_snap([ada, bea])
        views = self.assert_ended_well([ada, bea])
        self.assertEqual(views[0]["seats"][1]["outcome"], "quit")

    def killed(self, game, when, options):
        """Three people and a bot play; the host is killed; the others finish, the bot with them."""
        ada, bea, cyd = self.peers("ada", "bea", "cyd")
        self.host(ada, game, seats=4, bots=1, options={"grace_s": 10, **options})
        for peer in (bea, cyd):
            peer.join(ada)
            peer.call("room.ready", ready=True)
        ada.call("room.start")
        match = eventually(lambda: state(bea, bea.call("room.get").get("match")), "the match")["id"]
        play((ada, bea, cyd), lambda: when(ada))
        ada.kill()
        others = (bea, cyd)
        play(others, lambda: all((state(peer, match) or {}).get("state") == "ended" for peer in others))
        views = [peer.call("match.view", match=match) for peer in others]
        self.assertEqual(views[0]["head"], views[1]["head"])
        verdict = bea.call("match.verify", match=match)
        self.assertTrue(verdict["valid"], verdict)
        self.assertNotIn("timed-out", verdict["outcomes"])
        all_kinds = kinds(bea, match)
        self.assertEqual(all_kinds.count("driver"), 1)
        self.assertEqual(all_kinds[all_kinds.index("driver") - 1], "sequencer")
        entries = bea.call("match.log", match=match)["entries"]
        after = [e for e in entries[all_kinds.index("driver"):] if e["author"] == 1]
        self.assertTrue(after, "the bot plays on")
        self.assertEqual(views[0]["seats"][1]["state"], "active")
        for peer in others:
            self.assertEqual([event for event in peer.seen("error") if "kind" in event], [])
        return views[0]

    def test_the_host_is_killed_while_a_bot_plays_snap(self):
        self.killed("snap", lambda ada: len(ada.seen("match.changed", what="open")) >= 3, {"max_flips": 14})

    def test_the_host_is_killed_in_the_draw(self):
        self.killed("snap", lambda ada: len(ada.seen("match.changed", what="commit")) >= 2, SNAP)

    def test_the_host_is_killed_while_a_bot_plays_hangman(self):
        self.killed("hangman", lambda ada: len(ada.seen("match.changed", what="move")) >= 3, {})

    def test_a_host_that_comes_back_plays_its_bots_on(self):
        ada, bea = self.peers("ada", "bea")
        self.host(ada, seats=3, bots=1, options={"max_flips": 14})
        bea.join(ada)
        self.start(ada, bea)
        match = bea.call("match.view")["id"]
        play((ada, bea), lambda: bea.call("match.view")["view"]["flips"] >= 3)
        ada.kill()
        ada.start()
        play((ada, bea), lambda: all((state(peer, match) or {}).get("state") == "ended" for peer in (ada, bea)))
        verdict = bea.call("match.verify", match=match)
        self.assertTrue(verdict["valid"] and verdict["verdict"] == "complete", verdict)
        self.assertNotIn("timed-out", verdict["outcomes"])
        self.assertEqual(verdict["outcomes"], ada.call("match.verify", match=match)["outcomes"])

    def test_commands(self):
        home = self.home()
        def run(*arguments, **options):
            return self.parlor(*arguments, home=home, **options)
        self.assertIn("Bot Ray", run("host", "snap", "--name", "Den", "--bots", "2:easy", "--detach").stdout)
        self.assertEqual(run("bot", "add", "--level", "hard").stdout, "Bot Kit sits down in Den.\n")
        self.assertIn("room-full", run("bot", "add", "--json", status=1).stdout)
        self.assertEqual(run("bot", "remove", "Bot Ray").stdout, "Bot Ray is out of Den.\n")
        self.assertEqual(run("bot", "add", "2").stdout, "Bot Ray sits down in Den.\n")
        self.assertEqual(run("bot", "remove").stdout, "Bot Kit is out of Den.\n")
        levels = [seat.get("level") for seat in json.loads(run("rpc", "room.get", "{}").stdout)["seats"]]
        self.assertEqual(levels, [None, "normal", "easy", None])
        run("bot", "dance", status=2)
        run("bot", "add", "--level", "godlike", status=2)
        run("bot", "add", "x", status=2)
        run("host", "snap", "--bots", "4", status=2)
        run("host", "snap", "--seats", "2", "--bots", "2", status=2)
        run("bot", "add", "--bot-cmd", "/nowhere/at-all", status=2)

    # Programs.

    def program(self, text, name="bot"):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def test_the_example_plays_a_bot(self):
        ada = self.peer("ada")
        told = os.path.join(self.folder, "told")
        # It keeps what it was asked beside playing, and which descriptors it has.
        path = self.program(SPY.format(told=told, folder=os.path.dirname(EXAMPLE)))
        self.assertTrue(os.access(EXAMPLE, os.X_OK), "the example can be run as it is")
        room = self.host(ada, seats=2, bots=1, bot_cmd=path)
        self.assertEqual(room["seats"][1]["state"], "bot")
        self.start(ada)
        harness.play_snap([ada])
        view = self.assert_ended_well([ada])[0]
        self.assertEqual(ada.seen("error"), [])
        self.assertIn("move", kinds(ada, view["id"], 1))
        with open(told) as file:
            questions = [json.loads(line) for line in file]
        self.assertEqual({question["seat"] for question in questions}, {1})
        self.assertEqual({question["match"] for question in questions}, {view["id"]})
        self.assertIn({"do": "flip"}, [action for question in questions for action in question["legal"]])
        self.assertEqual(set(questions[0]), {"match", "game", "seat", "time_ms", "view", "legal"})
        with open(f"{told}.fd") as file:
            kept = json.load(file)
        self.assertEqual(set(kept), {"0", "1", "2"}, "no descriptor of the daemon comes along")
        self.assertTrue(kept["0"].startswith(("pipe:", "socket:")) and kept["1"].startswith(("pipe:", "socket:")), kept)
        with open(f"{told}.pid") as file:
            pids = [int(line) for line in file]
        self.assertEqual(len(pids), 1, "one process for the match")
        eventually(lambda: not is_running(pids[0]), "the program to be ended")

    def test_programs_that_fail_are_named_and_the_bot_plays_on(self):
        ada = self.peer("ada")
        failing = {
            "has ended": "#!/bin/sh\nread line\n",
            "no JSON object": "#!/bin/sh\nread line\necho hello\nsleep 60\n",
            "more than 65536 bytes": "#!/bin/sh\nread line\nhead -c 70000 /dev/zero | tr '\\0' x\nsleep 60\n",
            "nobody had asked for": "#!/bin/sh\nread line\necho '{\"action\":null}'\necho '{\"action\":null}'\nsleep 60\n",
            "'after_ms'": "#!/bin/sh\nread line\necho '{\"action\":null,\"after_ms\":-1}'\nsleep 60\n",
            "does not answer within 5 s": "#!/bin/sh\nread line\nsleep 60\n",
        }
        for number, (why, text) in enumerate(failing.items()):
            path = self.program(f"#!/bin/sh\necho $$ > {self.folder}/pid-{number}\n" + text.split("\n", 1)[1], f"bot-{number}")
            self.host(ada, seats=2, bots=1, bot_cmd=path, options={"max_flips": 10})
            self.start(ada)
            # What it has to do first may be a while away.
            play((ada,), lambda: len(ada.seen("error", reason="bot-failed")) > number)
            event = ada.seen("error", reason="bot-failed")[-1]
            self.assertIn(why, event["message"])
            self.assertIn("Bot Ray plays on by itself", event["message"])
            self.assertEqual(event["seat"], 1)
            harness.play_snap([ada])
            view = ada.match("ended")
            self.assertIn("move", kinds(ada, view["id"], 1))
            with open(f"{self.folder}/pid-{number}") as file:
                pid = int(file.read())
            eventually(lambda: not is_running(pid), f"the program that {why} to be ended")
            ada.call("room.leave")
        ada.refused("bad-params", "room.host", game="snap", bots=1, bot_cmd="relative")
        ada.refused("bad-params", "room.host", game="snap", bots=1, bot_cmd="/nowhere/at-all")
        ada.refused("bad-params", "room.host", game="snap", bots=1, bot_cmd=self.folder)
        self.assertIn(
            "no program", self.parlor("host", "snap", "--bots", "1", "--bot-cmd", self.folder, home=ada.home, status=2).stderr)

    def test_a_program_may_wait_with_null(self):
        ada = self.peer("ada")
        told = os.path.join(self.folder, "told")
        path = self.program(f"#!/bin/sh\nwhile read line; do echo x >> {told}; echo null; done\n")
        self.host(ada, seats=2, bots=1, bot_cmd=path, options={"max_flips": 10})
        self.start(ada)
        play((ada,), lambda: os.path.exists(told) and os.path.getsize(told) > 2)
        self.assertFalse(ada.seen("error", reason="bot-failed"))

    def test_seats_for_bots_are_counted_from_1(self):
        ada = self.peer("ada")
        self.host(ada, seats=2, bots=1)
        for words, said in (
                (["1"], "Seat 1 is not open: ada sits there."), (["2"], "Seat 2 is not open: Bot Ray sits there."),
                (["9"], "There is no seat 9: Table has seats 1 to 2.")):
            status = 5 if words == ["9"] else 1
            self.assertIn(said, self.parlor("bot", "add", *words, home=ada.home, status=status).stderr)
        self.start(ada)
        self.assertIn("a match is on", self.parlor("bot", "add", "1", home=ada.home, status=1).stderr)

    def test_a_program_that_does_not_end_is_killed(self):
        ada = self.peer("ada")
        pid = os.path.join(self.folder, "pid")
        path = self.program(f"#!/bin/sh\ntrap '' TERM\necho $$ > {pid}\nexec python3 -c '" + (
            "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)'\n"))
        self.host(ada, seats=2, bots=1, bot_cmd=path)
        self.start(ada)
        play((ada,), lambda: os.path.exists(pid) and os.path.getsize(pid) > 0)
        with open(pid) as file:
            number = int(file.read())
        ada.call("room.leave")
        eventually(lambda: not is_running(number), "the program to be killed")

    # Alone.

    def test_alone_without_any_network(self):
        """In a network namespace of its own, in which not even loopback is up, and with no bus to be found."""
        inside = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
        if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
            self.skipTest("this system lets nobody have a network of its own")
        home = os.path.join(self.folder, "alone")
        variables = environment(DBUS_SYSTEM_BUS_ADDRESS="unix:path=/nowhere")

        def run(*arguments, status=0):
            done = subprocess.run(
                [*inside, PARLOR, "--home", home, *arguments], env=variables, capture_output=True, text=True, timeout=30, input="")
            self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout}{done.stderr}")
            return done.stdout

        room = json.loads(run("play", "hangman", "--json"))
        self.assertEqual((len(room["seats"]), room["hidden"], room["watchable"]), (1, True, False))
        view = eventually(
            lambda: (lambda view: view if view["view"]["length"] else None)(json.loads(run("view", "--json"))), "the word")
        self.assertIn(view["view"]["length"], range(4, 9))
        for letter in "etaoinshrdlucmfwypvbgkjqxz":
            view = json.loads(run("view", "--json"))
            if view["state"] == "ended":
                break
            subprocess.run([*inside, PARLOR, "--home", home, "act", "guess", letter], env=variables, capture_output=True)
        view = eventually(
            lambda: (lambda view: view if view["state"] == "ended" else None)(json.loads(run("view", "--json"))), "the end")
        self.assertIn(view["seats"][0]["outcome"], ("won", "lost"))
        self.assertIn("Valid and complete", run("show", view["id"][:12]))
        run("leave")
        room = json.loads(run("play", "snap", "--bots", "2", "--level", "hard", "--seed", "7", "--set", "max_flips=10", "--json"))
        self.assertEqual([seat["state"] for seat in room["seats"]], ["taken", "bot", "bot"])
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            view = json.loads(run("view", "--json"))
            if view["state"] == "ended":
                break
            if {"do": "flip"} in view["legal"]:
                subprocess.run([*inside, PARLOR, "--home", home, "act", "flip"], env=variables, capture_output=True)
        self.assertEqual(view["state"], "ended")
        self.assertTrue(all(seat["outcome"] for seat in view["seats"]))
        with open(os.path.join(home, "run", "endpoints.json")) as file:
            pid = json.load(file)["pid"]
        run("daemon", "stop")
        end_process(pid)

    def test_nobody_comes_into_a_room_to_play_alone(self):
        home = self.home()
        self.parlor("play", "snap", home=home)
        with open(os.path.join(home, "run", "endpoints.json")) as file:
            port = json.load(file)["tcp_port"]
        bea = self.peer("bea")
        bea.refused("room-full", "room.join", address=f"127.0.0.1:{port}")
        bea.refused("not-allowed", "room.join", address=f"127.0.0.1:{port}", watch=True)
