"""Two signals stop a run: the first lets running commands finish, the second ends them."""

import os
import signal
import unittest

from program import FolderCase, children_of, living_in_group, start, wait_until


class Stop(FolderCase):
    def start_lines(self, *lines, arguments=()):
        path = self.file("jobs", "".join(line + "\n" for line in lines))
        process = start("run", "-j2", *arguments, path)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.kill)
        return process

    def first_stop_is_heard(self, process):
        """Waits for the line that says so and returns it."""
        return process.stderr.readline().decode()

    def test_first_signal_lets_running_commands_finish(self):
        # cases.md 173
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                for name in ("started", "gate", "later"):
                    (self.folder / name).unlink(missing_ok=True)
                gate = self.folder / "gate"
                first = (f"echo $$ > {self.folder}/started; while ! [ -e {gate} ]; do sleep 0.01; "
                         "done; echo done")
                process = self.start_lines(first, *[f"echo {n} >> {self.folder}/later; sleep 100"
                                                    for n in range(50)])
                self.read_number("started")
                self.read_number("later")
                process.send_signal(number)
                self.assertIn(f"{number.name}: running commands finish",
                              self.first_stop_is_heard(process))
                self.assertIsNone(process.poll())
                # The second worker sleeps; end it as its user would, the first is to finish.
                for pid, _ in children_of(process.pid):
                    if pid != int((self.folder / "started").read_text()):
                        os.killpg(pid, signal.SIGKILL)
                gate.touch()
                self.assertEqual(process.wait(60), code)
                self.assertIn(b"done\n", process.stdout.read())
                report = process.stderr.read().decode()
                self.assertIn(f"stopped by {number.name}: ", report)
                self.assertIn("never started", report)

    def test_second_signal_ends_what_runs(self):
        # cases.md 157, 173
        lines = [f"echo $$ > {self.folder}/{n}; sh -c 'sleep 300 & sleep 300'; true" for n in "ab"]
        process = self.start_lines(*lines, "echo never")
        groups = [self.read_number(n) for n in "ab"]
        process.send_signal(signal.SIGINT)
        self.first_stop_is_heard(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        for group in groups:
            self.assertEqual(living_in_group(group), [])
        report = process.stderr.read().decode()
        self.assertIn("3 commands: 2 cancelled, 1 never started (from 3 on)", report)
        self.assertEqual(process.stdout.read(), b"")

    def test_second_signal_kills_what_ignores_it(self):
        # cases.md 157: the shell is gone at once, its child ignores SIGTERM.
        line = (f"(trap '' TERM; echo $$ > {self.folder}/a; while :; do sleep 0.05; done) & "
                "wait")
        process = self.start_lines(line, arguments=["--kill-after", "200ms"])
        group = self.read_number("a")
        process.send_signal(signal.SIGTERM)
        self.first_stop_is_heard(process)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        self.assertEqual(living_in_group(group), [])

    def test_a_stop_ends_the_wait_for_input(self):
        process = start("run", "-j2")
        process.stdin.write(b"echo hi\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), b"hi\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def test_a_stop_ends_a_wait_for_a_retry_and_for_a_delay(self):
        flags = ["-j1", "--retries", "5", "--backoff", "1h", "--delay", "1h"]
        process = self.start_lines(f"echo 1 > {self.folder}/ran; echo out; false", "echo never",
                                   arguments=flags)
        self.read_number("ran")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(process.stdout.read(), b"out\n", "the attempt that was made is shown")
        self.assertIn(b"1 failed, 1 never started", process.stderr.read())

    def test_a_stop_is_heard_while_nobody_reads(self):
        process = self.start_lines(*["head -c 300000 /dev/zero"] * 8)
        wait_until(lambda: len(process.stdout.peek(1)) > 0, "output")
        process.send_signal(signal.SIGINT)
        self.first_stop_is_heard(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertIn(b"its reader does not read", process.stderr.read())

    def test_signals_from_the_terminal_do_not_reach_commands(self):
        # cases.md 173: Ctrl-C goes to the foreground group, and commands have their own.
        process = self.start_lines(f"echo $$ > {self.folder}/a; sleep 0.2; echo lived",
                                   arguments=["-k"])
        group = self.read_number("a")
        self.assertNotEqual(group, os.getpgid(process.pid))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(process.stdout.read(), b"lived\n")

    def test_an_ignored_signal_stays_ignored(self):
        def as_nohup():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        path = self.file("jobs", f"echo $$ > {self.folder}/a; while ! [ -e {self.folder}/gate ]; do "
                                 "sleep 0.01; done; echo lived\n")
        process = start("run", path, preexec_fn=as_nohup)
        self.read_number("a")
        process.send_signal(signal.SIGHUP)
        (self.folder / "gate").touch()
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, b"lived\n"))


if __name__ == "__main__":
    unittest.main()
