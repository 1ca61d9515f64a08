"""The command `parlor`: exit statuses, and what it prints for people and for scripts."""
import json
import os
import subprocess
import time

import harness
from harness import PARLOR, Scenario

VERBS = [
    "act", "completion", "daemon", "events", "export", "help", "host", "join", "kick", "leave", "list", "lock", "matches",
    "profile", "ready", "rematch", "replay", "rpc", "say", "show", "start", "status", "verify", "version", "view",
]


class Commands(Scenario):
    def error(self, done):
        """The error that a command with --json printed, which is all that it printed."""
        value = json.loads(done.stdout)
        self.assertEqual(list(value), ["error"])
        self.assertEqual(set(value["error"]), {"code", "reason", "message"})
        self.assertTrue(value["error"]["message"])
        return value["error"]["code"], value["error"]["reason"]

    def assert_one_line(self, text):
        self.assertEqual(len(text.strip().splitlines()), 1, text)

    def test_a_raw_call_takes_its_parameters_from_standard_input(self):
        ada = self.peer("ada")
        done = self.parlor("rpc", "profile.set", "-", home=ada.home, input='{"name":\n"Ada L."}\n')
        self.assertEqual(json.loads(done.stdout)["name"], "Ada L.")
        self.assertIn(
            "not JSON", self.parlor("rpc", "profile.set", "-", home=ada.home, input="nonsense", status=2).stderr)
        self.parlor("rpc", "profile.set", "-", home=ada.home, input="", status=2)

    def test_an_empty_list_is_no_failure_unless_asked(self):
        home = self.home()
        done = self.parlor("list", "--wait", "0.1", home=home)
        self.assertEqual(done.stdout, "")
        self.assertIn("off", done.stderr)
        done = self.parlor("list", "--wait", "0.1", "--json", home=home)
        listed = json.loads(done.stdout)
        self.assertEqual((set(listed), listed["rooms"], done.stderr), ({"searching", "rooms"}, [], ""))
        self.parlor("list", "--wait", "0.1", "--fail-empty", home=home, status=5)
        self.assertEqual(self.parlor("list", "--wait", "0.1", "--quiet", home=home).stderr, "")

    def test_a_room_that_is_not_there(self):
        home = self.home()
        done = self.parlor("join", "Attic", home=home, status=5)
        self.assertEqual(done.stdout, "")
        self.assert_one_line(done.stderr)
        self.assertIn("Attic", done.stderr)
        self.assertEqual(self.error(self.parlor("join", "Attic", "--json", home=home, status=5)), (-32002, "no-such-room"))
        self.parlor("join", "--address", "127.0.0.1:1", home=home, status=1)
        self.assertEqual(
            self.error(self.parlor("join", "--address", "127.0.0.1:1", "--json", home=home, status=1)),
            (-32010, "unreachable"))
        self.parlor("join", "--wait", "0.2", home=home, status=6)

    def test_no_daemon_and_none_may_be_started(self):
        home = self.home()
        for verb in (["status"], ["list"], ["host", "snap"], ["leave"], ["events"], ["rpc", "status"]):
            done = self.parlor(*verb, "--no-start", home=home, status=3)
            self.assertEqual(done.stdout, "")
            self.assert_one_line(done.stderr)
        self.assertIn("parlor daemon start", done.stderr)
        self.assertEqual(self.error(self.parlor("status", "--no-start", "--json", home=home, status=3)), (0, "no-daemon"))
        missing = os.path.join(self.folder, "no.sock")
        self.parlor("--socket", missing, "status", home=home, status=3)
        self.assertFalse(os.path.exists(os.path.join(home, "run", "control.sock")))

    def test_usage(self):
        home = self.home()
        for words in (
            ["fly"], ["host"], ["host", "snap", "hangman"], ["status", "--what"], ["act"], ["say"], ["list", "--wait"],
            ["list", "--wait", "soon"], ["host", "snap", "--seats", "two"], ["host", "snap", "--set", "rounds"],
            ["host", "snap", "--code", "KKKK", "--private"], ["completion", "tcsh"], ["help", "nothing"],
            ["rpc", "status", "{"], ["daemon", "fly"], ["profile", "set"], ["kick"], ["--json"] * 2 + ["fly"],
        ):
            with self.subTest(words=words):
                done = self.parlor(*words, home=home, status=2)
                self.assertTrue(done.stderr or done.stdout)
                if "--json" not in words:
                    self.assertEqual(done.stdout, "")
                    self.assert_one_line(done.stderr)
        self.assertEqual(self.error(self.parlor("fly", "--json", status=2)), (0, "usage"))
        self.assertIn("join", self.parlor("jion", status=2).stderr)
        self.assertFalse(os.path.exists(os.path.join(home, "run")), "no daemon was started for a wrong command")
        self.assertEqual(
            self.error(self.parlor("host", "chess", "--json", home=home, status=2)), (-32602, "bad-params"))
        self.parlor("host", "snap", "--set", "max_flips=1", home=home, status=2)

    def test_every_verb_explains_itself_with_two_examples(self):
        listed = self.parlor("help").stdout
        for verb in VERBS:
            with self.subTest(verb=verb):
                self.assertIn(verb, listed)
                for words in ([verb, "-h"], [verb, "--help"], ["help", verb]):
                    text = self.parlor(*words).stdout
                self.assertGreaterEqual(text.count(f"parlor {verb}"), 3, text)
        self.assertIn("parlor", self.parlor("--help").stdout)
        version = json.loads(self.parlor("version", "--json").stdout)
        self.assertEqual(version["api"], 1)

    def test_a_whole_game_by_commands(self):
        ada, bea = self.home("ada"), self.home("bea")
        for home, name in ((ada, "ada"), (bea, "bea")):
            self.assertEqual(json.loads(self.parlor("profile", "set", name, "--json", home=home).stdout)["name"], name)
        room = json.loads(
            self.parlor("host", "hangman", "--name", "Kitchen", "--seats", "2", "--set", "grace_s=30", "--json", home=ada)
            .stdout)
        self.assertEqual((room["name"], room["options"]["grace_s"], len(room["seats"])), ("Kitchen", 30, 2))
        joined = json.loads(self.parlor("join", "--address", room["endpoints"][0], "--json", home=bea).stdout)
        self.assertEqual((joined["id"], joined["my_seat"]), (room["id"], 1))
        self.assertEqual(self.error(self.parlor("start", "--json", home=ada, status=1)), (-32010, "not-ready"))
        self.assertEqual(self.error(self.parlor("view", "--json", home=ada, status=1)), (-32010, "not-in-match"))
        self.assertTrue(json.loads(self.parlor("ready", "--json", home=bea).stdout)["seats"][1]["ready"])
        self.assertEqual(self.error(self.parlor("start", "--json", home=bea, status=1)), (-32010, "not-host"))
        self.parlor("say", "good", "luck", home=bea)
        self.assertIn("starts", self.parlor("start", home=ada).stdout)

        def view(home):
            return json.loads(self.parlor("view", "--json", home=home).stdout)
        homes, words = [ada, bea], ["garden", "planet"]
        end = time.monotonic() + 40
        while time.monotonic() < end:
            views = [view(home) for home in homes]
            if all(one["state"] == "ended" for one in views):
                break
            for home, one, word, other in zip(homes, views, words, reversed(words)):
                kinds = [action["do"] for action in one["legal"]]
                if "word" in kinds:
                    self.assertEqual(
                        self.error(self.parlor("act", "word", "zzqx", "--json", home=home, status=1)), (-32010, "word-invalid"))
                    entry = json.loads(self.parlor("act", "word", word, "--json", home=home).stdout)["entry"]
                    self.assertEqual((entry["kind"], entry["author"]), ("move", one["my_seat"]))
                elif "guess" in kinds:
                    self.parlor("act", "guess", harness.untried(one, "qxjz"), home=home)
                    self.parlor("act", "solve", other, home=home)
        match = view(ada)
        self.assertEqual(match["state"], "ended")
        self.assertEqual(len({one["state_hash"] for one in (match, view(bea))}), 1)
        self.assertEqual([seat["outcome"] for seat in match["seats"]], ["tied", "tied"])
        self.assertTrue(json.loads(self.parlor("verify", match["id"], "--json", home=bea).stdout)["valid"])
        export = json.loads(
            self.parlor("rpc", "match.export", json.dumps({"match": match["id"]}), home=bea).stdout)["text"]
        path = os.path.join(self.folder, "match.txt")
        with open(path, "w") as file:
            file.write(export)
        self.assertIn("Valid", self.parlor("verify", path, home=ada).stdout)
        self.assertIn("Valid", self.parlor("verify", "-", home=ada, input=export).stdout)
        with open(path, "a") as file:
            file.write("x")
        self.assertIn("Not valid", self.parlor("verify", path, home=ada, status=1).stdout)
        self.parlor("verify", "00" * 16, home=ada, status=5)
        self.assertEqual(json.loads(self.parlor("leave", "--json", home=bea).stdout), {})
        self.assertEqual(self.error(self.parlor("leave", "--json", home=bea, status=1)), (-32004, "not-in-room"))

    def test_room_verbs(self):
        ada, bea = self.lobby("hangman", 2)
        cyd = self.peer("cyd")
        self.assertTrue(json.loads(self.parlor("lock", "--json", home=ada.home).stdout)["locked"])
        self.assertFalse(json.loads(self.parlor("lock", "--off", "--json", home=ada.home).stdout)["locked"])
        self.assertFalse(json.loads(self.parlor("ready", "--not", "--json", home=bea.home).stdout)["seats"][1]["ready"])
        self.assertIn("bea", self.parlor("kick", "bea", home=ada.home).stdout)
        bea.event("room.closed", reason="kicked")
        self.parlor("kick", "nobody", home=ada.home, status=5)
        cyd.join(ada)
        self.parlor("kick", "2", "--ban", home=ada.home)
        cyd.refused("banned", "room.join", address=ada.address)
        self.assertEqual(
            self.error(self.parlor("rematch", "--json", home=ada.home, status=1)), (-32010, "not-allowed"))
        self.assertIn("Table", self.parlor("status", home=ada.home).stdout)
        self.parlor("leave", "--room", "Attic", home=ada.home, status=5)
        self.parlor("leave", "--room", "tab", home=ada.home)

    def test_one_raw_call(self):
        ada = self.peer("ada")
        self.assertEqual(
            json.loads(self.parlor("rpc", "profile.get", home=ada.home).stdout), {"id": ada.id, "name": "ada"})
        done = self.parlor("rpc", "no.such", home=ada.home, status=1)
        self.assert_one_line(done.stderr)
        self.assertEqual(
            self.error(self.parlor("rpc", "no.such", "--json", home=ada.home, status=1)), (-32601, "unknown-method"))
        self.assertEqual(
            self.error(self.parlor("rpc", "room.host", '{"game":"chess"}', "--json", home=ada.home, status=2)),
            (-32602, "bad-params"))

    def test_events_are_printed_as_they_happen(self):
        ada, bea = self.lobby("snap", 2)
        run = subprocess.Popen(
            [PARLOR, "--home", ada.home, "events", "--type", "say", "--since", "0", "--json"], text=True,
            env=harness.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        for text in ("one", "two \u202e\u0007"):
            bea.call("room.say", text=text)
            event = json.loads(run.stdout.readline())
            self.assertEqual((event["type"], event["text"]), ("say", text[:3]))
        run.send_signal(2)
        self.assertIn(run.wait(5), (130, -2))
        run.stdout.close(), run.stderr.close()
        self.parlor("events", "--type", "say", "--timeout", "0.3", home=ada.home, status=6)

    def test_completion_scripts_can_be_read(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.parlor("completion", shell).stdout
            self.assertIn("parlor", script)
            for verb in VERBS:
                self.assertIn(verb, script)
        bash = self.parlor("completion", "bash").stdout
        done = subprocess.run(["bash", "-n"], input=bash, capture_output=True, text=True, timeout=20)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = [
            bash, 'name=$(complete -p parlor | sed "s/.*-F \\([^ ]*\\) .*/\\1/")',
            "COMP_WORDS=(parlor ho); COMP_CWORD=1; COMP_LINE='parlor ho'; COMP_POINT=9", '"$name" parlor ho parlor',
            'echo "${COMPREPLY[@]}"']
        done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.stdout.split(), ["host"], done.stderr)

    def full(self, home, *arguments):
        """Runs a command whose output goes where nothing can be written."""
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [PARLOR, "--home", home, *arguments], env=harness.environment(), stdin=subprocess.DEVNULL, stdout=full,
                stderr=subprocess.PIPE, text=True, timeout=30)
        self.assertEqual(done.returncode, 1, (arguments, done.stderr))
        self.assertIn("Standard output cannot be written", done.stderr, arguments)
        self.assertIn("No space left", done.stderr, arguments)

    def test_output_that_cannot_be_written(self):
        home = self.home()
        self.parlor("play", "hangman", "--detach", home=home)
        match = json.loads(self.parlor("matches", "--json", home=home).stdout)["matches"][0]["id"]
        for arguments in (
                ["help"], ["help", "games"], ["status"], ["view", "--json"], ["matches"], ["show", match],
                ["verify", match, "--json"], ["export", match], ["export", match, "--json"]):
            self.full(home, *arguments)

    def test_a_log_is_exported_to_standard_output_by_a_dash(self):
        home = self.home()
        self.parlor("play", "hangman", "--detach", home=home)
        match = json.loads(self.parlor("matches", "--json", home=home).stdout)["matches"][0]["id"]
        done = subprocess.run(
            [PARLOR, "--home", home, "export", match, "-"], env=harness.environment(), cwd=self.folder,
            capture_output=True, text=True, timeout=30)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("parlor-log "), done.stdout[:80])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "-")))

    def test_output_that_nobody_reads(self):
        home = self.home()
        self.parlor("status", home=home)
        run = subprocess.Popen(
            [PARLOR, "--home", home, "help"], env=harness.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        run.stdout.close()
        run.wait(10)
        run.stderr.close()
        self.assertLessEqual(run.returncode, 1)
