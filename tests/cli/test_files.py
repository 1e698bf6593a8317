"""--results, --joblog and --resume, --trace, and what a full disk does to each."""

import json
import os
import signal
import unittest

from program import FolderCase, run_lines, start, wait_until, weir

HEADER = b"Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"


class Results(FolderCase):
    def test_everything_is_kept(self):
        folder = self.folder / "deep/er"
        done = run_lines("printf 'a\\377'; echo no >&2; exit 3", "kill -9 $$", "true",
                         arguments=["-q", "--results", folder])
        self.assertEqual((done.returncode, done.stdout), (1, b"a\xff"))
        self.assertEqual(sorted(os.listdir(folder)), ["1", "2", "3"])
        kept = {path.name: path.read_bytes() for path in (folder / "1").iterdir()}
        self.assertEqual(kept.pop("status").split()[:3], [b"exit", b"3", b"failed"])
        self.assertEqual(kept, {"command": b"printf 'a\\377'; echo no >&2; exit 3\n",
                                "stdout": b"a\xff", "stderr": b"no\n"})
        self.assertTrue((folder / "2/status").read_bytes().startswith(b"signal 9\nfailed\n"))

    def test_large_output_is_kept_and_shown(self):
        done = run_lines("head -c 5000000 /dev/zero", arguments=["--results", self.folder / "r"])
        self.assertEqual(len(done.stdout), 5_000_000)
        self.assertEqual((self.folder / "r/1/stdout").stat().st_size, 5_000_000)

    def test_output_is_on_disk_while_the_command_runs(self):
        # cases.md 178: also when weir is killed, what was written is there.
        path = self.file("jobs", f"echo $$ > {self.folder}/pid; echo first; exec sleep 300\n")
        process = start("run", "--results", self.folder / "r", path)
        stdout = self.folder / "r/1/stdout"
        wait_until(lambda: stdout.exists() and stdout.read_bytes() == b"first\n", "output on disk")
        self.assertFalse((self.folder / "r/1/status").exists())
        process.kill()
        process.communicate()
        os.killpg(int((self.folder / "pid").read_text()), signal.SIGKILL)
        self.assertEqual(stdout.read_bytes(), b"first\n")

    def test_a_later_run_replaces_an_earlier_one(self):
        for text in ("long long output", "short"):
            run_lines(f"echo {text}", arguments=["--results", self.folder / "r"])
        self.assertEqual((self.folder / "r/1/stdout").read_bytes(), b"short\n")

    def test_a_full_disk(self):
        # A link to /dev/full is a disk that fills up as soon as the first byte is written.
        (self.folder / "r/1").mkdir(parents=True)
        (self.folder / "r/1/stdout").symlink_to("/dev/full")
        done = run_lines("echo kept", *["sleep 0.01; echo x"] * 50,
                         arguments=["-j1", "--results", self.folder / "r"])
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith(b"kept\n"), "the output itself is not lost")
        said = done.stderr.decode()
        self.assertEqual(said.count("No space left on device"), 1, said)
        self.assertIn("r/1/stdout", said)
        self.assertIn("never started", said)

    def test_a_folder_that_cannot_be(self):
        path = self.file("plain", "")
        done = run_lines("true", arguments=["--results", path])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))
        self.assertIn(b"plain", done.stderr)


class Joblog(FolderCase):
    def rows(self, path):
        lines = path.read_bytes().splitlines(keepends=True)
        self.assertEqual(lines[0], HEADER)
        return {int(f[0]): f for f in (line.rstrip(b"\n").split(b"\t", 8) for line in lines[1:])}

    def test_columns(self):
        log = self.folder / "log"
        run_lines("echo 12345", "exit 3", "kill -9 $$", "sleep 60",
                  arguments=["-q", "--timeout", "200ms", "--joblog", log])
        rows = self.rows(log)
        self.assertEqual(rows[1][5:], [b"6", b"0", b"0", b"echo 12345"])
        self.assertEqual(rows[2][6:8], [b"3", b"0"])
        self.assertEqual(rows[3][6:8], [b"0", b"9"])
        self.assertEqual(rows[4][6:8], [b"124", b"15"])
        self.assertGreater(float(rows[1][2]), 1e9)
        self.assertGreaterEqual(float(rows[4][3]), 0.2)

    def test_resume_skips_what_succeeded(self):
        log, ran = self.folder / "log", self.folder / "ran"
        lines = [f"echo {n} >> {ran}; [ {n} != 2 ] || [ -e {self.folder}/fixed ]" for n in (1, 2, 3)]
        first = run_lines(*lines, arguments=["-j1", "--joblog", log])
        self.assertEqual(first.returncode, 1)
        (self.folder / "fixed").touch()
        second = run_lines(*lines, "echo new", arguments=["-j1", "--joblog", log, "--resume"])
        self.assertEqual((second.returncode, second.stdout), (0, b"new\n"))
        self.assertEqual(ran.read_text().split(), ["1", "2", "3", "2"])
        third = run_lines(*lines, "echo new", arguments=["-j1", "--joblog", log, "--resume"])
        self.assertEqual((third.returncode, third.stdout), (0, b""))

    def test_resume_refuses_another_input(self):
        log = self.folder / "log"
        run_lines("true", "true", arguments=["-j1", "--joblog", log])
        done = run_lines("true", "echo other", "echo third", arguments=["--joblog", log, "--resume"])
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(f"{log}:3: command 2 was another one", done.stderr.decode())

    def test_resume_after_a_kill_in_the_middle_of_a_row(self):
        log = self.file("log", HEADER + b"1\t:\t1\t1\t0\t0\t0\t0\techo a\n2\t:\t1\t1\t0")
        done = run_lines("echo a", "echo b", arguments=["--joblog", log, "--resume"])
        self.assertEqual((done.returncode, done.stdout), (0, b"b\n"))
        self.assertEqual(sorted(self.rows(log)), [1, 2])

    def test_resume_with_no_log_yet(self):
        done = run_lines("echo a", arguments=["--joblog", self.folder / "log", "--resume"])
        self.assertEqual((done.returncode, done.stdout), (0, b"a\n"))

    def test_resume_of_something_else(self):
        path = self.file("log", "hello\nworld\n")
        done = run_lines("true", arguments=["--joblog", path, "--resume"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"log:1: not a row of a job log", done.stderr)
        self.assertEqual(path.read_text(), "hello\nworld\n")

    def test_a_newline_in_a_command(self):
        log = self.folder / "log"
        arguments = ["run", "--joblog", log, "--resume", "--", "echo", ":::", "a\nb"]
        self.assertEqual(weir(*arguments).stdout, b"a\nb\n")
        self.assertEqual(weir(*arguments).stdout, b"")

    def test_a_full_disk(self):
        done = run_lines("true", arguments=["--joblog", "/dev/full"])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
        self.assertIn(b"/dev/full: cannot write the job log: No space left", done.stderr)

    def test_an_unwritable_place(self):
        done = run_lines("true", arguments=["--joblog", "/nowhere/log"])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))


class Trace(FolderCase):
    def test_workers_over_time(self):
        path = self.folder / "trace.json"
        done = run_lines("true", "sleep 0.01", "false", arguments=["-q", "-j2", "--trace", path])
        self.assertEqual(done.returncode, 1)
        trace = json.loads(path.read_text())
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        self.assertIn("sleep 0.01", {event.get("name") for event in events})

    def test_retries_carry_the_name_of_their_command(self):
        path = self.folder / "trace.json"
        run_lines("exit 7", arguments=["-q", "--retries", "2", "--backoff", "1ms", "--trace", path])
        begun = [event["name"] for event in json.loads(path.read_text()) if event["ph"] == "B"]
        self.assertEqual(begun, ["exit 7"] * 3)

    def test_names_that_are_no_text(self):
        # cases.md 164
        path = self.folder / "trace.json"
        done = weir("run", "--trace", path, stdin=b"echo \xff\xfe\n")
        self.assertEqual((done.returncode, done.stdout), (0, b"\xff\xfe\n"))
        self.assertIn("echo \ufffd\ufffd", {event.get("name") for event in json.loads(path.read_text())})

    def test_a_full_disk(self):
        done = run_lines("echo kept", arguments=["--trace", "/dev/full"])
        self.assertEqual((done.returncode, done.stdout), (1, b"kept\n"))
        self.assertIn(b"/dev/full: cannot write the trace", done.stderr)

    def test_an_unwritable_place(self):
        done = run_lines("true", arguments=["--trace", "/nowhere/trace"])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))


class Temporary(FolderCase):
    def test_no_room_for_large_output(self):
        done = run_lines("head -c 3000000 /dev/zero; exit 0", "echo next", arguments=["-k"],
                         env=dict(os.environ, TMPDIR="/nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"standard output after 1048576 bytes is lost", done.stderr)
        self.assertIn(b"TMPDIR", done.stderr)
        self.assertTrue(done.stdout.endswith(b"next\n"))


if __name__ == "__main__":
    unittest.main()
