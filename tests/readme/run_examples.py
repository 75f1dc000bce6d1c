#!/usr/bin/env python3
"""Runs the examples of the documents and holds them to what they show. An example is a ```console
block: a line "$ COMMAND" runs in a folder that looks like the repository's root (a \\ at its end
continues it on the next line), and the lines up to the next command are all that it prints. A line
"..." stands for any number of lines. A ```yaml block that begins with "name: NAME" or "sketch: NAME"
lies there as NAME.yaml."""
import argparse
import dataclasses
import pathlib
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness  # noqa: E402


@dataclasses.dataclass
class Example:
    command: str
    start: int  # the expected output is lines[start:end] of the document
    end: int


def examples_of(lines):
    found = []
    inside = continued = False
    fresh = True  # an output belongs to a command of its own block
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = not inside and line.strip() == "```console"
            fresh = True
        elif not inside:
            continue
        elif continued or line.startswith("$ "):
            if continued:
                found[-1].command += "\n" + line
                found[-1].start = found[-1].end = number + 1
            else:
                found.append(Example(line[2:], number + 1, number + 1))
            continued = line.endswith("\\")
            fresh = False
        elif fresh:
            sys.exit(f"line {number + 1}: output before the first command of a block")
        else:
            found[-1].end = number + 1
    return found


def fits(expected, came):
    anything = r"(?:[^\n]*\n)*"
    parts = [anything if line == "..." else re.escape(line + "\n") for line in expected]
    return re.fullmatch("".join(parts), came) is not None


def models_of(lines):
    """The models and sketches that a document shows whole, by name."""
    models = {}
    for number, line in enumerate(lines):
        if line == "```yaml" and lines[number + 1].startswith(("name: ", "sketch: ")):
            end = lines.index("```", number)
            models[lines[number + 1].partition(": ")[2]] = lines[number + 1:end]
    return models


def prepare(folder, lines):
    """Fills a folder for the examples of a document to run in."""
    for entry in harness.ROOT.iterdir():
        (pathlib.Path(folder) / entry.name).symlink_to(entry)
    for name, text in models_of(lines).items():
        (pathlib.Path(folder) / f"{name}.yaml").write_text("\n".join(text) + "\n")


def run(command, bin_folder, folder):
    """All that the command prints, and how it misbehaved, if it did."""
    outcome = harness.run(command, bin_folder, folder, merge=True)
    outcome.stderr = outcome.stdout  # one stream: what it says is not silence
    return outcome.stdout, outcome.misbehaviour()


def check(document, bin_folder, bless):
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder, document.read_text().splitlines())
        return check_in(folder, document, bin_folder, bless)


def check_in(folder, document, bin_folder, bless):
    """Returns how many examples passed and failed. Blessing writes what came into the document."""
    lines = document.read_text().splitlines()
    examples = examples_of(lines)
    failed = 0
    for example in reversed(examples):  # so that blessing moves no line that is still to come
        expected = lines[example.start:example.end]
        came, wrong = run(example.command, bin_folder, folder)
        if not wrong and fits(expected, came):
            continue
        if bless and not wrong:
            lines[example.start:example.end] = came.splitlines()
            continue
        failed += 1
        text = "".join(line + "\n" for line in expected)
        print(f"--- {document}:{example.start}: {example.command}\n{wrong or ''}\n"
              f"{harness.difference('output', text, came)}")
    if bless:
        document.write_text("".join(line + "\n" for line in lines))
    return len(examples) - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=harness.ROOT / "build/bin",
                        help="folder of the programs (build/bin)")
    parser.add_argument("--bless", action="store_true", help="write what came into the documents")
    parser.add_argument("document", nargs="*", type=pathlib.Path,
                        help="README.md and everything in docs when none is given")
    options = parser.parse_args()

    documents = options.document or [harness.ROOT / "README.md",
                                     *sorted((harness.ROOT / "docs").rglob("*.md"))]
    passed = failed = 0
    for document in documents:
        good, bad = check(document, options.bin.resolve(), options.bless)
        passed += good
        failed += bad
    print(f"{passed} examples passed, {failed} failed")
    if failed:
        print(f"To run just these: python3 tests/readme/run_examples.py --bin '{options.bin}'")
    return 1 if failed or not passed else 0


sys.exit(main())
