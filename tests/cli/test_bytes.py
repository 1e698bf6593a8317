"""--max-bytes: how much of the input is held at a time, counted in bytes."""

import json
import signal
import unittest

from program import FolderCase, run_lines, snapshot_when, start, weir


def padded(command, size):
    """The command as a line of exactly `size` bytes, its newline not counted."""
    return command + " " * (size - len(command))


class MaxBytes(FolderCase):
    def test_the_input_waits_until_there_is_room(self):
        gate = self.folder / "gate"
        wait = f"while ! [ -e {gate} ]; do sleep 0.01; done"
        lines = [padded(wait, 1000), padded("echo 2", 500), padded("echo 3", 500), padded("echo 4", 49)]
        process = start("run", "--json", "-j1", "--capacity", "100", "--max-bytes", "2K")
        process.stdin.write("".join(line + "\n" for line in lines).encode())
        process.stdin.flush()
        seen = snapshot_when(process, lambda seen: seen["reader_waits"] and seen["running"], "a full house")
        self.assertEqual((seen["bytes"], seen["max_bytes"]), (2000, 2048))
        self.assertEqual((len(seen["running"]), seen["ready"]["count"]), (1, 2))
        gate.touch()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, b""))
        self.assertEqual([json.loads(line)["stdout"] for line in out.splitlines()],
                         ["", "2\n", "3\n", "4\n"])

    def test_one_that_is_too_heavy_fails_and_the_others_run(self):
        lines = ["echo a", padded("echo heavy", 1025), padded("echo whole", 1024), "echo b"]
        done = run_lines(*lines, arguments=["-k", "--max-bytes", "1K"])
        self.assertEqual((done.returncode, done.stdout), (1, b"a\nwhole\nb\n"))
        first, summary = done.stderr.decode().splitlines()
        self.assertIn("command 2 (line 2) failed: has 1025 bytes, --max-bytes lets all commands "
                      "together have 1024; raise it or put the command in a script: echo heavy", first)
        self.assertIn("3 succeeded, 1 failed", summary)

    def test_a_dry_run_names_the_first_that_is_too_heavy(self):
        done = run_lines("echo a", padded("echo heavy", 100), arguments=["--dry-run", "--max-bytes", "50"])
        self.assertEqual((done.returncode, done.stdout), (1, b"echo a\n"))
        self.assertIn(b"command 2 (line 2) has 100 bytes", done.stderr)

    def test_too_heavy_ones_are_not_retried_and_may_halt(self):
        done = run_lines(padded("echo heavy", 100), "echo after",
                         arguments=["-j1", "--max-bytes", "50", "--retries", "3", "--halt", "soon"])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"1 failed, 1 never started", done.stderr)

    def test_too_heavy_ones_run_when_the_log_is_resumed_with_more(self):
        log = self.folder / "log"
        line = padded("echo heavy", 100)
        run_lines(line, arguments=["-q", "--max-bytes", "50", "--joblog", log])
        self.assertEqual(log.read_text().splitlines()[1].split("\t")[6], "125")
        done = run_lines(line, arguments=["--max-bytes", "100", "--joblog", log, "--resume"])
        self.assertEqual((done.returncode, done.stdout), (0, b"heavy\n"))

    def test_values_count_with_their_commands(self):
        value = "v" * 100
        done = weir("run", "--max-bytes", "150", "--", "echo", ":::", value)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"has 205 bytes", done.stderr)

    def test_many_lines_through_a_small_door(self):
        done = run_lines(*[f"echo {n}" for n in range(300)],
                         arguments=["-j4", "-k", "--max-bytes", "20", "--capacity", "1000"])
        self.assertEqual(done.stdout.split(), [b"%d" % n for n in range(300)])

    def test_with_keys_and_retries(self):
        done = run_lines(*[f"[ -e {self.folder}/{n} ] || {{ touch {self.folder}/{n}; false; }} # {n % 3}"
                           for n in range(30)],
                         arguments=["-j4", "--max-bytes", "400", "--retries", "1", "--backoff", "5ms",
                                    "--key", r"# (\d)"])
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_stop_ends_the_wait_for_room(self):
        process = start("run", "-q", "--json", "-j1", "--max-bytes", "100")
        process.stdin.write(f"{padded('sleep 300', 90)}\n{padded('echo', 90)}\n".encode())
        process.stdin.flush()
        snapshot_when(process, lambda seen: seen["reader_waits"] and seen["running"], "a full house")
        process.send_signal(signal.SIGINT)
        snapshot_when(process, lambda seen: seen["stage"] == "stopping", "the soft stop")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def test_bad_sizes(self):
        for size in ("", "0", "0K", "-1", "1.5M", "64kB", "x", "K", "99999999999999999999", "17179869184T"):
            with self.subTest(size):
                done = weir("run", "--max-bytes", size, "/dev/null")
                self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1))
                self.assertIn(f"--max-bytes '{size}': give a size such as 64K", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
