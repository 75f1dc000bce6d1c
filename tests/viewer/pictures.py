#!/usr/bin/env python3
"""Draws the golden pictures of the viewer anew and compares them with those that are kept: the
scenes of tests/viewer/golden, each a file NAME.cmd beside NAME.png, and the pictures of
docs/lesson.md, each made by the command above it. A picture of what differs is left in the folder
of --out. --bless keeps the new pictures instead."""
import argparse
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

GOLDEN = harness.ROOT / "tests/viewer/golden"
LESSON = harness.ROOT / "docs/lesson.md"

# A command that opens the window, then its picture, with what only the picture needs in a comment.
STOP = re.compile(r"```sh\n(bankshot view (?:[^`\n]|\\\n)*)\n```\n\n"
                  r"!\[[^\]]*\]\((lesson/[\w-]+\.png)\)(?: *<!-- (.*?) -->)?")


def pictures():
    """Name, command without --shot, and the kept picture of each."""
    for command in sorted(GOLDEN.glob("*.cmd")):
        yield command.stem, command.read_text().strip(), command.with_suffix(".png")
    for command, picture, more in STOP.findall(LESSON.read_text()):
        yield pathlib.Path(picture).stem, f"{command} {more}", LESSON.parent / picture


def draw(command, picture, bin_folder):
    """What is wrong, or nothing."""
    outcome = harness.run(f"{command} --shot '{picture}'", bin_folder, harness.ROOT)
    if outcome.exit or outcome.stderr:
        return f"exit {outcome.exit}: {outcome.stderr}"
    return outcome.misbehaviour()


def check(name, command, kept, options):
    came = options.out / f"{name}.png"
    marked = options.out / f"{name}.difference.png"
    marked.unlink(missing_ok=True)
    if wrong := draw(command, came, options.bin):
        return wrong
    if not kept.exists():
        return f"{kept} does not exist"
    result = subprocess.run([options.difference, kept, came, marked], capture_output=True,
                            text=True, check=False)
    if result.returncode == 0:
        came.unlink()
        return None
    return f"{result.stdout}{result.stderr}expected: {kept}\ncame:     {came}\nmarked:   {marked}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=harness.ROOT / "build/bin",
                        help="folder of the programs (build/bin)")
    parser.add_argument("--difference", type=pathlib.Path, help="the program picture-difference",
                        default=harness.ROOT / "build/tests/viewer/picture-difference")
    parser.add_argument("--out", type=pathlib.Path, default=harness.ROOT / "build/tests/viewer",
                        help="folder for pictures that differ")
    parser.add_argument("--bless", action="store_true", help="keep the new pictures")
    parser.add_argument("name", nargs="*", help="only these pictures")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)

    chosen = [one for one in pictures() if not options.name or one[0] in options.name]
    failed = 0
    for name, command, kept in chosen:
        wrong = draw(command, kept, options.bin) if options.bless else check(name, command, kept,
                                                                             options)
        if wrong:
            failed += 1
            print(f"--- {name}: {command}\n{wrong}\nTo run just this: python3 "
                  f"tests/viewer/pictures.py --bin '{options.bin}' {name}\n")
    print(f"{len(chosen) - failed} pictures are as they were, {failed} are not")
    return 1 if failed or not chosen else 0


sys.exit(main())
