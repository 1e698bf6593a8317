"""Drives the built program for the tests: starts it, waits for conditions, looks into /proc."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("WEIR_PROGRAM", str(ROOT / "build/dev/weir"))
PATIENCE_S = 60  # for conditions that hold at once unless something is broken


def _default_signals():
    # A harness in the background has SIGINT ignored, and weir would rightly leave it so.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def start(*arguments, **options):
    """Starts weir with pipes for all three streams unless `options` says otherwise."""
    for stream in ("stdin", "stdout", "stderr"):
        options.setdefault(stream, subprocess.PIPE)
    options.setdefault("preexec_fn", _default_signals)
    return subprocess.Popen([PROGRAM, *map(str, arguments)], **options)


def weir(*arguments, stdin=b"", timeout=PATIENCE_S, **options):
    """Runs weir to its end; returns it with returncode, stdout and stderr as bytes."""
    if isinstance(stdin, str):
        stdin = stdin.encode()
    process = start(*arguments, **options)
    try:
        out, err = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def run_lines(*lines, arguments=(), **options):
    """Runs the lines as commands from standard input."""
    return weir("run", *arguments, stdin="".join(line + "\n" for line in lines), **options)


def snapshot(process):
    """Asks a run with --json where it stands; nothing else may be on its standard error."""
    wait_until(lambda: holds(process.pid, signal.SIGUSR1), "a weir that knows the signal")
    process.send_signal(signal.SIGUSR1)
    return json.loads(process.stderr.readline())["snapshot"]


def snapshot_when(process, holds_true, what):
    """Asks until the answer is as wanted, and returns it."""
    def look():
        seen = snapshot(process)
        return seen if holds_true(seen) else None
    return wait_until(look, what)


def holds(pid, number):
    """Whether the process has blocked a signal, so that it is not ended by it."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^SigBlk:\s*(\w+)", text, re.M)[1], 16) >> (number - 1) & 1


def wait_until(condition, what):
    """Waits until `condition()` is true and returns its value; fails after PATIENCE_S."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {PATIENCE_S} s in vain for {what}")
        time.sleep(0.005)


def stat_of(pid):
    """Returns (state, parent, group) of a process, or None when it is gone."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text[text.rindex(")") + 2:].split()
    return fields[0], int(fields[1]), int(fields[2])


def living_in_group(group):
    """Returns the processes of a group that are no zombies."""
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    stats = ((pid, stat_of(pid)) for pid in pids)
    return [pid for pid, stat in stats if stat and stat[2] == group and stat[0] not in "ZX"]


def children_of(parent):
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    stats = ((pid, stat_of(pid)) for pid in pids)
    return [(pid, stat[0]) for pid, stat in stats if stat and stat[1] == parent]


class FolderCase(unittest.TestCase):
    """A test with a folder of its own, `self.folder`, that is gone afterwards."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weir-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def read_number(self, name):
        """Waits for a file with a number and a newline in it, and returns the number."""
        path = self.folder / name
        wait_until(lambda: path.exists() and path.read_text().endswith("\n"), f"{path}")
        return int(path.read_text())
