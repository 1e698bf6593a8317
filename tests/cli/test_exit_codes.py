"""The exit code tells what failed, and standard error names it."""

import unittest

from program import FolderCase, run_lines, weir


class ExitCodes(FolderCase):
    def test_success_says_nothing(self):
        done = run_lines("true", "true")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_a_failure_is_named(self):
        done = run_lines("true", "# comment", "exit 3")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.decode().splitlines(), [
            "weir: command 2 (line 3) failed: exit code 3: exit 3",
            "weir: 2 commands: 1 succeeded, 1 failed"])

    def test_signals_are_no_codes(self):
        # cases.md 166, 167
        done = run_lines("kill -9 $$", "kill -SEGV $$", "exit 137", "kill -TERM $$", "kill -INT $$",
                         "kill -HUP $$", arguments=["-k"])
        said = done.stderr.decode()
        for needle in ("failed: signal 9 ", "failed: signal 11 ", "failed: exit code 137",
                       "failed: signal 15 ", "failed: signal 2 ", "failed: signal 1 "):
            self.assertIn(needle, said)
        self.assertEqual(done.returncode, 1)

    def test_the_count_of_failures_does_not_wrap(self):
        # cases.md 169
        for count in (130, 256):
            done = weir("run", "-q", "-j4", stdin="exit 1\n" * count)
            self.assertEqual(done.returncode, 1)

    def test_timeouts_only(self):
        self.assertEqual(run_lines("true", "sleep 60", arguments=["--timeout", "50ms"]).returncode, 124)

    def test_timeouts_and_failures(self):
        done = run_lines("false", "sleep 60", arguments=["--timeout", "50ms"])
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"timed out after 0.05s", done.stderr)

    def test_quiet(self):
        done = run_lines("exit 3", "echo kept >&2", arguments=["-q"])
        self.assertEqual((done.returncode, done.stderr), (1, b"kept\n"))

    def test_a_command_that_is_not_there(self):
        self.assertIn(b"exit code 127", run_lines("nosuchprogram").stderr)

    def test_a_long_command_is_named_on_one_short_line(self):
        done = weir("run", "--", "false", ":::", "x\ny" + "z" * 5000)
        first = done.stderr.decode().splitlines()[0]
        self.assertIn(r"x\ny", first)
        self.assertLess(len(first), 300)

    def test_pipelines(self):
        # cases.md 170
        self.assertEqual(run_lines("false | cat").returncode, 0)
        done = run_lines("false | cat", arguments=["--pipefail", "--shell", "bash"])
        self.assertEqual(done.returncode, 1)

    def test_shell(self):
        done = run_lines("echo ${BASH_VERSION:+bash}", arguments=["--shell", "bash"])
        self.assertEqual(done.stdout, b"bash\n")


if __name__ == "__main__":
    unittest.main()
