#!/usr/bin/env python3
"""Draws the golden pictures of the viewer anew and compares them with those that are kept: the
scenes of tests/viewer/golden, each a file NAME.cmd beside NAME.png, and the pictures of
docs/lesson.md, each made by the command above it. A picture of what differs is left in the folder
of --out. The animation of the README is made anew too; it must have the size and the number of
frames of the one that is kept. --bless keeps the new pictures instead."""
import argparse
import pathlib
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402

GOLDEN = harness.ROOT / "tests/viewer/golden"
LESSON = harness.ROOT / "docs/lesson.md"
README = harness.ROOT / "README.md"

# A command that opens the window, then its picture, with what only the picture needs in a comment.
STOP = re.compile(r"```sh\n(bankshot view (?:[^`\n]|\\\n)*)\n```\n\n"
                  r"!\[[^\]]*\]\((lesson/[\w-]+\.png)\)(?: *<!-- (.*?) -->)?")

# The animation that opens the README, and its command in a comment.
FILM = re.compile(r"!\[[^\]]*\]\((docs/[\w-]+\.gif)\)\n<!-- (.*?) -->")
LARGEST_FILM = 1_000_000


def pictures():
    """Name, command without --shot, and the kept picture of each."""
    for command in sorted(GOLDEN.glob("*.cmd")):
        yield command.stem, command.read_text().strip(), command.with_suffix(".png")
    for command, picture, more in STOP.findall(LESSON.read_text()):
        yield pathlib.Path(picture).stem, f"{command} {more}", LESSON.parent / picture


def animation():
    """The same of the animation."""
    picture, command = FILM.search(README.read_text()).groups()
    return pathlib.Path(picture).stem, command, README.parent / picture


def measures(path):
    """Width, height and number of frames of a GIF file."""
    data = path.read_bytes()
    width, height, flags = struct.unpack("<6xHHB2x", data[:13])
    at = 13 + (3 << (flags & 7) + 1 if flags & 128 else 0)
    frames = 0
    while data[at] != 0x3b:
        frames += data[at] == 0x2c
        at += 11 if data[at] == 0x2c else 2  # a frame, then how its colours are packed; or more
        while data[at]:
            at += data[at] + 1
        at += 1
    return width, height, frames


def check_animation(name, command, kept, options):
    came = kept if options.bless else options.out / f"{name}.gif"
    if wrong := draw(command, came, options.bin, "--record"):
        return wrong
    if came.stat().st_size > LARGEST_FILM:
        return f"{came}: {came.stat().st_size} bytes, more than {LARGEST_FILM}"
    if measures(came) != measures(kept):
        return f"expected: {measures(kept)} of {kept}\ncame:     {measures(came)} of {came}"
    return None


def draw(command, picture, bin_folder, option="--shot"):
    """What is wrong, or nothing."""
    outcome = harness.run(f"{command} {option} '{picture}'", bin_folder, harness.ROOT)
    if outcome.exit or outcome.stderr:
        return f"exit {outcome.exit}: {outcome.stderr}"
    return outcome.misbehaviour()


def check_picture(name, command, kept, options):
    if options.bless:
        return draw(command, kept, options.bin)
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

    jobs = [(check_picture, one) for one in pictures()] + [(check_animation, animation())]
    jobs = [job for job in jobs if not options.name or job[1][0] in options.name]
    failed = 0
    for check, (name, command, kept) in jobs:
        if wrong := check(name, command, kept, options):
            failed += 1
            print(f"--- {name}: {command}\n{wrong}\nTo run just this: python3 "
                  f"tests/viewer/pictures.py --bin '{options.bin}' {name}\n")
    print(f"{len(jobs) - failed} pictures are as they were, {failed} are not")
    return 1 if failed or not jobs else 0


sys.exit(main())
