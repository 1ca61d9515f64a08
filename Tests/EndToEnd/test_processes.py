"""Starting and stopping: homes, ports, sockets, settings, and who starts the daemon."""
import json
import os
import shutil
import signal
import socket
import subprocess
import threading

import harness
from harness import PARLOR, PARLORD, Scenario


class Processes(Scenario):
    def run_daemon(self, *arguments, status, **variables):
        """A daemon that must not come up."""
        done = subprocess.run(
            [PARLORD, *arguments], env=harness.environment(**variables), capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def place(self, name="place"):
        return os.path.join(self.folder, name)

    # Homes and sockets.

    def test_a_second_daemon_on_one_home_says_who_is_there(self):
        ada = self.peer("ada")
        done = self.run_daemon("--home", ada.home, "--listen", "127.0.0.1", "--discovery", "off", status=1)
        self.assertIn(str(ada.pid), done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertEqual(ada.call("status")["pid"], ada.pid)

    def test_what_a_killed_daemon_left_is_taken_over(self):
        ada = self.peer("ada")
        old, id = ada.pid, ada.id
        ada.kill()
        self.assertTrue(os.path.exists(ada.control))
        self.assertTrue(os.path.exists(os.path.join(ada.home, "run", "endpoints.json")))
        ada.start()
        self.assertNotEqual(ada.pid, old)
        self.assertEqual(ada.id, id, "the identity stays")

    def test_a_daemon_whose_home_is_removed_says_so_and_ends(self):
        ada, bea = self.lobby("snap", 2)
        shutil.rmtree(ada.home)
        self.assertEqual(ada.process.wait(10), 0)
        self.assertIn("control.sock is gone, so that nobody can reach this daemon", ada.log())
        bea.event("room.closed", reason="shutting-down")
        ada.start()
        self.assertEqual(ada.call("profile.get")["name"], "ada")

    def test_a_stale_socket_without_a_daemon_is_taken_over(self):
        ada = self.prepare("ada")
        os.makedirs(os.path.join(ada.home, "run"), 0o700)
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(ada.control)
        ada.start()
        self.assertEqual(ada.call("profile.get")["name"], "ada")

    def test_a_home_whose_path_is_too_long(self):
        home = self.place("x" * 120)
        done = self.run_daemon("--home", home, "--listen", "127.0.0.1", status=2)
        self.assertIn("107", done.stderr)
        self.assertFalse(os.path.exists(home))
        done = self.parlor("status", home=home, status=2)
        self.assertIn("107", done.stderr)
        error = json.loads(self.parlor("status", "--json", home=home, status=2).stdout)["error"]
        self.assertEqual((error["code"], error["reason"]), (0, "usage"))

    def test_a_home_that_is_open_to_others_is_refused(self):
        home = self.home()
        os.makedirs(os.path.join(home, "run"))
        os.chmod(os.path.join(home, "run"), 0o755)
        self.assertIn("chmod 700", self.run_daemon("--home", home, status=1).stderr)

    def test_a_damaged_identity_is_not_replaced(self):
        ada = self.peer("ada")
        key = os.path.join(ada.home, "data", "identity.key")
        ada.stop()
        with open(key, "r+b") as file:
            file.truncate(7)
        ada.launch()
        self.assertEqual(ada.process.wait(10), 1, ada.log())
        self.assertIn("identity.key", ada.log())
        self.assertEqual(os.path.getsize(key), 7)

    def test_the_home_comes_from_the_environment_too(self):
        home = self.home()
        done = self.parlor("status", "--json", PARLOR_HOME=home)
        self.assertTrue(os.path.exists(os.path.join(home, "run", "control.sock")))
        self.assertEqual(json.loads(done.stdout)["endpoints"][0]["address"], "127.0.0.1")

    def test_the_folders_of_the_system(self):
        places = {name: self.place(name) for name in ("config", "data", "state", "run")}
        for place in places.values():
            os.mkdir(place, 0o700)
        os.mkdir(os.path.join(places["config"], "parlor"))
        with open(os.path.join(places["config"], "parlor", "parlor.conf"), "w") as file:
            file.write("[network]\nlisten = 127.0.0.1\n[discovery]\nbackend = off\n[profile]\nname = Xenia\n")
        variables = {
            "HOME": self.folder, "XDG_CONFIG_HOME": places["config"], "XDG_DATA_HOME": places["data"],
            "XDG_STATE_HOME": places["state"], "XDG_RUNTIME_DIR": places["run"]}
        status = json.loads(self.parlor("status", "--json", **variables).stdout)
        self.addCleanup(harness.end_process, status["pid"])
        self.assertEqual(status["peer"]["name"], "Xenia")
        for file in ("data/parlor/identity.key", "state/parlor/parlord.log", "run/parlor/control.sock",
                     "run/parlor/endpoints.json"):
            self.assertTrue(os.path.exists(self.place(file)), file)
        self.parlor("daemon", "stop", **variables)
        self.assertFalse(harness.is_running(status["pid"]))

    # Ports.

    def test_a_named_port_that_is_taken(self):
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", 0))
            holder.listen()
            port = holder.getsockname()[1]
            done = self.run_daemon(
                "--home", self.place(), "--discovery", "off", "--listen", f"127.0.0.1:{port}", status=4)
            self.assertIn(str(port), done.stderr)
            home = self.home(settings=f"[network]\nlisten = 127.0.0.1\nport = {port}\n[discovery]\nbackend = off\n")
            self.assertIn(str(port), self.run_daemon("--home", home, status=4).stderr)
            done = self.parlor("status", home=home, status=4)
            self.assertIn(str(port), done.stderr)
        self.parlor("status", home=home)

    def test_a_named_port_that_is_free_is_used(self):
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", 0))
            port = holder.getsockname()[1]
        ada = self.peer("ada", listen=f"127.0.0.1:{port}")
        self.assertEqual((ada.port, ada.endpoints["addresses"]), (port, [f"127.0.0.1:{port}"]))
        ada.stop()
        self.assertEqual(ada.start().port, port, "the port can be used again at once")

    def test_two_addresses_share_a_port(self):
        ada = self.peer("ada", listen="127.0.0.1", arguments=["--listen", "127.0.0.2"])
        self.assertEqual(ada.endpoints["addresses"], [f"127.0.0.1:{ada.port}", f"127.0.0.2:{ada.port}"])
        ada.call("room.host", game="snap", name="Kitchen")
        bea = self.peer("bea")
        self.assertEqual(bea.call("room.join", address=f"127.0.0.2:{ada.port}")["name"], "Kitchen")
        self.run_daemon(
            "--home", self.place(), "--listen", "127.0.0.1:40001", "--listen", "127.0.0.2:40002", status=2)

    # The command line and the settings.

    def test_usage_of_parlord(self):
        for arguments in (
            ["--listen", "nonsense"], ["--listen", "127.0.0.1:99999"], ["--listen"], ["--discovery", "bonjour"],
            ["--what"], ["extra"],
        ):
            done = self.run_daemon("--home", self.place(), *arguments, status=2)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("usage: parlord", self.run_daemon("--help", status=0).stdout)
        self.assertRegex(self.run_daemon("--version", status=0).stdout, r"^parlord \d+\.\d+")
        self.assertFalse(os.path.exists(self.place()))

    def test_settings_with_wrong_lines(self):
        home = self.home(settings="[network]\nlisten = 127.0.0.1\nprot = 5\n\n[discovery]\nbackend = maybe\n")
        done = self.run_daemon("--home", home, status=2)
        path = os.path.join(home, "config", "parlor.conf")
        self.assertIn(f"{path}, line 3: ", done.stderr)
        self.assertIn("port", done.stderr)
        self.assertIn(f"{path}, line 6: ", done.stderr)
        self.assertIn("avahi", done.stderr)
        self.assertNotEqual(self.parlor("status", home=home, status=3).stderr, "")

    def test_settings_are_used_and_the_command_line_wins(self):
        settings = "[network]\nlisten = 127.0.0.1\n[discovery]\nbackend = off\n[profile]\nname = Countess\n"
        home = self.home(settings=settings)
        self.assertEqual(json.loads(self.parlor("profile", "--json", home=home).stdout)["name"], "Countess")
        self.parlor("daemon", "stop", home=home)
        other = self.place("other.conf")
        with open(other, "w") as file:
            file.write(settings.replace("Countess", "Duchess"))
        ada = self.peer("ada", arguments=["--config", other])
        self.assertEqual(ada.call("profile.get")["name"], "ada")
        self.run_daemon("--home", self.place(), "--config", self.place("missing.conf"), status=2)

    def test_settings_are_read_again_on_hangup(self):
        home = self.home(settings="[network]\nlisten = 127.0.0.1\n[discovery]\nbackend = off\n[profile]\nname = One\n")
        status = json.loads(self.parlor("status", "--json", home=home).stdout)
        path = os.path.join(home, "config", "parlor.conf")
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("One", "Two"))
        os.kill(status["pid"], signal.SIGHUP)

        def name():
            return json.loads(self.parlor("profile", "--json", home=home).stdout)["name"]
        harness.eventually(lambda: name() == "Two", "the new name", 10)
        with open(path, "w") as file:
            file.write("nonsense\n")
        os.kill(status["pid"], signal.SIGHUP)
        self.assertEqual(json.loads(self.parlor("status", "--json", home=home).stdout)["pid"], status["pid"])

    # Who starts the daemon.

    def test_ten_racing_commands_start_one_daemon(self):
        home = self.home()
        runs = [subprocess.Popen(
            [PARLOR, "--home", home, "status", "--json"], env=harness.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(10)]
        pids = set()
        for run in runs:
            out, error = run.communicate(timeout=30)
            self.assertEqual(run.returncode, 0, error)
            pids.add(json.loads(out)["pid"])
        self.assertEqual(len(pids), 1)
        daemons = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if home.encode() in words and words[0].endswith(b"parlord"):
                daemons.append(int(pid))
        self.assertEqual(set(daemons), pids)
        with open(os.path.join(home, "state", "parlord.log")) as file:
            self.assertEqual(file.read().count("listens on"), 1)

    def test_a_daemon_that_a_command_started_outlives_it_and_stops_when_told(self):
        home = self.home()
        room = json.loads(self.parlor("host", "snap", "--name", "Kitchen", "--json", home=home).stdout)
        self.assertEqual((room["name"], room["role"]), ("Kitchen", "host"))
        status = json.loads(self.parlor("status", "--json", home=home).stdout)
        self.assertEqual([one["name"] for one in status["rooms"]], ["Kitchen"])
        self.assertTrue(harness.is_running(status["pid"]))
        stopped = json.loads(self.parlor("daemon", "stop", "--json", home=home).stdout)
        self.assertEqual(stopped, {"state": "stopped", "pid": status["pid"]})
        self.assertFalse(harness.is_running(status["pid"]))
        self.assertEqual(json.loads(self.parlor("daemon", "stop", "--json", home=home).stdout), {"state": "stopped"})

    def test_daemon_start_and_restart(self):
        home = self.home()
        first = json.loads(self.parlor("daemon", "start", "--json", home=home).stdout)
        self.assertEqual(json.loads(self.parlor("daemon", "start", "--json", home=home).stdout), first)
        second = json.loads(self.parlor("daemon", "restart", "--json", home=home).stdout)
        self.assertNotEqual(second["pid"], first["pid"])
        self.assertFalse(harness.is_running(first["pid"]))
        logs = json.loads(self.parlor("daemon", "logs", "--json", home=home).stdout)
        self.assertEqual(logs["file"], os.path.join(home, "state", "parlord.log"))
        self.assertTrue(any("listens on" in line for line in logs["lines"]))

    def test_a_frozen_daemon_is_not_started_twice(self):
        ada = self.peer("ada")
        os.kill(ada.pid, signal.SIGSTOP)
        done = self.parlor("status", home=ada.home, status=3)
        self.assertIn(str(ada.pid), done.stderr)
        os.kill(ada.pid, signal.SIGCONT)
        self.parlor("status", home=ada.home)

    def test_without_parlord_beside_it_the_command_says_so(self):
        place = self.place("alone")
        os.mkdir(place)
        copy = os.path.join(place, "parlor")
        shutil.copy(PARLOR, copy)
        done = subprocess.run(
            [copy, "--home", self.home(), "status"], env=harness.environment(PATH=place), capture_output=True, text=True,
            timeout=30)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("parlord", done.stderr)

    def test_many_homes_side_by_side(self):
        homes = [self.home(f"home{number}") for number in range(6)]
        pids, problems = [], []

        def start(home):
            try:
                pids.append(json.loads(self.parlor("status", "--json", home=home).stdout)["pid"])
            except AssertionError as error:
                problems.append(error)
        threads = [threading.Thread(target=start, args=(home,)) for home in homes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])
        self.assertEqual(len(set(pids)), 6)


class Ports(Scenario):
    """In a network of its own, where nobody else has a port."""

    needs_avahi = True

    def test_without_a_name_the_next_port_is_taken(self):
        peers = self.peers(*[f"peer{number}" for number in range(4)], discovery="off")
        ports = [peer.port for peer in peers]
        self.assertEqual(sorted(ports), [27720, 27721, 27722, 27723])
        for peer in peers:
            self.assertNotIn("taken", peer.log())
        for port in range(27720, 27736):
            holder = socket.socket()
            self.addCleanup(holder.close)
            if port not in ports:
                holder.bind(("127.0.0.1", port))
                holder.listen()
        last = self.peer("last", discovery="off")
        self.assertFalse(27720 <= last.port <= 27735, last.port)

    def test_two_addresses_move_on_together(self):
        holder = socket.socket()
        self.addCleanup(holder.close)
        holder.bind(("127.0.0.2", 27720))
        holder.listen()
        ada = self.peer("ada", discovery="off", arguments=["--listen", "127.0.0.2"])
        self.assertEqual(ada.endpoints["addresses"], ["127.0.0.1:27721", "127.0.0.2:27721"])
        self.assertEqual(
            ada.call("status")["endpoints"],
            [{"address": "127.0.0.1", "port": 27721}, {"address": "127.0.0.2", "port": 27721}])
