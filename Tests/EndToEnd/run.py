#!/usr/bin/env python3
"""Runs the end-to-end tests: each in a process of its own, two at a time, each with a time limit.

    Tests/EndToEnd/run.py [-k TEXT]… [--jobs N] [--list] [--figures] [--tests FOLDER]

Tests that find rooms get a bus, an Avahi and a loopback network of their own through Scripts/with-avahi, or the
network alone; those in Tests/Lan (--tests Tests/Lan) get a namespace to make machines in, through Scripts/lan. Where
that is impossible they are skipped, loudly, and counted. The folder of a failed test, with all logs, is kept.
"""
import argparse
import concurrent.futures
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import harness  # noqa: E402

# A network of its own that has nothing but loopback, for what does multicast DNS by itself.
ALONE = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "alone"]
WITH_AVAHI = os.path.join(harness.PROJECT, "Scripts", "with-avahi")
LAN = os.path.join(harness.PROJECT, "Scripts", "lan")
PASSED, FAILED, SKIPPED = 0, 1, 77
BUS_S = 20
OUTPUT_LINES = 25


def surroundings(test):
    """What a test is run with, and how to find out whether that can be had."""
    if test.needs_lan:
        return [LAN, "inside"], [LAN, "check"]
    if test.needs_avahi:
        return [WITH_AVAHI], [WITH_AVAHI, "true"]
    return (ALONE, [*ALONE, "true"]) if test.needs_network else ([], [])


def all_tests(folder):
    def flat(suite):
        for item in suite:
            if isinstance(item, unittest.TestSuite):
                yield from flat(item)
            else:
                yield item
    loader = unittest.TestLoader()
    tests = list(flat(loader.discover(folder, pattern="test_*.py", top_level_dir=folder)))
    if loader.errors:
        sys.exit("\n".join(loader.errors))
    return tests


def run_here(name):
    """Runs one test in this process."""
    result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(
        unittest.TestLoader().loadTestsFromName(name))
    if result.skipped:
        print(f"SKIPPED: {result.skipped[0][1]}", file=sys.stderr)
        return SKIPPED
    return PASSED if result.wasSuccessful() and result.testsRun == 1 else FAILED


class Runner:
    def __init__(self, folder, tests, problems, figures=False):
        self.folder, self.tests, self.problems, self.figures = folder, tests, problems, figures
        self.counts = {PASSED: 0, FAILED: 0, SKIPPED: 0}
        self.printing = threading.Lock()

    def run(self, number, test):
        name = test.id()
        before, check = surroundings(test)
        if self.problems.get(tuple(check)):
            return self.report(name, SKIPPED, 0, self.problems[tuple(check)])
        place = os.path.join(self.folder, str(number))
        os.mkdir(place, 0o700)
        words = [*before, sys.executable, os.path.abspath(__file__), "--tests", self.tests, "--one", name]
        began = time.monotonic()
        with open(os.path.join(place, "output.log"), "wb") as log:
            process = subprocess.Popen(
                words, env={**os.environ, "PARLOR_E2E_FOLDER": place}, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)
            try:
                status = process.wait(test.limit_s + (BUS_S if before else 0))
            except subprocess.TimeoutExpired:
                status = FAILED
                log.write(b"the test did not end in time\n")
                self.end(process)
        harness.end_daemons(place)
        with open(os.path.join(place, "output.log"), errors="replace") as log:
            said = log.read()
        status = status if status in self.counts else FAILED
        if status == FAILED:
            text = "\n".join(said.splitlines()[-OUTPUT_LINES:]) + f"\nlogs: {place}"
        else:
            # What a test prints comes before what is said of it.
            text = said.partition("SKIPPED: ")[2].strip() or (said.partition("-----")[0].strip() if self.figures else "")
            shutil.rmtree(place, ignore_errors=True)
        self.report(name, status, time.monotonic() - began, text)

    @staticmethod
    def end(process):
        """Ends a test and what it started, which all is in its session's process group."""
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()

    def report(self, name, status, seconds, text):
        word = {PASSED: "ok  ", FAILED: "FAIL", SKIPPED: "skip"}[status]
        with self.printing:
            self.counts[status] += 1
            print(f"{word} {name} ({seconds:.1f} s)" + (f": {text}" if text and status != FAILED else ""))
            if status == FAILED:
                print("     " + text.replace("\n", "\n     "))
            sys.stdout.flush()


def problem(check):
    """Why a test cannot have what it needs; nothing when it can."""
    if not check:
        return None
    try:
        done = subprocess.run(check, capture_output=True, text=True, timeout=BUS_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr.strip() or f"exit {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-k", action="append", default=[], metavar="TEXT", help="only tests with this in their name")
    parser.add_argument("--jobs", type=int, default=2, help="how many tests at a time (2)")
    parser.add_argument("--list", action="store_true", help="print the names of the tests")
    parser.add_argument("--figures", action="store_true", help="show also what passed tests print")
    parser.add_argument("--tests", default=HERE, metavar="FOLDER", help="where the tests are (Tests/EndToEnd)")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    place = os.path.abspath(options.tests)
    sys.path.insert(0, place)
    if options.one:
        sys.exit(run_here(options.one))
    tests = [test for test in all_tests(place) if not options.k or any(text in test.id() for text in options.k)]
    if options.list:
        return print("\n".join(test.id() for test in tests))
    for program in (harness.PARLORD, harness.PARLOR):
        if not os.access(program, os.X_OK):
            sys.exit(f"{program} is not there: build it (swift build -c release) or name its folder in PARLOR_BIN")
    problems = {check: problem(list(check)) for check in {tuple(surroundings(test)[1]) for test in tests}}
    for why in filter(None, problems.values()):
        print(f"WARNING: tests are skipped, because this machine lacks what they need: {why}", flush=True)
    folder = tempfile.mkdtemp(prefix="parlor-e2e-")
    runner = Runner(folder, place, problems, options.figures)
    # The long ones first, so that none of them is alone at the end.
    order = sorted(enumerate(tests), key=lambda item: -item[1].limit_s)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(runner.run, number, test) for number, test in order]:
            future.result()
    try:
        os.rmdir(folder)
    except OSError:
        pass  # a failed test's logs are in it
    counts = runner.counts
    print(f"{counts[PASSED]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped")
    sys.exit(1 if counts[FAILED] or not counts[PASSED] + counts[SKIPPED] else 0)


if __name__ == "__main__":
    main()
