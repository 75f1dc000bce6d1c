#!/usr/bin/env python3
"""Is a run with several threads the run with one, byte for byte, output, messages and exit code: for
the sample traces, for random ones and for damaged ones? The argument is the command; a second one is
the seed of just one random case."""
import gzip
import lzma
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
THREADS = (2, 3, 8)
SEED = 20
CASES = 40
OPS = ("ld.b32", "st.b32", "ld.b64", "st.b128", "atom.add.b32", "LDS.64", "ds_read_b32")
LONG = 1 << 20  # bytes of a line, at most
OPTIONS = ((), (), (), ("--by", "pc"), ("--by", "line"), ("--by", "op"), ("--by", "kernel"),
           ("--by", "total"), ("--by", "record"), ("--timing",), ("--expect", "passes <= ideal"),
           ("--by", "kernel", "--expect", "passes < 9999"), ("--top", "3"))
FILTERS = ((), (), (), ("--kernel", "k1*"), ("--op", "ld.*"), ("--cta", "2-5"), ("--warp", "1"),
           ("--pc", "0x20-0x40"), ("--shard", "2/3"), ("--first", "700"), ("--kernel", "absent"))
MODELS = ((), (), (), ("-m", "ampere"), ("--set", "bank_width=8"), ("-m", "cdna3"), ("-m", "absent"))


class Trace:
    """A random text, longer than a batch by far, with all that the format allows between records."""

    def __init__(self, chance):
        self.chance = chance
        self.lines = [b"#bankshot-trace 1"]
        self.size = 0
        self.models = chance.random() < 0.1
        self.odd = chance.random() < 0.3
        wanted = chance.choice((1000, 140000, 400000, 900000))
        longest = chance.choice((3, 40, 2000, 30000))
        while self.size < wanted:
            self.launch()
            for _ in range(chance.randrange(longest)):
                self.record()

    def add(self, line):
        self.lines.append(line)
        self.size += len(line) + 1

    def launch(self):
        chance = self.chance
        keys = "".join(word for word in (" grid=4,2,1", " smem=4096", " demangled=f<int>(int)",
                                         " device=some", " cc=9.0") if chance.random() < 0.3)
        if self.models and chance.random() < 0.02:
            keys = " model=ampere"
        blank = chance.choice(("", "", " \t"))
        self.add(f"{blank}kernel k{chance.randrange(30)}{keys}".encode())
        pc = 0
        for _ in range(chance.choice((0, 0, 0, 3))):
            pc += 16 * chance.randrange(1, 3)
            self.add(f"source {pc:#x} file{chance.randrange(3)}.cu:{chance.randrange(9)}".encode())

    def record(self):
        chance = self.chance
        if chance.random() < 0.02:
            self.add(chance.choice((b"", b" \t ", b"# a comment", b"  # kernel k", b"#" * 999)))
        if self.odd and chance.random() < 0.00003:
            self.add(b"#" * chance.choice((300000, LONG, LONG + 1)))
        op, mask, lanes = chance.choice(OPS), *chance.choice((("ffffffff", 32), ("f", 4), ("1", 1)))
        pc, base = 16 * chance.randrange(9), 16 * chance.randrange(64)
        step = chance.choice((0, 16, 16, 32, 128, 132 if op.endswith("32") else 16))
        line = f"{chance.randrange(9)} {chance.randrange(4)} {pc:#x} {op} {mask} {base}+{step}*{lanes}"
        self.add((chance.choice(("", "", "", " ")) + line).encode())

    def text(self):
        return b"\n".join(self.lines) + (b"" if self.chance.random() < 0.1 else b"\n")


def damage(chance, data):
    """The data with a few bytes or lines changed, taken out or put in, or cut off."""
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5))):
        at = chance.randrange(len(data))
        kind = chance.randrange(7)
        if kind == 0:
            del data[at:]
        elif kind == 1:
            data[at] = chance.randrange(256)
        elif kind == 2:
            del data[at:at + chance.randrange(1, 40)]
        else:
            line = chance.choice((b"kernel", b"kernel x bad=1", b"source 0x10 late", b"0 0 0 lx 1 0",
                                  b"0 0 0 ld.b32 1 1", b"kernels", b"0 0 0 ld.b32 1ffffffff 0+4*33",
                                  b"0 0 0 ld.b32 3 0", b"\r", b"k", b"kernel k model=volta"))
            at = data.find(b"\n", at) + 1
            data[at:at] = line + b"\n"
        if not data:
            return b"#"
    return bytes(data)


class Checks:
    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.made, self.failed, self.errors = 0, 0, 0

    def call(self, threads, words, stream):
        with open(stream or os.devnull, "rb") as file:
            done = subprocess.run([self.command, "run", "-j", str(threads), *words],
                                  cwd=self.folder, capture_output=True, stdin=file, check=False,
                                  env=os.environ | {"COLUMNS": "80", "LC_ALL": "C"})
        if done.returncode < 0 or b"Sanitizer" in done.stderr:
            sys.exit(f"bankshot run -j {threads} {' '.join(words)}: exit {done.returncode}\n"
                     + done.stderr.decode(errors="replace"))
        return done.stdout, done.stderr, done.returncode

    def check(self, case, *words, stream=None):
        one = self.call(1, words, stream)
        self.errors += one[2] != 0
        for threads in THREADS:
            self.made += 1
            several = self.call(threads, words, stream)
            if several == one:
                continue
            self.failed += 1
            print(f"not as with one thread: bankshot run -j {threads} {' '.join(words)}; {case}\n"
                  f"  exit {one[2]} and {several[2]}\n  {one[1][:300]}\n  {several[1][:300]}")

    def convert(self, text, name):
        (self.folder / "plain").write_bytes(text)
        subprocess.run([self.command, "convert", "plain", name], cwd=self.folder, check=False,
                       capture_output=True)
        return (self.folder / name).read_bytes() if (self.folder / name).exists() else text

    def random_case(self, seed):
        chance = random.Random(seed)
        names = []
        for number in range(chance.choice((1, 1, 2))):
            names.append(f"{seed}-{number}")
            data = Trace(chance).text()
            if chance.random() < 0.3:
                data = self.convert(data, f"{seed}-{number}.bst")
            if chance.random() < 0.5:
                data = damage(chance, data)
            pack = chance.choice((bytes, bytes, bytes, gzip.compress, lzma.compress))
            data = pack(data)
            if chance.random() < 0.1:
                data = damage(chance, data)
            (self.folder / names[-1]).write_bytes(data)
        words = [*chance.choice(OPTIONS), *chance.choice(FILTERS), *chance.choice(MODELS)]
        if "--timing" in words:  # which goes with fewer
            words = ["--timing"]
        if chance.random() < 0.3 and "--expect" not in words and "--top" not in words:
            words += ["--format", chance.choice(("csv", "json"))]
        if chance.random() < 0.3:
            words.append("--allow-misaligned")
        piped = chance.random() < 0.2
        self.check(f"to run just this: seed {seed}", *words, *names[:-1],
                   "-" if piped else names[-1], stream=self.folder / names[-1] if piped else None)
        for name in names:
            (self.folder / name).unlink()

    def samples(self):
        """All traces of the repository, in each grouping; together they are longer than a batch."""
        traces = sorted(str(path) for path in (ROOT / "traces").glob("*.trace*"))
        traces += sorted(str(path) for path in (ROOT / "tests/formats/small").iterdir())
        for trace in traces:
            self.check("a sample", "--allow-misaligned", trace)
        for words in OPTIONS + FILTERS:
            self.check("samples", *words, *traces[:4])
        # The numbers of first and worst records, and of the first one that leaves bytes undefined.
        late = b"#bankshot-trace 1\nkernel k\n" + b"0 0 0 ld.b32 ffffffff 0+4*32\n" * 9000
        (self.folder / "late").write_bytes(late + b"0 0 8 st.b32 3 0,0\n1 0 0 ld.b32 3 0,128\n")
        self.check("numbers", "--shard", "1/1", "--format", "json", *traces[:4], "late")
        self.check("numbers", "late")


def main():
    with tempfile.TemporaryDirectory() as name:
        checks = Checks(os.path.abspath(sys.argv[1]), pathlib.Path(name))
        if len(sys.argv) > 2:
            checks.random_case(int(sys.argv[2]))
        else:
            checks.samples()
            for seed in range(SEED, SEED + CASES):
                checks.random_case(seed)
    print(f"{checks.made - checks.failed} runs equal, {checks.failed} differ; of one thread "
          f"{checks.errors} ended in an error")
    return 1 if checks.failed or not checks.made else 0


sys.exit(main())
