#!/usr/bin/env python3
"""Runs the command's tests. Each is a folder beside this file with
    cmd     a shell snippet, run in a new folder with the built programs first on the PATH; in it
            $TRACES leads to the repository's traces and $CASES to the case's folder, by short
            relative paths: what a case prints must not depend on where the repository lies
    stdout  what it must print; stderr likewise: no file means nothing
    exit    its exit code: no file means 0
In both outputs the repository's path reads $ROOT. A crash, a hang, a sanitizer's report or a failure
without a word fails whatever the files say."""
import argparse
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import harness  # noqa: E402


def came_from(case, bin_folder):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "traces").symlink_to(harness.ROOT / "traces")
        (pathlib.Path(folder) / "case").symlink_to(case)
        return harness.run((case / "cmd").read_text(), bin_folder, folder,
                           TRACES="traces", CASES="case")


def files_of(outcome):
    return {"stdout": outcome.stdout, "stderr": outcome.stderr, "exit": f"{outcome.exit}\n"}


def expected_file(case, name):
    path = case / name
    if path.exists():
        return path.read_bytes().decode("utf-8", "backslashreplace")
    return "0\n" if name == "exit" else ""


def bless(case, outcome):
    default = {"stdout": "", "stderr": "", "exit": "0\n"}
    for name, text in files_of(outcome).items():
        if text == default[name]:
            (case / name).unlink(missing_ok=True)
        else:
            (case / name).write_text(text)


def complaint(case, outcome):
    """What is wrong with the outcome, or nothing."""
    wrong = outcome.misbehaviour()
    text = f"{wrong}\n" if wrong else ""
    return text + "".join(harness.difference(name, expected_file(case, name), came)
                          for name, came in files_of(outcome).items())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=harness.ROOT / "build/bin",
                        help="folder of the programs (build/bin)")
    parser.add_argument("--filter", default="", help="only cases with this in their name")
    parser.add_argument("--bless", action="store_true", help="write what came as what is expected")
    parser.add_argument("case", nargs="*", help="names of cases; all when none is given")
    options = parser.parse_args()
    if not (options.bin / "bankshot").is_file():
        parser.error(f"--bin: there is no program bankshot in '{options.bin}'")

    cases = [HERE / name for name in options.case] or sorted(p.parent for p in HERE.glob("*/cmd"))
    cases = [case for case in cases if options.filter in case.name]
    failed = 0
    for case in cases:
        outcome = came_from(case, options.bin.resolve())
        if options.bless and not outcome.misbehaviour():
            bless(case, outcome)
        elif text := complaint(case, outcome):
            failed += 1
            print(f"--- {case.name}: {(case / 'cmd').read_text().strip()}\n{text}"
                  f"To run just this: python3 tests/cli/run_cases.py --bin '{options.bin}' "
                  f"{case.name}\n")
    print(f"{len(cases) - failed} cases passed, {failed} failed")
    return 1 if failed or not cases else 0


sys.exit(main())
