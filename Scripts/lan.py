#!/usr/bin/env python3
"""Several machines on a network of their own, on this one: for trying and testing what needs more than one.

    Scripts/lan [--machines N] [--kind KIND] [--second N] [--one] COMMAND [ARGUMENT…]
    Scripts/lan do MACHINE ACTION [WORD…]        from a command that runs in there

A machine is a network namespace with a cable to a switch (a bridge), a host name (m1, m2, …), a /run of its own, and a
system bus and an Avahi in it. The command runs on each of them at once, or with --one on m1 alone, and finds the
bus by DBUS_SYSTEM_BUS_ADDRESS. Its output is printed with the machine's name in front of each line, unless
--one; the exit status is the first that is not 0. Nothing of it touches this machine's own network.

KIND is what addresses the machines have: dual (10.77.0.N and fd77::N), ipv4, ipv6 (fd77::N), or link-local (fe80::
alone). With --second N the first N machines have another cable, to a second switch (10.78.0.N, fd78::N).

Actions: unplug [CABLE], plug [CABLE], off, on (the interface itself), address IP…, second, kill-avahi,
start-avahi, kill-bus, start-bus, block RULE (of nftables, such as "udp dport 5353 drop"), unblock, run COMMAND….

Everything lives in a process namespace that ends with this script, however it ends: the kernel then ends what
runs in it, and removes the networks. Needs root, and ip, nft, unshare, nsenter, dbus-daemon and avahi-daemon
(Scripts/setup installs them). For a test in Python: `Scripts/lan inside COMMAND` gives the command such a namespace
and an empty network; in it, import this file and use Lan.
"""
import argparse
import ctypes
import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INSIDE = "PARLOR_LAN_INSIDE"
PLACE = "PARLOR_LAN"
PREFIX = "parlor-lan-"
TOOLS = ("ip", "nft", "unshare", "setpriv", "nsenter", "mount", "dbus-daemon", "avahi-daemon")
KINDS = ("dual", "ipv4", "ipv6", "link-local")
BUS_PATH = "/run/dbus/system_bus_socket"
BUS = f"unix:path={BUS_PATH}"
START_S = 30
END_S = 5
MACHINES_MAX = 200
CLONE_NEWNET = 0x40000000
NOT_POSSIBLE = 125

AVAHI_SETTINGS = """\
[server]
use-ipv4=yes
use-ipv6=yes
enable-dbus=yes
ratelimit-interval-usec=1000000
ratelimit-burst=1000
[wide-area]
enable-wide-area=no
[publish]
publish-hinfo=no
publish-workstation=no
[reflector]
enable-reflector=no
"""
"""As Debian installs them, but for wide-area, which would ask servers elsewhere."""

# The machine's own /run hides whatever this machine runs. A machine has no DAD: an address can be used at once.
BECOME_MACHINE = """
set -e
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir /run/dbus /run/avahi-daemon
echo "$1" >/proc/sys/kernel/hostname
if [ -d /proc/sys/net/ipv6 ]; then
    for of in all default; do echo 0 >/proc/sys/net/ipv6/conf/$of/accept_dad; done
fi
ip link set lo up
echo ready
exec cat
"""


class LanError(Exception):
    """It cannot be made, or not like this; the text is for people."""


def problem():
    """Why there can be no machines here; None when there can."""
    if os.geteuid() != 0:
        return "making network namespaces needs root (sudo Scripts/lan …)"
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing:
        return f"{', '.join(missing)} not found: run Scripts/setup, which installs what is missing"
    done = subprocess.run(
        [*SPACES, "sh", "-c", "ip link add name parlor-probe type bridge && mount -t tmpfs tmpfs /run"],
        capture_output=True, text=True)
    return None if done.returncode == 0 else f"no namespaces here: {' '.join(done.stderr.split()) or 'refused'}"


SPACES = [
    "setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
"""Before a command: spaces that end with this process, and all that runs in them."""


def go_inside(words, **variables):
    """Runs a command where machines can be made, and returns its exit status."""
    why = problem()
    if why:
        print(f"lan: {why}", file=sys.stderr)
        return NOT_POSSIBLE
    signals = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    arrived = []
    for number in signals:
        signal.signal(number, lambda number, _: arrived.append(number))
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    process = subprocess.Popen(
        [*SPACES, *words], env={**os.environ, INSIDE: "yes", **variables},
        preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, signals))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    while not arrived:
        try:
            status = process.wait(0.2)
            return status if status >= 0 else 128 - status
        except subprocess.TimeoutExpired:
            pass
    # Ctrl-C has reached the command too, which may want to say something.
    end = time.monotonic() + (END_S if arrived == [signal.SIGINT] else 0)
    while process.poll() is None and time.monotonic() < end and arrived == [signal.SIGINT]:
        time.sleep(0.02)
    process.kill()
    process.wait()
    return 128 + arrived[0]


def checked(*words, **options):
    """Runs a command that has to succeed, and returns what it printed."""
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode:
        raise LanError(f"{' '.join(words)}: {done.stderr.strip() or f'exit {done.returncode}'}")
    return done.stdout


def wait_until(check, what, seconds=START_S):
    end = time.monotonic() + seconds
    while not check():
        if time.monotonic() >= end:
            raise LanError(f"waited {seconds} s for {what}")
        time.sleep(0.01)


class Cable:
    """What joins a machine to one switch: `port` is the switch's end, `end` the machine's."""

    def __init__(self, network, number):
        self.network, self.number = network, number
        self.port, self.end = f"p{network}-{number}", f"eth{network - 1}"
        self.ipv4, self.ipv6 = f"10.{76 + network}.0.{number}", f"fd{76 + network}::{number:x}"


class Machine:
    """One machine: where it is, what runs on it, and what can happen to it."""

    def __init__(self, lan, name, number, kind="dual"):
        if kind not in KINDS:
            raise LanError(f"a machine is one of {', '.join(KINDS)}, not '{kind}'")
        self.lan, self.name, self.number, self.kind = lan, name, number, kind
        self.folder = os.path.join(lan.folder, f"machine-{name}")
        self.bus = self.avahi = self.holder = None
        self.cables = []

    @property
    def enter(self):
        """What stands before a command that is to run on the machine; the process stays the same."""
        return ["nsenter", f"--target={self.pid}", "--net", "--mount", "--uts", f"--wd={os.getcwd()}"]

    @property
    def variables(self):
        return {"DBUS_SYSTEM_BUS_ADDRESS": BUS}

    @property
    def address(self):
        """Where others reach it, without a scope: IPv4 if it has that."""
        cable = self.cables[0]
        if self.kind == "link-local":
            return self.link_local
        return cable.ipv6 if self.kind == "ipv6" else cable.ipv4

    @property
    def link_local(self):
        """The address fe80::… that its first interface has; none without IPv6."""
        shown = json.loads(self.run("ip", "-json", "-6", "address", "show", "dev", "eth0", "scope", "link"))
        found = [one["local"] for entry in shown for one in entry.get("addr_info", []) if "local" in one]
        return found[0] if found else None

    # Making it.

    def build(self):
        os.makedirs(self.folder, exist_ok=True)
        self.holder = subprocess.Popen(
            ["unshare", "--net", "--mount", "--uts", "sh", "-c", BECOME_MACHINE, "machine", self.name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != "ready\n":
            raise LanError(f"{self.name}: {self.holder.stderr.read().strip() or 'could not be made'}")
        self.pid = self.holder.pid
        self.connect(1)
        return self

    def connect(self, network):
        """Another cable, to the switch of this number."""
        cable = Cable(network, self.number)
        bridge = self.lan.bridge(network)
        checked("ip", "link", "add", "name", cable.port, "type", "veth", "peer", "name", cable.end,
                "netns", str(self.pid))
        checked("ip", "link", "set", cable.port, "master", bridge, "up")
        self.cables.append(cable)
        if self.kind == "ipv4":
            self.setting(f"net/ipv6/conf/{cable.end}/disable_ipv6", 1)
        self.run("ip", "link", "set", cable.end, "up")
        if self.kind in ("dual", "ipv4"):
            self.run("ip", "address", "add", f"{cable.ipv4}/24", "dev", cable.end)
        if self.kind in ("dual", "ipv6"):
            self.run("ip", "address", "add", f"{cable.ipv6}/64", "dev", cable.end, "nodad")
        return cable

    def setting(self, path, value):
        self.run("sh", "-c", f"echo {value} >/proc/sys/{path}")

    # Running things on it.

    def run(self, *words):
        """Runs a command there that has to succeed, and returns what it printed."""
        return checked(*self.enter, *words, env={**os.environ, **self.variables})

    def popen(self, *words, **options):
        return subprocess.Popen(
            [*self.enter, *words], env={**os.environ, **self.variables, **options.pop("env", {})}, **options)

    def socket(self, family, kind=socket.SOCK_DGRAM):
        """A socket of this process on the machine's network: it stays there."""
        made = []

        def make():
            libc = ctypes.CDLL(None, use_errno=True)
            with open(f"/proc/{self.pid}/ns/net") as space:
                if libc.setns(space.fileno(), CLONE_NEWNET) != 0:
                    made.append(OSError(ctypes.get_errno(), f"setns to {self.name}"))
                    return
            try:
                made.append(socket.socket(family, kind))
            except OSError as error:
                made.append(error)
        # The namespace is the thread's, and the thread ends here.
        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        if isinstance(made[0], Exception):
            raise made[0]
        return made[0]

    # Its bus and its Avahi.

    def start(self):
        self.start_bus()
        self.start_avahi()
        return self

    def start_bus(self):
        self.run("rm", "-f", BUS_PATH)
        with self.log("bus") as log:
            self.bus = self.popen(
                "dbus-daemon", f"--config-file={PROJECT}/Config/test/bus.conf", f"--address={BUS}", "--nofork",
                "--nopidfile", "--nosyslog", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(lambda: self.runs(self.bus, "bus") and self.bus_answers(), f"the bus of {self.name}")

    def bus_answers(self):
        """Whether it takes connections: its socket is there a moment earlier."""
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(f"/proc/{self.pid}/root{BUS_PATH}")
                return True
            except OSError:
                return False

    def start_avahi(self, wait=True, settings=AVAHI_SETTINGS):
        """Starts the daemon; with `wait` it has its host name afterwards."""
        path = os.path.join(self.folder, "avahi-daemon.conf")
        with open(path, "w") as file:
            file.write(settings)
        self.run("rm", "-f", "/run/avahi-daemon/pid")
        with self.log("avahi") as log:
            self.said = log.tell()
            self.avahi = self.popen(
                "avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "--no-proc-title", f"--file={path}",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if wait:
            self.wait_for_avahi()

    def wait_for_avahi(self):
        wait_until(self.avahi_is_up, f"the Avahi of {self.name}")

    def avahi_is_up(self):
        if not self.runs(self.avahi, "avahi"):
            return False
        with open(os.path.join(self.folder, "avahi.log"), errors="replace") as log:
            log.seek(self.said)
            return "Server startup complete" in log.read()

    def kill_avahi(self, with_signal=signal.SIGKILL):
        self.finish(self.avahi, with_signal)
        self.avahi = None

    def kill_bus(self, with_signal=signal.SIGKILL):
        self.finish(self.bus, with_signal)
        self.bus = None

    def log(self, what):
        return open(os.path.join(self.folder, f"{what}.log"), "ab")

    def runs(self, process, what):
        if process.poll() is not None:
            with open(os.path.join(self.folder, f"{what}.log"), errors="replace") as log:
                raise LanError(f"{what} of {self.name} ended: {log.read().strip()[-300:]}")
        return True

    @staticmethod
    def finish(process, with_signal):
        if process and process.poll() is None:
            process.send_signal(with_signal)
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    # What happens to it.

    def unplug(self, cable=0):
        """Pulls a cable: the interface stays, without a carrier."""
        checked("ip", "link", "set", self.cables[cable].port, "down")

    def plug(self, cable=0):
        checked("ip", "link", "set", self.cables[cable].port, "up")

    def off(self):
        """Switches the first interface off, as a person does."""
        self.run("ip", "link", "set", self.cables[0].end, "down")

    def on(self):
        """Switches it on again; what the kernel took from it meanwhile is given back."""
        cable = self.cables[0]
        self.run("ip", "link", "set", cable.end, "up")
        if self.kind in ("dual", "ipv6"):
            self.run("ip", "address", "replace", f"{cable.ipv6}/64", "dev", cable.end, "nodad")

    def readdress(self, *addresses):
        """Gives the first interface other addresses, as a DHCP server may."""
        end = self.cables[0].end
        self.run("ip", "address", "flush", "dev", end, "scope", "global")
        for address in addresses:
            words = ["ip", "address", "add", f"{address}/{64 if ':' in address else 24}", "dev", end]
            self.run(*words, *(["nodad"] if ":" in address else []))
        ipv4 = [address for address in addresses if ":" not in address]
        self.cables[0].ipv4 = ipv4[0] if ipv4 else None

    def block(self, *rules, hooks=("input", "output")):
        """Lets the machine's firewall apply these rules (nftables) to what comes in and what goes out."""
        text = "".join(
            f"add chain inet parlor {hook} {{ type filter hook {hook} priority 0; }}\n"
            + "".join(f"add rule inet parlor {hook} {rule}\n" for rule in rules)
            for hook in hooks)
        checked(*self.enter, "nft", "-f", "-", input=f"add table inet parlor\n{text}")

    def unblock(self):
        self.run("nft", "flush", "ruleset")


class Lan:
    """Machines and switches; made inside (`Scripts/lan inside`), where all of it ends with the command."""

    def __init__(self, folder):
        if os.environ.get(INSIDE) != "yes":
            raise LanError("machines are made inside: Scripts/lan inside COMMAND")
        self.folder = folder
        self.machines, self.bridges = {}, {}
        self.making = threading.Lock()

    def bridge(self, network):
        """The switch of this number."""
        with self.making:
            if network not in self.bridges:
                name = f"switch{network}"
                checked("ip", "link", "add", "name", name, "type", "bridge", "stp_state", "0", "forward_delay", "0",
                        "mcast_snooping", "0")
                checked("ip", "link", "set", name, "up")
                self.bridges[network] = name
            return self.bridges[network]

    def machine(self, name, kind="dual", avahi=True):
        """One more machine; with `avahi`, its bus and its Avahi run."""
        return self.add([name], kind, avahi)[0]

    def add(self, names, kind="dual", avahi=True):
        """Several at once, which is faster than one after the other."""
        if len(self.machines) + len(names) > MACHINES_MAX:
            raise LanError(f"there can be {MACHINES_MAX} machines at most")
        made, failures = [], []
        for name in names:
            if name in self.machines:
                raise LanError(f"there is a machine {name} already")
            machine = Machine(self, name, len(self.machines) + 1, kind)
            self.machines[name] = machine
            made.append(machine)

        def build(machine):
            try:
                machine.build()
                if avahi:
                    machine.start()
            except (LanError, OSError) as error:
                failures.append(error)
        threads = [threading.Thread(target=build, args=(machine,)) for machine in made]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
        return made

    def end(self):
        """Ends what runs on the machines; they end with this process anyway."""
        for machine in self.machines.values():
            machine.kill_avahi(signal.SIGTERM)
            machine.kill_bus(signal.SIGTERM)
            if machine.holder:
                machine.holder.stdin.close()
                machine.holder.wait()
                machine.holder.stdout.close()
                machine.holder.stderr.close()
        for name in self.bridges.values():
            checked("ip", "link", "delete", name)
        self.machines, self.bridges = {}, {}


# The command line.


def serve(lan, listener):
    """Carries out what `Scripts/lan do` asks, one after the other."""
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile("rw") as lines:
            try:
                words = json.loads(lines.readline())
                answer = {"said": perform(lan, *words) or ""}
            except (LanError, OSError, ValueError, TypeError, IndexError) as error:
                answer = {"error": str(error)}
            try:
                lines.write(json.dumps(answer) + "\n")
                lines.flush()
            except OSError:
                pass


def perform(lan, name, action, *words):
    if name not in lan.machines:
        raise LanError(f"there is no machine {name}; there are {', '.join(lan.machines)}")
    machine = lan.machines[name]
    cable = int(words[0]) - 1 if words and words[0].isdigit() else 0
    actions = {
        "unplug": lambda: machine.unplug(cable), "plug": lambda: machine.plug(cable),
        "off": machine.off, "on": machine.on, "address": lambda: machine.readdress(*words),
        "second": lambda: machine.connect(2) and None, "kill-avahi": machine.kill_avahi,
        "start-avahi": machine.start_avahi, "kill-bus": machine.kill_bus, "start-bus": machine.start_bus,
        "block": lambda: machine.block(" ".join(words)), "unblock": machine.unblock, "run": lambda: machine.run(*words),
    }
    if action not in actions:
        raise LanError(f"there is no action {action}; there are {', '.join(actions)}")
    return actions[action]()


def ask(words):
    """`Scripts/lan do …`, for a command that runs on one of the machines."""
    place = os.environ.get(PLACE)
    if not place or len(words) < 2:
        print("lan: do MACHINE ACTION [WORD…] is for a command that Scripts/lan runs", file=sys.stderr)
        return 2
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.path.join(place, "do"))
        with connection.makefile("rw") as lines:
            lines.write(json.dumps(words) + "\n")
            lines.flush()
            answer = json.loads(lines.readline())
    print(answer.get("said", ""), end="")
    if "error" in answer:
        print(f"lan: {answer['error']}", file=sys.stderr)
    return 1 if "error" in answer else 0


def follow(machine, process):
    for line in process.stdout:
        sys.stdout.write(f"{machine.name}: {line}")
        sys.stdout.flush()


def make_folder():
    """A folder for logs, and the descriptor that holds it; those that a killed script left behind are removed."""
    for entry in os.scandir(tempfile.gettempdir()):
        if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
            held = hold(entry.path)
            if held is not None:
                shutil.rmtree(entry.path, ignore_errors=True)
                os.close(held)
    folder = tempfile.mkdtemp(prefix=PREFIX)
    return folder, hold(folder)


def hold(folder):
    """Locks a folder for as long as this process lives; None when another has it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return descriptor
    except OSError:
        os.close(descriptor)
        return None


def run_on_machines(options):
    folder = os.environ[PLACE]
    try:
        lan = Lan(folder)
        machines = lan.add([f"m{number + 1}" for number in range(options.machines)], options.kind)
        for machine in machines[:options.second]:
            machine.connect(2)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(os.path.join(folder, "do"))
        listener.listen()
        threading.Thread(target=serve, args=(lan, listener), daemon=True).start()
        return run_command(machines[:1] if options.one else machines, options)
    except LanError as error:
        print(f"lan: {error}", file=sys.stderr)
        return NOT_POSSIBLE


def run_command(machines, options):
    started, followers = [], []
    for machine in machines:
        alone = {} if options.one else {
            "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        environment = {"PARLOR_LAN_MACHINE": machine.name, "PARLOR_LAN_ADDRESS": machine.address or ""}
        process = machine.popen(*options.command, env=environment, **alone)
        started.append(process)
        if not options.one:
            followers.append(threading.Thread(target=follow, args=(machine, process), daemon=True))
            followers[-1].start()
    statuses = [process.wait() for process in started]
    for follower in followers:
        follower.join(END_S)
    statuses = [status if status >= 0 else 128 - status for status in statuses]
    return next((status for status in statuses if status), 0)


def main(words):
    if words[:1] == ["do"]:
        return ask(words[1:])
    if words[:1] == ["inside"] and len(words) > 1:
        return go_inside(words[1:])
    if words == ["check"]:
        why = problem()
        if why:
            print(f"lan: {why}", file=sys.stderr)
        return NOT_POSSIBLE if why else 0
    parser = argparse.ArgumentParser(
        prog="Scripts/lan", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--machines", "-n", type=int, default=2, help="how many machines (2)")
    parser.add_argument("--kind", choices=KINDS, default="dual", help="what addresses they have (dual)")
    parser.add_argument("--second", type=int, default=0, metavar="N", help="how many have a second cable (0)")
    parser.add_argument("--one", action="store_true", help="run the command on m1 alone")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(words)
    if not options.command or not 1 <= options.machines <= MACHINES_MAX:
        parser.error("name a command, and from 1 to 200 machines")
    if os.environ.get(INSIDE) == "yes" and PLACE in os.environ:
        return run_on_machines(options)
    folder, _ = make_folder()
    try:
        return go_inside([sys.executable, os.path.abspath(__file__), *words], **{PLACE: folder})
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
