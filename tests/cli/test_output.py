"""What commands write comes out whole, byte for byte, one command after the other."""

import base64
import json
import os
import threading
import unittest

from program import FolderCase, run_lines, start, weir


class Output(FolderCase):
    def test_streams_stay_apart(self):
        done = run_lines("echo out; echo err >&2")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"out\n", b"err\n"))

    def test_bytes_are_kept(self):
        # cases.md 164
        done = run_lines(r"printf '\377\376\000ok\n'; printf '\200' >&2")
        self.assertEqual((done.stdout, done.stderr), (b"\xff\xfe\x00ok\n", b"\x80"))

    def test_ten_megabytes_on_both_streams(self):
        # cases.md 161
        done = run_lines("head -c 10000000 /dev/zero >&2; head -c 10000000 /dev/zero | tr '\\0' x")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr), 10_000_000)
        self.assertEqual(done.stdout, b"x" * 10_000_000)

    def test_output_is_whole_at_the_exit(self):
        # cases.md 160
        lines = ["head -c 1000000 /dev/zero | tr '\\0' x; exit 3"] * 12
        done = run_lines(*lines, arguments=["-j4", "-q"])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stdout), 12_000_000)

    def test_output_of_commands_is_not_mixed(self):
        lines = [f"for i in 1 2 3 4 5 6 7 8; do echo {n}; done" for n in range(40)]
        done = run_lines(*lines, arguments=["-j8"])
        seen = done.stdout.split()
        self.assertEqual(len(seen), 320)
        for at in range(0, 320, 8):
            self.assertEqual(len(set(seen[at:at + 8])), 1, seen[at:at + 8])

    def test_keep_order(self):
        # The first command ends last: it waits for a file that the last one makes.
        gate = self.folder / "gate"
        lines = [f"while ! [ -e {gate} ]; do sleep 0.01; done; echo 0"]
        lines += [f"echo {n}" for n in range(1, 20)] + [f"touch {gate}; echo 20"]
        done = run_lines(*lines, arguments=["-j4", "-k"])
        self.assertEqual(done.stdout.split(), [b"%d" % n for n in range(21)])

    def test_without_keep_order_the_first_to_end_is_the_first_to_show(self):
        gate = self.folder / "gate"
        path = self.file("jobs", f"while ! [ -e {gate} ]; do sleep 0.01; done; echo slow\necho fast\n")
        process = start("run", "-j2", path)
        self.assertEqual(process.stdout.readline(), b"fast\n")
        gate.touch()
        self.assertEqual(process.communicate(timeout=60)[0], b"slow\n")

    def test_keep_order_holds_also_for_failures(self):
        done = run_lines(*[f"echo {n}; exit {n % 3}" for n in range(200)],
                         arguments=["-j8", "-k", "-q"])
        self.assertEqual(done.stdout.split(), [b"%d" % n for n in range(200)])

    def test_tag(self):
        done = weir("run", "--tag", "-k", "--", "printf 'a\\nb'; echo {} >&2", ":::", "x y", "z")
        self.assertEqual(done.stdout, b"x y\ta\nx y\tb\nz\ta\nz\tb\n")
        self.assertEqual(done.stderr, b"x y\tx y\nz\tz\n")

    def test_a_full_disk_ends_the_run(self):
        with open("/dev/full", "wb") as full:
            done = weir("run", "-j2", "--", "echo {}", ":::", *range(2000), stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count(b"standard output"), 1, done.stderr)
        self.assertIn(b"No space left", done.stderr)
        self.assertIn(b"never started", done.stderr)

    def test_a_reader_that_left_ends_the_run(self):
        process = start("run", "-j2")
        process.stdout.close()
        feeder = threading.Thread(target=feed, args=(process.stdin, b"echo x\n"))
        feeder.start()
        error = process.stderr.read()
        self.assertEqual(process.wait(60), 1)
        feeder.join()
        process.stderr.close()
        self.assertEqual(error.count(b"Broken pipe"), 1, error)


def feed(stream, line):
    """Writes a line again and again until nobody reads."""
    try:
        while True:
            stream.write(line * 1000)
    except BrokenPipeError:
        pass
    try:
        stream.close()
    except BrokenPipeError:
        pass


class Json(FolderCase):
    def objects(self, done):
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_one_object_a_command(self):
        done = run_lines("echo hi; echo no >&2", "exit 3", "kill -9 $$",
                         arguments=["--json", "-k", "-q"])
        ok, failed, killed = self.objects(done)
        self.assertEqual((ok["seq"], ok["line"], ok["command"]), (1, 1, "echo hi; echo no >&2"))
        self.assertEqual((ok["outcome"], ok["exit"], ok["signal"]), ("succeeded", 0, None))
        self.assertEqual((ok["stdout"], ok["stderr"]), ("hi\n", "no\n"))
        self.assertEqual((failed["outcome"], failed["exit"]), ("failed", 3))
        # cases.md 166
        self.assertEqual((killed["outcome"], killed["exit"], killed["signal"]), ("failed", None, 9))
        self.assertGreater(ok["start"], 1e9)

    def test_bytes_that_are_no_text(self):
        # cases.md 164
        done = run_lines(r"printf '\377\000'", arguments=["--json"])
        seen = self.objects(done)[0]
        self.assertNotIn("stdout", seen)
        self.assertEqual(base64.b64decode(seen["stdout_base64"]), b"\xff\x00")

    def test_names_that_are_no_text(self):
        # cases.md 164: in the command, its key, the working folder, the tag and the folder of results.
        folder = os.fsencode(self.folder) + b"/\xff\xfe"
        os.mkdir(folder)
        done = weir("run", "--json", "--key", r"echo (?s:\C+)", "--results", b"r\xff".decode(errors="surrogateescape"),
                    stdin=b"echo \xff\n", cwd=folder)
        seen = self.objects(done)[0]
        self.assertEqual(base64.b64decode(seen["command_base64"]), b"echo \xff")
        self.assertEqual(base64.b64decode(seen["key_base64"]), b"echo \xff")
        self.assertEqual(base64.b64decode(seen["stdout_base64"]), b"\xff\n")
        with open(folder + b"/r\xff/1/stdout", "rb") as kept:
            self.assertEqual(kept.read(), b"\xff\n")
        value = b"v\xff".decode(errors="surrogateescape")
        self.assertEqual(weir("run", "--tag", "--", "echo x #", ":::", value).stdout, b"v\xff\tx\n")

    def test_large_text(self):
        # cases.md 163
        done = run_lines("yes 'é' | head -n 1000000", arguments=["--json"])
        self.assertEqual(self.objects(done)[0]["stdout"], "é\n" * 1_000_000)

    def test_what_could_not_run(self):
        done = weir("run", "--json", "-q", stdin=b"a\0b\n")
        seen = self.objects(done)[0]
        self.assertEqual((seen["outcome"], seen["exit"], seen["attempts"]), ("failed", None, 0))
        self.assertIn("NUL", seen["problem"])


if __name__ == "__main__":
    unittest.main()
