"""Where commands come from, and what is said about input that is none."""

import os
import resource
import shutil
import subprocess
import unittest

from program import PROGRAM, ROOT, FolderCase, children_of, run_lines, start, wait_until, weir

LONGEST = 32 * os.sysconf("SC_PAGESIZE") - 1


class Input(FolderCase):
    def test_a_file(self):
        path = self.file("a b.jobs", "# comment\n\necho one\n  # indented\necho two")
        done = weir("run", "-k", path)
        self.assertEqual((done.returncode, done.stdout), (0, b"one\ntwo\n"))

    def test_standard_input_also_as_dash(self):
        self.assertEqual(weir("run", "-", stdin="echo hi\n").stdout, b"hi\n")

    def test_nothing_to_do(self):
        done = weir("run", "/dev/null")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_commands_have_no_input_of_their_own(self):
        done = run_lines("cat", "echo next", arguments=["-j1"])
        self.assertEqual(done.stdout, b"next\n")

    def test_values(self):
        done = weir("run", "-k", "-j2", "--", "echo", "{#}", "{}", "{.}", "{/}", ":::", "/d/a b.c", "x")
        self.assertEqual(done.stdout, b"1 /d/a b.c /d/a b a b.c\n2 x x x\n")

    def test_values_without_dashes(self):
        done = weir("run", "-j", "2", "-k", "printf", "%s-", "{}", ":::", "a", "b")
        self.assertEqual(done.stdout, b"a-b-")

    def test_values_of_a_file_and_of_standard_input(self):
        path = self.file("values", "one\n#two\n")
        self.assertEqual(weir("run", "-k", "--", "echo", "::::", path).stdout, b"one\n#two\n")
        self.assertEqual(weir("run", "-k", "--", "echo", stdin="a;b\n").stdout, b"a;b\n")

    def test_values_are_quoted(self):
        nasty = ["$(touch pwned)", "`x`", "'", '"', "a\nb", "*", "", "-n", "\\"]
        done = weir("run", "-k", "--", "printf '<%s>' {}", ":::", *nasty, cwd=self.folder)
        self.assertEqual(done.stdout, "".join(f"<{value}>" for value in nasty).encode())
        self.assertEqual(os.listdir(self.folder), [])

    def test_no_values_are_nothing_to_do(self):
        self.assertEqual(weir("run", "--", "echo", ":::").returncode, 0)

    def test_dry_run(self):
        done = weir("run", "--dry-run", "--joblog", self.folder / "log", "--", "rm", "{}", ":::", "a b")
        self.assertEqual((done.returncode, done.stdout), (0, b"rm 'a b'\n"))
        self.assertFalse((self.folder / "log").exists())

    def test_a_line_that_begins_like_an_option(self):
        self.assertIn(b"-x", run_lines("-x").stderr)

    def test_an_endless_input_is_read_no_faster_than_commands_run(self):
        read, write = os.pipe()
        gate = self.folder / "gate"
        process = start("run", "-j1", "--capacity", "2", stdin=read)
        os.close(read)
        os.set_blocking(write, False)
        line = f"while ! [ -e {gate} ]; do sleep 0.01; done; :".encode()
        line += b" " * (4095 - len(line)) + b"\n"
        written = 0

        def is_full():
            nonlocal written
            try:
                while written < 2000:
                    written += os.write(write, line) // len(line)
            except BlockingIOError:
                # Full now; it stays so if the reader is really held up.
                return any_running() and pipe_stays_full()
            return True

        def any_running():
            return bool(wait_until(lambda: children_of(process.pid), "the first command"))

        def pipe_stays_full():
            try:
                os.write(write, line)
            except BlockingIOError:
                return True
            return False

        wait_until(is_full, "a full pipe")
        self.assertLess(written, 100, "no more than the pipe, a buffer and the waiting places")
        gate.touch()
        os.close(write)
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()
        process.stderr.close()


class Example(unittest.TestCase):
    def test_the_first_command_of_the_readme(self):
        done = weir("run", "-j4", "-k", "examples/checksums.jobs", cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        # The sum of 64 MB of zeros is known, so the commands did real work.
        self.assertIn(b"3b6a07d0d404fab4e23b6d34bc6696a6a312dd92821332385e5af7c01c421351", done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 13)


class BadInput(FolderCase):
    def refused(self, *arguments, code=2, **options):
        """Returns the one line that weir says when it refuses these arguments."""
        done = weir(*arguments, **options)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(b"weir: "), done.stderr)
        return done.stderr.decode()

    def test_no_such_file(self):
        self.assertIn("/nowhere/x: ", self.refused("run", "/nowhere/x"))

    def test_a_directory(self):
        self.assertIn("is a directory", self.refused("run", self.folder))
        folder = os.open("/", os.O_RDONLY)
        self.addCleanup(os.close, folder)
        process = start("run", stdin=folder)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err.count(b"\n")), (2, 1))
        self.assertIn(b"standard input: is a directory", err)

    def test_unreadable(self):
        path = self.file("secret", "true\n")
        path.chmod(0)
        if os.geteuid() == 0:
            # root reads everything, so the run is another user's, who needs a program in reach.
            self.folder.chmod(0o755)
            program = shutil.copy(PROGRAM, self.folder / "weir")
            done = subprocess.run([program, "run", path], capture_output=True, timeout=60,
                                  preexec_fn=lambda: os.setuid(65534))
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))
            said = done.stderr.decode()
        else:
            said = self.refused("run", path)
        self.assertIn("Permission denied", said)

    def test_flags(self):
        for arguments, needle in [
            (["-j", "0"], "-j '0'"), (["-j", "x"], "-j 'x'"), (["-j", "1.5"], "-j '1.5'"),
            (["-j", "99999999999999999999"], "-j '9"), (["--capacity", "0"], "--capacity '0'"),
            (["--timeout", "soon"], "--timeout 'soon'"), (["--delay=-1"], "--delay '-1'"),
            (["--retries", "-1"], "--retries"), (["--halt", "later"], "--halt 'later'"),
            (["--progress", "x"], "--progress 'x'"), (["--joblog", ""], "--joblog"),
            (["--jbos", "3"], "did you mean --jobs"), (["-Z"], "unknown flag '-Z'"),
            (["--timeout"], "--timeout"), (["--resume"], "--joblog"),
            (["a", "b"], "'b' is a second"), (["f", "--", "echo"], "'f' stands before --"),
            (["--"], "no command"), (["--", ":::", "a"], "no command"),
            (["--", "x", ":::", "a", ":::", "b"], "second :::"),
            (["--", "x", "::::", "a", "b"], ":::: takes one file"),
        ]:
            with self.subTest(arguments):
                self.assertIn(needle, self.refused("run", *arguments))

    def test_verbs(self):
        self.assertIn("did you mean run?", self.refused("rnu"))
        self.assertIn("unknown verb", self.refused("frobnicate"))

    def test_a_shell_that_does_not_exist(self):
        path = self.file("jobs", f"touch {self.folder}/ran\n")
        self.assertIn("/nowhere/sh", self.refused("run", "--shell", "/nowhere/sh", path))
        self.assertIn("nosuchshell", self.refused("run", "--shell", "nosuchshell", path))
        self.assertFalse((self.folder / "ran").exists())

    def test_pipefail_of_a_shell_that_has_none(self):
        # cases.md 170
        self.assertIn("--shell bash", self.refused("run", "--pipefail", "--shell", "/bin/false"))

    def test_too_many_jobs_for_the_descriptors(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        self.assertIn("ulimit -n", self.refused("run", "-j", "1000", preexec_fn=limit))


class LinesThatCannotRun(FolderCase):
    def test_others_go_on(self):
        text = b"echo a\n" + b"x" * (LONGEST + 1) + b"\n" + b"echo \0b\n" + b"echo c\n"
        done = weir("run", "-k", stdin=text)
        self.assertEqual((done.returncode, done.stdout), (1, b"a\nc\n"))
        said = done.stderr.decode().splitlines()
        self.assertIn("(line 2)", said[0])
        self.assertIn(str(LONGEST + 1), said[0])
        self.assertIn("(line 3)", said[1])
        self.assertIn("NUL", said[1])
        self.assertEqual(len(said), 3, said)

    def test_the_longest_line_runs(self):
        done = weir("run", stdin=b"echo ok" + b" " * (LONGEST - 7) + b"\n")
        self.assertEqual((done.returncode, done.stdout), (0, b"ok\n"))

    def test_ten_megabytes_in_a_line_take_no_memory(self):
        process = start("run", "-j1")
        process.stdin.write(b"x" * 10_000_000 + b"\n" + b"grep VmHWM /proc/$PPID/status\n")
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn(b"is 10000000 bytes long", err)
        self.assertLess(int(out.split()[1]), 9_000, "kB, the program itself included")


if __name__ == "__main__":
    unittest.main()
