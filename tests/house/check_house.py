#!/usr/bin/env python3
"""Checks the rules of the house that a compiler does not know: the names at the top level, calls
that are not used here, calls that a library must not make, and how long a file may be."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOP_LEVEL = {"CMakeLists.txt", "README.md", "sim", "traces", "viz", "configs", "tests", "docs"}
BUILD_FOLDER = re.compile(r"build(-.*)?")
LONGEST_FILE = 700

# No length, no range check, hidden state or the wrong numbers for half a token.
UNSAFE = re.compile(r"\b(atoi|atol|atoll|atof|strto(?:l|ul|ll|ull|imax|umax)|v?sprintf|strcpy"
                    r"|strcat|stpcpy|gets|[fs]?scanf|strtok|rand|srand|alloca|system|tmpnam)\s*\(")
# A library reports; it does not print or end the program.
LOUD = re.compile(r"\b(v?printf|puts|putchar|perror|exit|_Exit|_exit|abort|assert)\s*\("
                  r"|\bstd(?:out|err)\b")
LIBRARIES = ("sim/core/", "traces/")
PROGRAMS = {"traces/capture/launcher.c"}  # that stand among them

COMMENT_OR_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)


def code_only(text):
    """The text with comments and literals blanked, line for line."""
    return COMMENT_OR_TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)


def top_level():
    for path in sorted(ROOT.iterdir()):
        if not (path.name in TOP_LEVEL or path.name.startswith(".")
                or BUILD_FOLDER.fullmatch(path.name)):
            yield f"{path.name}: not a name of the top level"


def sources():
    for room in ("sim", "traces", "viz", "tests"):
        for path in sorted((ROOT / room).rglob("*.[ch]")):
            yield path.relative_to(ROOT).as_posix(), path.read_text()


def calls(name, text):
    for number, line in enumerate(code_only(text).split("\n"), 1):
        for found in UNSAFE.finditer(line):
            yield f"{name}:{number}: {found.group(1)} is not used here"
        library = name.startswith(LIBRARIES) and name not in PROGRAMS
        found = LOUD.search(line) if library else None
        if found:
            yield f"{name}:{number}: {found.group().rstrip('(')} in a library"


def shape(name, text):
    length = text.count("\n")
    if length > LONGEST_FILE:
        yield f"{name}: {length} lines, over {LONGEST_FILE}"
    if not text.startswith("/*"):
        yield f"{name}:1: no comment at the door that says what lives here"
    for number, line in enumerate(text.split("\n"), 1):
        if re.search(r"\b(TODO|FIXME|XXX)\b", line):
            yield f"{name}:{number}: unfinished"


def self_test():
    """A check that finds nothing anywhere would pass too."""
    bad = '/* strcpy( */\nint a = atoi(s);\nputs("atol(");\n'
    assert list(calls("sim/core/x.c", bad)) == [
        "sim/core/x.c:2: atoi is not used here", "sim/core/x.c:3: puts in a library"]
    assert len(list(shape("x.c", "int a; // TODO\n" + "\n" * LONGEST_FILE))) == 3


def main():
    self_test()
    complaints = list(top_level())
    for name, text in sources():
        complaints += calls(name, text)
        complaints += shape(name, text)
    print("\n".join(complaints) or "in order")
    return 1 if complaints else 0


sys.exit(main())
