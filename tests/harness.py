"""What the tests of the command share: running a shell snippet in a clean environment, noticing
crashes, and showing how what came differs from what was expected."""
import dataclasses
import difflib
import os
import pathlib
import re
import signal
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIME_LIMIT = 300  # seconds; only a hang takes so long

CRASH = re.compile(r"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error:"
                   r"|Segmentation fault|Aborted|core dumped")


@dataclasses.dataclass
class Outcome:
    stdout: str
    stderr: str
    exit: int

    def misbehaviour(self):
        """What no expectation may excuse: a crash, a hang or a failure without a word."""
        if self.exit < 0:
            return f"no end within {TIME_LIMIT} s"
        if self.exit > 128:
            return f"killed by signal {self.exit - 128}"
        if found := CRASH.search(self.stderr) or CRASH.search(self.stdout):
            return f"crashed: {found.group()}"
        if self.exit > 1 and not self.stderr:
            return f"failed with exit {self.exit} without a word on stderr"
        return None


def environment(bin_folder, **extra):
    kept = {name: os.environ[name] for name in ("HOME", "LSAN_OPTIONS") if name in os.environ}
    return kept | extra | {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C",
        "TERM": "dumb",
        "COLUMNS": "80",
        "ASAN_OPTIONS": "abort_on_error=1",
        "UBSAN_OPTIONS": "abort_on_error=1:print_stacktrace=1",
    }


def run(command, bin_folder, folder, merge=False, **extra):
    """Runs command with sh in folder; merge sends stderr where stdout goes. The repository's path
    reads $ROOT in what comes back."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            ["sh", "-c", command], cwd=folder, env=environment(bin_folder, **extra),
            stdin=subprocess.DEVNULL, stdout=out, stderr=out if merge else err,
            start_new_session=True)
        try:
            code = process.wait(TIME_LIMIT)
            code = code if code >= 0 else 128 - code
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = -1
        return Outcome(text_of(out), text_of(err), code)


def text_of(file):
    file.seek(0)
    text = file.read().decode("utf-8", "backslashreplace")
    return text.replace(str(ROOT), "$ROOT")


def difference(name, expected, came):
    """A unified diff, or nothing."""
    lines = difflib.unified_diff(expected.splitlines(keepends=True), came.splitlines(keepends=True),
                                 f"{name} expected", f"{name} that came")
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at the end\n"
                   for line in lines)
