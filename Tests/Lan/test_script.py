"""Scripts/lan itself: what it promises, and that nothing stays of it."""
import os
import shutil
import signal
import subprocess
import sys

import harness
from harness import Scenario, eventually
from machines import lan

LAN = os.path.join(harness.PROJECT, "Scripts", "lan")


class Script(Scenario):
    needs_lan = True

    def lan(self, *words, status=0):
        done = subprocess.run([LAN, *words], capture_output=True, text=True, timeout=40, env=self.environment())
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def environment(self):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("PARLOR_LAN")}
        return {**kept, "TMPDIR": self.folder}

    def test_a_command_runs_on_each_machine(self):
        said = self.lan("-n", "3", "sh", "-c", "hostname 2>/dev/null || uname -n; echo $PARLOR_LAN_ADDRESS")
        self.assertEqual(
            sorted(said.splitlines()),
            ["m1: 10.77.0.1", "m1: m1", "m2: 10.77.0.2", "m2: m2", "m3: 10.77.0.3", "m3: m3"])

    def test_its_status_is_the_commands(self):
        self.lan("-n", "2", "sh", "-c", "[ $PARLOR_LAN_MACHINE = m1 ] || exit 9", status=9)

    def test_kinds_of_addresses(self):
        for kind, wanted in (("ipv4", "10.77.0.2 "), ("ipv6", "fd77::2 fe80 "), ("link-local", "fe80 "),
                             ("dual", "10.77.0.2 fd77::2 fe80 ")):
            said = self.lan("--kind", kind, "--one", "sh", "-c", f"{LAN} do m2 run ip -brief address show dev eth0")
            words = [word.split("/")[0] for word in said.split()[2:]]
            shown = "".join(("fe80" if word.startswith("fe80") else word) + " " for word in words)
            self.assertEqual(shown, wanted, kind)

    def test_cables_and_addresses(self):
        steps = [
            ("unplug", "NO-CARRIER"), ("plug", "LOWER_UP"), ("off", "state DOWN"), ("on", "LOWER_UP"),
            ("address 10.77.0.50", "10.77.0.50"), ("second", "10.78.0.2")]
        script = "\n".join(f"{LAN} do m2 {action}; {LAN} do m2 run ip address; echo ----" for action, _ in steps)
        parts = self.lan("--one", "sh", "-c", script).split("----\n")
        for (action, wanted), shown in zip(steps, parts, strict=False):
            self.assertIn(wanted, shown, action)

    def test_nothing_is_left_however_it_ends(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            marker = f"{int(number)}.{os.getpid()}77"
            script = subprocess.Popen(
                [LAN, "--one", "-n", "2", "sleep", f"1{marker}"], env=self.environment(), start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            eventually(lambda: self.running("sleep", f"1{marker}"), "the command to run")
            script.send_signal(number)
            script.wait(20)
            eventually(lambda: self.running(f"1{marker}") == 0, f"all to end after {number!r}")
        self.lan("-n", "1", "true")
        left = [name for name in os.listdir(self.folder) if name.startswith("parlor-lan-")]
        self.assertEqual(left, [])

    def test_a_missing_program_is_named_in_one_line(self):
        tools = {tool: shutil.which(tool, path=os.environ["PATH"] + ":/usr/sbin:/sbin") for tool in lan.TOOLS}
        for number, missing in enumerate(tools):
            folder = os.path.join(self.folder, f"path-{number}")
            os.mkdir(folder)
            for tool, place in tools.items():
                if tool != missing:
                    os.symlink(place, os.path.join(folder, tool))
            done = subprocess.run([sys.executable, f"{LAN}.py", "check"], capture_output=True, text=True, timeout=20,
                                  env={**self.environment(), "PATH": folder})
            self.assertEqual(done.returncode, 125, missing)
            self.assertEqual(
                done.stderr, f"lan: {missing} not found: run Scripts/setup, which installs what is missing\n")

    def running(self, *words):
        """How many processes have this word on their command line, or consist of these words."""
        count = 0
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    line = file.read().split(b"\0")[:-1]
                wanted = [word.encode() for word in words]
                count += line == wanted or (len(wanted) == 1 and wanted[0] in line)
            except OSError:
                pass
        return count


class WithoutRoot(Scenario):
    def test_it_says_what_it_needs(self):
        other = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        words = [*other, sys.executable, f"{LAN}.py", "true"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=20, cwd="/")
        if "Permission denied" in done.stderr or "No such file" in done.stderr:
            self.skipTest("the project's folder, or Python, is not open to others")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertEqual(done.stderr, "lan: making network namespaces needs root (sudo Scripts/lan …)\n")
