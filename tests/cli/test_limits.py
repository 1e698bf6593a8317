"""Timeouts, retries, delays and halts."""

import json
import os
import time
import unittest

from program import FolderCase, living_in_group, run_lines, start


class Timeout(FolderCase):
    def test_the_whole_group_ends(self):
        # cases.md 157
        done = run_lines("echo $$; sh -c 'sleep 300 & sleep 300'; true", arguments=["--timeout", "100ms"])
        self.assertEqual(done.returncode, 124)
        self.assertEqual(living_in_group(int(done.stdout)), [])

    def test_what_a_command_left_behind_is_let_be(self):
        # cases.md 158
        begin = time.monotonic()
        done = run_lines("sleep 300 >&- 2>&- & echo $!", "sleep 300 & echo $!; exit 0",
                         arguments=["-k", "-j1", "--timeout", "30s"])
        self.assertEqual(done.returncode, 0)
        self.assertLess(time.monotonic() - begin, 20)
        for orphan in done.stdout.split():
            os.kill(int(orphan), 9)

    def test_output_up_to_the_timeout_is_shown(self):
        done = run_lines("echo early; sleep 60", arguments=["--timeout", "100ms"])
        self.assertEqual(done.stdout, b"early\n")

    def test_kill_after(self):
        done = run_lines("trap '' TERM; sleep 60; sleep 60",
                         arguments=["--timeout", "50ms", "--kill-after", "50ms", "--json", "-q"])
        seen = json.loads(done.stdout)
        self.assertEqual((seen["outcome"], seen["signal"]), ("timed_out", 9))


class Retries(FolderCase):
    def counting(self, succeed_at):
        """A command that succeeds at its n-th attempt."""
        count = self.folder / "count"
        return f"echo x >> {count}; n=$(wc -l < {count}); echo attempt $n; [ $n -ge {succeed_at} ]"

    def test_until_it_succeeds(self):
        done = run_lines(self.counting(3), arguments=["--retries", "5", "--backoff", "1ms"])
        self.assertEqual((done.returncode, done.stdout), (0, b"attempt 3\n"))

    def test_no_more_than_asked(self):
        done = run_lines(self.counting(9), arguments=["--retries", "2", "--backoff", "0"])
        self.assertEqual((done.returncode, done.stdout), (1, b"attempt 3\n"))
        self.assertIn(b"exit code 1 after 3 attempts", done.stderr)

    def test_timeouts_are_tried_again(self):
        line = f"[ -e {self.folder}/x ] || {{ touch {self.folder}/x; sleep 60; }}"
        done = run_lines(line, arguments=["--retries", "1", "--backoff", "0", "--timeout", "300ms"])
        self.assertEqual(done.returncode, 0)

    def test_backoff_doubles(self):
        begin = time.monotonic()
        run_lines("false", arguments=["--retries", "3", "--backoff", "50ms"])
        self.assertGreaterEqual(time.monotonic() - begin, 0.35)

    def test_a_wait_for_a_retry_leaves_the_worker_to_others(self):
        # One worker: the second command makes what the first one's retry needs.
        lines = [f"[ -e {self.folder}/x ]", f"touch {self.folder}/x"]
        done = run_lines(*lines, arguments=["-j1", "--retries", "1", "--backoff", "500ms"])
        self.assertEqual(done.returncode, 0)

    def test_a_wait_for_a_retry_leaves_the_worker_to_others_also_when_the_house_is_full(self):
        lines = [f"[ -e {self.folder}/x ]", f"touch {self.folder}/x", "echo more", "echo more"]
        done = run_lines(*lines, arguments=["-j1", "--capacity", "1", "--retries", "1", "--backoff", "500ms"])
        self.assertEqual((done.returncode, done.stdout), (0, b"more\nmore\n"))

    def test_keep_order_holds_with_retries(self):
        lines = [self.counting(2).replace("attempt $n", "first")] + [f"echo {n}" for n in range(30)]
        done = run_lines(*lines, arguments=["-k", "--retries", "1", "--backoff", "20ms"])
        self.assertEqual(done.stdout.split(), [b"first"] + [b"%d" % n for n in range(30)])


class Delay(FolderCase):
    def test_starts_are_apart(self):
        done = run_lines(*["date +%s%N"] * 4, arguments=["-j4", "--delay", "50ms"])
        starts = sorted(map(int, done.stdout.split()))
        # The clock is read by the command, some time after its start, so only the whole is exact.
        self.assertGreaterEqual(starts[3] - starts[0], 100_000_000)


class Halt(FolderCase):
    def test_never(self):
        done = run_lines("false", "false", "echo ran", arguments=["-j1", "--halt", "never"])
        self.assertEqual(done.stdout, b"ran\n")

    def test_soon_lets_running_commands_finish(self):
        started = self.folder / "started"
        lines = [f"touch {started}; while ! [ -e {self.folder}/failed ]; do sleep 0.01; done; "
                 "echo finished",
                 f"while ! [ -e {started} ]; do sleep 0.01; done; touch {self.folder}/failed; false"]
        lines += ["sleep 0.05; echo later"] * 40
        done = run_lines(*lines, arguments=["-j2", "--halt", "soon"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"finished\n", done.stdout)
        self.assertLess(done.stdout.count(b"later"), 4)
        self.assertIn(b"never started", done.stderr)

    def test_now_ends_running_commands(self):
        started = self.folder / "started"
        lines = [f"echo $$ > {started}; sleep 300",
                 f"while ! [ -s {started} ]; do sleep 0.01; done; false", "echo later"]
        done = run_lines(*lines, arguments=["-j2", "--halt", "now"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(living_in_group(int(started.read_text())), [])
        self.assertIn(b"1 cancelled", done.stderr)

    def test_a_number_of_failures(self):
        done = run_lines(*["false"] * 3, *["echo x"] * 20, arguments=["-j1", "--halt", "soon,fail=4"])
        self.assertEqual(done.stdout.count(b"x"), 20)
        done = run_lines(*["false"] * 3, *["echo x"] * 20, arguments=["-j1", "--halt", "soon,fail=3"])
        self.assertLess(done.stdout.count(b"x"), 20)

    def test_a_share_of_failures(self):
        lines = ["false", "true", "true", "true"] * 10
        self.assertNotIn(b"never", run_lines(*lines, arguments=["-j1", "--halt", "soon,fail=50%"]).stderr)
        self.assertIn(b"never", run_lines(*lines, arguments=["-j1", "--halt", "soon,fail=20%"]).stderr)

    def test_halt_closes_an_open_input(self):
        process = start("run", "-j1", "--halt", "soon")
        process.stdin.write(b"false\n")
        process.stdin.flush()
        self.assertEqual(process.wait(60), 1)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()


if __name__ == "__main__":
    unittest.main()
