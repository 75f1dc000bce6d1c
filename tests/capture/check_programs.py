#!/usr/bin/env python3
"""Does a program's capture come out as it should? Runs bankshot-capture on a program that has the
capture library and a driver of its own in it: the socket, the ring, the threads and the processes are
real, the GPU is not. Usage: check_programs.py BANKSHOT-CAPTURE FAKE-PROGRAM BANKSHOT"""
import os
import pathlib
import subprocess
import sys
import tempfile

CAPTURE, PROGRAM, BANKSHOT = sys.argv[1:4]
SLOTS = 1 << 16


class Case:
    """One run in a folder of its own."""

    def __init__(self, folder, name, arguments, program=(PROGRAM,), **environment):
        self.folder = pathlib.Path(folder) / name
        self.folder.mkdir()
        self.name = name
        environment = {**os.environ, "BANKSHOT_CAPTURE_LIBRARY": PROGRAM, "PATH": "/nowhere",
                       "BANKSHOT_CAPTURE_DEVICES": "9.0 1024 fake GPU", **environment}
        environment.pop("CUDA_HOME", None)
        self.outcome = subprocess.run([CAPTURE, *arguments, *program], cwd=self.folder, timeout=100,
                                      env=environment, capture_output=True, text=True)
        self.wrong = []

    def expect(self, what, expected, got):
        if expected != got:
            self.wrong.append(f"{self.name}: {what}: expected {expected!r}, got {got!r}")

    def expect_said(self, part):
        if part not in self.outcome.stderr:
            self.wrong.append(f"{self.name}: expected {part!r} in {self.outcome.stderr!r}")

    def records(self, trace="capture.trace"):
        """Of each op, as bankshot itself counts them in the trace."""
        done = subprocess.run([BANKSHOT, "run", "--by", "op", "--format", "csv", trace],
                              cwd=self.folder, capture_output=True, text=True)
        rows = [line.split(",") for line in done.stdout.splitlines()]
        return {row[0]: int(row[rows[0].index("records")]) for row in rows[1:]}


def plain(folder):
    case = Case(folder, "plain", [])
    case.expect("exit", 0, case.outcome.returncode)
    case.expect("output", "the program's own output\n", case.outcome.stdout)
    case.expect("records", {"st.b32": 28, "bar": 26, "ld.b32": 26, "atom.add.b32": 40},
                case.records())
    case.expect_said("capture.trace: 3 launches, 120 records")
    case.expect_said("2 kernels without a listing")
    return case


def more_than_the_ring_holds(folder):
    case = Case(folder, "many", ["-o", "many.bst"], (PROGRAM, "many"))
    case.expect("exit", 0, case.outcome.returncode)
    case.expect("records", 3 * SLOTS + 80, sum(case.records("many.bst").values()))
    return case


def choices(folder):
    case = Case(folder, "choices", ["-k", "shift", "--launch", "1", "--cta", "1-2"])
    case.expect("records", 24, sum(case.records().values()))
    case.expect_said("capture.trace: 1 launch, 24 records")
    case.expect_said("16 accesses of CTAs that were not asked for")
    return case


def at_most(folder):
    case = Case(folder, "at most", ["--max-records", "50"])
    case.expect("records", 50, sum(case.records().values()))
    case.expect_said("70 accesses beyond the number asked for")
    return case


def replay(folder):
    case = Case(folder, "replay", ["--record", "kept"])
    trace = (case.folder / "capture.trace").read_text()
    again = subprocess.run([CAPTURE, "--replay", "kept", "-o", "-"], cwd=case.folder,
                           env={**os.environ, "PATH": "/nowhere"}, capture_output=True, text=True)
    case.expect("the same trace again", trace, again.stdout)
    return case


def troubles(folder):
    graph = Case(folder, "graph", [], (PROGRAM, "graph"))
    graph.expect_said("1 launches not captured: they are part of a CUDA graph")
    fails = Case(folder, "fails", [], (PROGRAM, "fails"))
    fails.expect_said("1 launches failed: an illegal address was accessed")
    dies = Case(folder, "dies", [], (PROGRAM, "dies"))
    dies.expect("exit", 7, dies.outcome.returncode)
    dies.expect_said("the program ended within a launch")
    refuses = Case(folder, "refuses", [], (PROGRAM, "refuses"))
    refuses.expect("exit", 1, refuses.outcome.returncode)
    refuses.expect_said("does not patch the accesses of a module")
    none = Case(folder, "none", ["-k", "no*"])
    none.expect("exit", 1, none.outcome.returncode)
    none.expect_said("no launch of a kernel that fits 'no*' was captured")
    full = Case(folder, "full", ["-o", "/dev/full"], (PROGRAM, "many"))
    full.expect("exit", 5, full.outcome.returncode)
    return [graph, fails, dies, refuses, none, full]


def processes(folder):
    shell = f"{PROGRAM} & {PROGRAM} & wait; exit 3"
    case = Case(folder, "processes", [], ("/bin/sh", "-c", shell))
    case.expect("exit", 3, case.outcome.returncode)
    case.expect("records", 240, sum(case.records().values()) +
                sum(case.records("capture.2.trace").values()))
    missing = Case(folder, "missing", [], ("./no-such-program",))
    missing.expect("exit", 2, missing.outcome.returncode)
    unused = Case(folder, "unused", [], ("/bin/sh", "-c", "exit 0"))
    unused.expect("exit", 1, unused.outcome.returncode)
    unused.expect_said("the program did not use CUDA")
    return [case, missing, unused]


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = [check(folder) for check in (plain, more_than_the_ring_holds, choices, at_most,
                                             replay)]
        cases += troubles(folder) + processes(folder)
    wrong = [line for case in cases for line in case.wrong]
    print("\n".join(wrong) or f"{len(cases)} captures are what they should be")
    sys.exit(bool(wrong))


main()
