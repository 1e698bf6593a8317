"""SIGUSR1 shows where a run stands and changes nothing."""

import json
import os
import pty
import signal
import threading
import unittest

from program import FolderCase, holds, run_lines, snapshot, snapshot_when, start, wait_until


class Snapshot(FolderCase):
    def begin(self, *lines, arguments=(), **options):
        process = start("run", *arguments, **options)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                self.addCleanup(stream.close)
        self.addCleanup(process.kill)
        wait_until(lambda: holds(process.pid, signal.SIGUSR1), "a weir that knows the signal")
        process.stdin.write("".join(line + "\n" for line in lines).encode())
        process.stdin.flush()
        return process

    def gated(self, name="gate"):
        return f"echo $$ > {self.folder}/pid; while ! [ -e {self.folder}/{name} ]; do sleep 0.01; done"

    def open_gate(self, process, name="gate"):
        (self.folder / name).touch()
        process.stdin.close()

    def test_what_runs_and_what_waits(self):
        # The reader waits for more input meanwhile: standard input stays open.
        process = self.begin("false", self.gated() + "; echo done", *[f"echo {n}" for n in range(8)],
                             arguments=["-j1", "--capacity", "20", "--retries", "1", "--backoff", "1h"])
        pid = self.read_number("pid")

        def answer():
            # The line of the retry is the last one. The command may know its number before weir does.
            process.send_signal(signal.SIGUSR1)
            lines = []
            while not lines or not lines[-1].startswith("weir:   retries 1 "):
                lines.append(process.stderr.readline().decode())
            return lines if "8 ready" in lines[0] and "pid" in lines[1] else None

        lines = wait_until(answer, "all commands in the house")
        self.assertEqual(len(lines), 9)
        self.assertRegex(lines[0], r"^weir: after [\d.]+s: 0 done; 1 running, 8 ready, 0 behind a key, "
                                   r"1 to retry; \d+ bytes held\n$")
        self.assertRegex(lines[1], rf"^weir:   runs 2 \(line 2\) for [\d.]+s, pid {pid}: echo ")
        self.assertEqual(lines[2:8], [f"weir:   ready {n + 3} (line {n + 3}): echo {n}\n" for n in range(5)]
                         + ["weir:   and 3 more ready\n"])
        self.assertRegex(lines[8], r"^weir:   retries 1 \(line 1\) in (3600.0|3\d\d\d\.\d)s, attempt 2: false\n$")
        process.send_signal(signal.SIGINT)
        self.open_gate(process)
        self.assertEqual(process.stdout.read(), b"done\n")
        self.assertEqual(process.wait(60), 130)

    def test_json(self):
        process = self.begin("exit 3", self.gated() + " # k", "echo # k", arguments=["--json", "-q", "-j2",
                                                                                   "--key", "k$"])
        pid = self.read_number("pid")
        seen = snapshot_when(process,
                             lambda seen: seen["failed"] == 1 and seen["behind_key"]["count"] == 1
                             and [one.get("pid") for one in seen["running"]] == [pid],
                             "the end of the first")
        self.assertEqual((seen["stage"], seen["succeeded"], seen["total"]), ("going", 0, None))
        running, = seen["running"]
        self.assertEqual((running["seq"], running["line"], running["pid"], running["attempt"], running["key"]),
                         (2, 2, pid, 1, "k"))
        self.assertGreaterEqual(running["seconds"], 0)
        self.assertEqual(seen["behind_key"], {"count": 1, "keys": 1, "longest": [
            {"key": "k", "waiting": 1, "behind": 2}]})
        self.open_gate(process)
        out = process.stdout.read()
        self.assertEqual(len([json.loads(line) for line in out.splitlines()]), 3)
        self.assertEqual((process.wait(60), process.stderr.read()), (1, b""))

    def test_attempts_are_counted(self):
        line = f"[ -e {self.folder}/x ] || {{ touch {self.folder}/x; exit 1; }}; {self.gated()}"
        process = self.begin(line, arguments=["--json", "--retries", "2", "--backoff", "1ms"])
        self.read_number("pid")
        self.assertEqual(snapshot(process)["running"][0]["attempt"], 2)
        self.open_gate(process)
        self.assertEqual(process.wait(60), 0)

    def test_during_both_stages_of_a_stop(self):
        line = f"trap '' TERM; {self.gated()}"
        process = self.begin(line, arguments=["--json", "-q", "--kill-after", "1h"])
        self.read_number("pid")
        process.send_signal(signal.SIGTERM)
        snapshot_when(process, lambda seen: seen["stage"] == "stopping", "the soft stop")
        process.send_signal(signal.SIGTERM)
        snapshot_when(process, lambda seen: seen["stage"] == "ending", "the hard stop")
        self.assertEqual(len(snapshot(process)["running"]), 1)
        self.open_gate(process)
        self.assertEqual(process.wait(60), 143)

    def test_many_in_a_row_disturb_nothing(self):
        process = self.begin(*[f"echo {n}" for n in range(200)], arguments=["-j4", "-k"])
        process.stdin.close()
        stop = threading.Event()
        said = []
        reader = threading.Thread(target=lambda: said.extend(process.stderr))
        reader.start()

        def storm():
            while not stop.is_set():
                process.send_signal(signal.SIGUSR1)

        thread = threading.Thread(target=storm)
        thread.start()
        out = process.stdout.read()
        stop.set()
        thread.join()
        self.assertEqual(process.wait(60), 0)
        reader.join()
        self.assertEqual(out.split(), [b"%d" % n for n in range(200)])
        self.assertGreater(len(said), 0)
        for line in said:
            self.assertRegex(line, rb"^weir: (after|  (runs|ready|and|writes output of) )")

    def test_answers_that_nobody_reads_are_merged(self):
        # Standard error is a pipe that is full: signals come, answers do not pile up, the run goes on.
        read, write = os.pipe()
        self.addCleanup(os.close, read)
        os.set_blocking(write, False)
        filler = 0
        try:
            while True:
                filler += os.write(write, b"x" * 4096)
        except BlockingIOError:
            pass
        os.set_blocking(write, True)
        process = self.begin(self.gated(), "echo ran", arguments=["--json", "-j1"], stderr=write)
        os.close(write)
        self.read_number("pid")
        for _ in range(50):
            process.send_signal(signal.SIGUSR1)
        wait_until(lambda: not pending(process.pid), "signals that are taken")
        self.open_gate(process)

        def drain():
            got = b""
            while piece := os.read(read, 65536):
                got += piece
            return got

        got = drain()
        self.assertEqual(process.wait(60), 0)
        answers = got[filler:].splitlines()
        self.assertEqual(len(answers), 1, answers)
        self.assertIn("snapshot", json.loads(answers[0]))

    def test_while_the_output_is_not_read(self):
        process = self.begin("head -c 300000 /dev/zero", *["echo"] * 3, arguments=["--json", "-j1"])
        snapshot_when(process, lambda seen: any(one["writes_output"] for one in seen["running"]),
                      "a full pipe on standard output")
        process.stdin.close()
        self.assertEqual(len(process.stdout.read().splitlines()), 4)
        self.assertEqual(process.wait(60), 0)

    def test_on_a_terminal_the_bar_is_drawn_again(self):
        leader, follower = pty.openpty()
        self.addCleanup(os.close, leader)
        process = self.begin(self.gated(), arguments=["-j1"], stderr=follower)
        os.close(follower)
        self.read_number("pid")
        process.send_signal(signal.SIGUSR1)
        seen = b""
        while b"weir:   runs 1" not in seen or not seen.split(b"weir:   runs 1")[1].count(b"1 running"):
            seen += os.read(leader, 65536)
        self.assertRegex(seen, rb"\r\x1b\[Kweir: after |^weir: after ")
        self.assertRegex(seen, rb"\r\nweir:   runs 1 [^\r]*\r\n\r0 done")
        self.open_gate(process)
        self.assertEqual(process.wait(60), 0)

    def test_quiet_does_not_silence_an_answer(self):
        process = self.begin(self.gated(), arguments=["-q"])
        self.read_number("pid")
        process.send_signal(signal.SIGUSR1)
        self.assertIn(b"1 running", process.stderr.readline())
        self.open_gate(process)
        self.assertEqual(process.wait(60), 0)

    def test_a_command_gets_the_signal_as_usual(self):
        done = run_lines("trap 'echo caught; exit' USR1; kill -USR1 $$; sleep 1", "kill -USR1 $$")
        self.assertEqual(done.stdout, b"caught\n")
        self.assertIn(b"failed: signal 10 ", done.stderr)


def pending(pid):
    """Whether a signal waits to be taken by the process."""
    with open(f"/proc/{pid}/status") as status:
        return any(line.startswith("ShdPnd") and int(line.split()[1], 16) for line in status)


if __name__ == "__main__":
    unittest.main()
