"""--key: commands with the same key one after the other, in the order of the input; others beside them."""

import json
import os
import signal
import unittest

from program import FolderCase, run_lines, snapshot_when, start, weir

KEY = ["--key", r"# (\w+)"]


class Keys(FolderCase):
    def until(self, name):
        """Shell text that waits for a file."""
        return f"while ! [ -e {self.folder}/{name} ]; do sleep 0.01; done"

    def test_commands_of_one_key_never_overlap_and_keep_their_order(self):
        log = self.folder / "log"
        # mkdir fails if another one of the key is inside.
        lines = [f"mkdir {self.folder}/{k} && echo {k}{n} >> {log} && sleep 0.00{n % 4} && "
                 f"rmdir {self.folder}/{k} # {k}" for n in range(10, 40) for k in "abc"]
        done = run_lines(*lines, arguments=["-j8", "--capacity", "200", *KEY])
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        seen = log.read_text().split()
        self.assertEqual(len(seen), 90)
        for key in "abc":
            mine = [one for one in seen if one[0] == key]
            self.assertEqual(mine, sorted(mine))

    def test_different_keys_and_no_key_run_beside_each_other(self):
        # Each waits for the next one: they can end only if all three run at the same time.
        lines = [f"{self.until('b')}; touch {self.folder}/a # x", f"{self.until('c')}; touch {self.folder}/b # y",
                 f"touch {self.folder}/c"]
        done = run_lines(*lines, arguments=["-j3", *KEY])
        self.assertEqual(done.returncode, 0)

    def test_a_lane_that_waits_takes_no_job_slot(self):
        # Two slots: one runs a command of the key, the others of the key wait, and the rest goes on.
        lines = [f"{self.until('free')} # k"] + ["echo k # k"] * 3 + [f"touch {self.folder}/free"]
        done = run_lines(*lines, arguments=["-j2", *KEY])
        self.assertEqual((done.returncode, done.stdout), (0, b"k\nk\nk\n"))

    def test_keep_order_holds(self):
        lines = [f"echo {n}; sleep 0.00{n % 3} # {'abc'[n % 3]}" for n in range(60)]
        done = run_lines(*lines, arguments=["-j4", "-k", *KEY])
        self.assertEqual(done.stdout.split(), [b"%d" % n for n in range(60)])

    def test_a_busy_key_fills_the_places_and_then_the_input_waits(self):
        gate = self.folder / "gate"
        lines = [f"{self.until('gate')} # k"] + ["echo k # k"] * 3
        process = start("run", "--json", "-j2", "--capacity", "2", "--key", "k$")
        process.stdin.write("".join(line + "\n" for line in [*lines, f"touch {self.folder}/late"]).encode())
        process.stdin.flush()
        seen = snapshot_when(process, lambda seen: seen["reader_waits"] and seen["running"], "a full house")
        self.assertEqual((len(seen["running"]), seen["behind_key"]["count"]), (1, 3))
        self.assertEqual(seen["behind_key"]["longest"], [{"key": "k", "waiting": 3, "behind": 1}])
        self.assertFalse((self.folder / "late").exists(), "it has no place yet, though a slot is free")
        gate.touch()
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, len(out.splitlines())), (0, 5))
        self.assertTrue((self.folder / "late").exists())

    def test_a_retried_command_keeps_its_key(self):
        log = self.folder / "log"
        first = (f"echo first >> {log}; [ $(grep -c first {log}) -eq 3 ] # k")
        done = run_lines(first, f"echo second >> {log} # k", f"echo other >> {log} # o",
                         arguments=["-j4", "--retries", "5", "--backoff", "20ms", *KEY])
        self.assertEqual(done.returncode, 0)
        seen = [one for one in log.read_text().split() if one != "other"]
        self.assertEqual(seen, ["first"] * 3 + ["second"])

    def test_after_a_failure_or_a_timeout_the_next_one_starts(self):
        done = run_lines("false # k", "sleep 60 # k", "echo ran # k",
                         arguments=["-q", "--timeout", "100ms", *KEY])
        self.assertEqual((done.returncode, done.stdout), (1, b"ran\n"))

    def test_halt_starts_no_other_of_the_key(self):
        done = run_lines("false # k", *["echo ran # k"] * 3, arguments=["--halt", "soon", *KEY])
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn(b"1 failed, 3 never started (from 2 on)", done.stderr)

    def test_a_stop_lets_go_of_what_waits(self):
        process = start("run", "-j2", *KEY)
        process.stdin.write(f"echo $$ > {self.folder}/pid; {self.until('gate')}; echo done # k\n".encode() +
                            b"echo never # k\n" * 2)
        process.stdin.flush()
        self.read_number("pid")
        process.send_signal(signal.SIGINT)
        process.stderr.readline()
        (self.folder / "gate").touch()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, b"done\n"))
        self.assertNotIn(b"failed", err)

    def test_with_resume(self):
        log = self.folder / "log"
        lines = [f"echo {n}; [ {n} != 1 ] || [ -e {self.folder}/fixed ] # k" for n in range(4)]
        run_lines(*lines, arguments=["-q", "--joblog", log, *KEY])
        rows = log.read_text().splitlines()[1:]
        self.assertEqual([row.split("\t")[0] for row in rows], ["1", "2", "3", "4"])
        (self.folder / "fixed").touch()
        done = run_lines(*lines, arguments=["--joblog", log, "--resume", *KEY])
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n"))

    def test_of_a_template_the_command_is_searched(self):
        done = weir("run", "--json", "-k", "--key", r"host=\w+", "--", "echo", "host={}", ":::", "a", "b", "a")
        self.assertEqual([json.loads(line)["key"] for line in done.stdout.splitlines()],
                         ["host=a", "host=b", "host=a"])

    def test_json_names_the_key_of_those_that_have_one(self):
        done = run_lines("echo # a", "echo", arguments=["--json", "-k", *KEY])
        first, second = map(json.loads, done.stdout.splitlines())
        self.assertEqual(first["key"], "a")
        self.assertNotIn("key", second)

    def test_a_hostile_line_and_pattern(self):
        line = ": " + "a" * 100_000
        done = run_lines(line, line + "b", "echo ok", arguments=["--key", "(?:a*)*c|(?:.|x)+$"])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"ok\n", b""))

    def test_bad_patterns(self):
        for pattern, needle in [("a(b", "missing )"), ("x[z-a]", "z-a at byte 3"), ("", "empty"),
                                (r"(.)\1", "invalid escape sequence"), (b"\xff", "UTF-8")]:
            for extra in ([], ["--dry-run"]):
                with self.subTest(pattern=pattern, extra=extra):
                    done = weir("run", *extra, "--key", os.fsdecode(pattern), "/dev/null")
                    self.assertEqual((done.returncode, done.stdout), (2, b""))
                    self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
                    self.assertIn(needle, done.stderr.decode(errors="replace"))


if __name__ == "__main__":
    unittest.main()
