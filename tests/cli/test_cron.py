"""weir cron: a foreground cron. What takes days is in cron_daemon_test.cpp, on a manual clock."""

import json
import os
import pathlib
import queue
import re
import select
import signal
import threading
import time
import unittest

from program import (PATIENCE_S, ROOT, FolderCase, children_of, holds, living_in_group, start,
                     stat_of, wait_until, weir)


class Lines:
    """The lines of a stream, read by a thread so that a wait for one has an end."""

    def __init__(self, stream):
        self.seen = []
        self.stream = stream
        self.queue = queue.Queue()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.stream:
            self.queue.put(line.decode(errors="replace").rstrip("\n"))
        self.queue.put(None)

    def until(self, pattern):
        """Waits for a line in which the pattern is found; returns the match."""
        while True:
            try:
                line = self.queue.get(timeout=PATIENCE_S)
            except queue.Empty:
                raise AssertionError(f"no line with {pattern!r} after {self.seen}") from None
            if line is None:
                raise AssertionError(f"ended without {pattern!r}: {self.seen}")
            self.seen.append(line)
            match = re.search(pattern, line)
            if match:
                return match

    def rest(self):
        """The lines up to the end, with those that were waited for."""
        self.thread.join(PATIENCE_S)
        while (line := self.queue.get(timeout=PATIENCE_S)) is not None:
            self.seen.append(line)
        return self.seen


class CronCase(FolderCase):
    def crontab(self, *lines):
        return self.file("crontab", "".join(line + "\n" for line in lines))

    def cron(self, *lines, arguments=(), **options):
        """Starts a cron on a crontab of these lines; its streams are in self.out and self.err."""
        process = start("cron", "--tz", "UTC", *arguments, self.crontab(*lines), **options)
        self.out, self.err = Lines(process.stdout), Lines(process.stderr)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


class Running(CronCase):
    def test_every_second_with_start_and_end_in_the_log(self):
        process = self.cron("* * * * * * echo hello; echo oops >&2; exit 3",
                            arguments=["--seconds"])
        self.err.until(r"crontab: 1 line$")
        self.err.until(r"weir: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ line 1, run 1 starts: echo hello")
        self.err.until(r"^oops$")
        self.err.until(r"line 1, run 1 ended: exit code 3 after \d+\.\d\ds: echo hello")
        self.err.until(r"line 1, run 2 ended")
        self.out.until(r"^hello$")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        rest = "\n".join(self.err.rest())
        self.assertIn("SIGTERM: nothing is started any more", rest)
        self.assertRegex(rest, r"stopped by SIGTERM: \d+ commands: \d+ failed")

    def test_json_is_one_object_a_line(self):
        process = self.cron("@reboot echo out; printf '\\377' >&2; exit 2", "@reboot kill -9 $$",
                            "61 * * * * true", "* * * * * * true", arguments=["--json", "-j1"])
        events = []
        while len([e for e in events if e["event"] == "end"]) < 2:
            events.append(json.loads(self.out.until("").string))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(self.err.rest(), [], "all is on standard output")
        bad = [e for e in events if e["event"] == "bad_line"]
        self.assertEqual([(e["line"], e["column"]) for e in bad], [(3, 1), (4, 11)])
        ends = {e["line"]: e for e in events if e["event"] == "end"}
        self.assertEqual((ends[1]["exit"], ends[1]["stdout"], ends[1]["stderr_base64"]),
                         (2, "out\n", "/w=="))
        self.assertEqual((ends[2]["exit"], ends[2]["signal"], ends[2]["outcome"]),
                         (None, 9, "failed"))
        starts = [e for e in events if e["event"] == "start"]
        self.assertEqual([e["seq"] for e in starts], [1, 2])

    def test_a_line_that_goes_on_is_passed_over(self):
        # cases.md 176
        gate = self.folder / "gate"
        process = self.cron(f"* * * * * * while ! [ -e {gate} ]; do sleep 0.01; done",
                            arguments=["--seconds"])
        self.err.until("run 1 starts")
        self.err.until(r"line 1 not started, its last run still goes on \(1 so far\)")
        self.err.until(r"still goes on \(2 so far\)")
        gate.touch()
        self.err.until("run 1 ended: exit code 0")
        self.err.until("run 2 starts")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)

    def test_overlap_allow(self):
        process = self.cron("* * * * * * sleep 100", arguments=["--seconds", "--overlap", "allow",
                                                                "--grace", "0"])
        self.err.until("run 2 starts")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        self.assertRegex("\n".join(self.err.rest()), r"run 1 ended: cancelled, signal 15")

    def test_timeout(self):
        process = self.cron("@reboot echo $$; sleep 300 & sleep 300",
                            arguments=["--timeout", "200ms"])
        self.err.until("run 1 ended: timed out after 0.2s")
        group = int(self.out.until(r"^\d+$")[0])
        self.assertEqual(living_in_group(group), [])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)

    def test_an_idle_daemon_makes_no_system_call(self):
        process = self.cron("0 0 1 1 * true", "@reboot true")
        self.err.until("run 1 ended")

        def threads():
            folder = pathlib.Path(f"/proc/{process.pid}/task")
            counts = {}
            for one in folder.iterdir():
                text = (one / "status").read_text()
                counts[one.name] = tuple(re.findall(r"ctxt_switches:\s*(\d+)", text))
            return counts

        def no_switch_in_a_second():
            before = threads()
            time.sleep(1)  # makes nothing true: what would poll has the time to do so
            return threads() == before

        wait_until(no_switch_in_a_second, "a second in which no thread runs")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)


class Surroundings(CronCase):
    def once(self, *lines, arguments=(), **options):
        return weir("cron", "--once", *arguments, self.crontab(*lines), **options)

    def test_variables_input_and_shell(self):
        done = self.once("A = \"  two words \"", "B=it's",
                         "@daily echo \"$A|$B|$C\"", "C=later", "@daily echo \"$C\"",
                         "@daily tr a-z A-Z; cat%first%100\\% sure",
                         "@daily echo \\%F", "@daily cat", "SHELL=/bin/bash",
                         "@daily echo ${BASH_VERSION:+bash}",
                         env={**os.environ, "C": "inherited"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.decode().splitlines(),
                         ["  two words |it's|inherited", "later", "FIRST", "100% SURE", "%F",
                          "bash"])

    def test_the_tag_names_the_line(self):
        done = self.once("# first", "@daily printf 'a\\nb'", arguments=["--tag"])
        self.assertEqual(done.stdout, b"line 2\ta\nline 2\tb\n")

    def test_once_runs_every_line_in_order_and_exits_with_their_status(self):
        done = self.once("0 0 1 1 * sleep 0.2; echo 1", "@reboot echo 2", "@daily echo 3")
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n2\n3\n"))
        done = self.once("@daily echo 1; exit 7", "@daily echo 2", arguments=["-q"])
        self.assertEqual((done.returncode, done.stdout), (1, b"1\n2\n"))
        self.assertIn(b"2 commands: 1 succeeded, 1 failed", done.stderr)
        self.assertNotIn(b"run 2", done.stderr)
        done = self.once("@daily sleep 100", "@daily true", arguments=["--timeout", "100ms"])
        self.assertEqual(done.returncode, 124)
        self.assertEqual(self.once("@daily true", "bad line").returncode, 0)

    def test_once_is_stopped_as_ever(self):
        process = self.cron(f"@daily echo $$ > {self.folder}/a; sleep 300", "@daily echo never",
                            arguments=["--once"])
        group = self.read_number("a")
        process.send_signal(signal.SIGINT)
        self.err.until("SIGINT: nothing is started any more; 1 command runs and has 5s")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(living_in_group(group), [])
        self.assertIn("2 commands: 1 cancelled, 1 never started",
                      "\n".join(self.err.rest()))
        self.assertEqual(self.out.rest(), [])


class Reading(CronCase):
    def test_a_bad_line_is_shown_and_the_others_run(self):
        path = self.crontab("@daily echo 1", "61 * * * * echo bad", "@daily echo 2")
        done = weir("cron", "--once", path)
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n2\n"))
        shown = done.stderr.decode().splitlines()
        self.assertTrue(shown[0].startswith(f"weir: {path}:2:1: "), shown)
        self.assertIn("61 * * * * echo bad", shown[1])
        self.assertEqual(shown[2].index("^"), shown[1].index("61"))

    def test_strict_runs_nothing(self):
        path = self.crontab("@daily echo 1", "61 * * * * echo bad")
        done = weir("cron", "--once", "--strict", path)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(f"{path}:2:1: ".encode(), done.stderr)
        self.assertIn(b"1 bad line; with --strict nothing runs", done.stderr)

    def test_a_crontab_of_bad_lines_alone_is_refused(self):
        done = weir("cron", self.crontab("nonsense"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no other that could run", done.stderr)

    def test_what_cannot_be_read(self):
        for name, what in ((self.folder / "nowhere", b"No such file"), (self.folder, b"directory")):
            done = weir("cron", name)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"cannot read the crontab", done.stderr)
            self.assertIn(what, done.stderr)
        self.assertEqual(weir("cron").returncode, 2)
        self.assertEqual(weir("cron", "a", "b").returncode, 2)
        self.assertEqual(weir("cron", "--check", "--once", "a").returncode, 2)
        self.assertEqual(weir("cron", "--overlap", "maybe", "a").returncode, 2)
        done = weir("cron", "--tz", "Mars/Phobos", self.crontab("@daily true"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"--tz", done.stderr)

    def test_a_shell_that_is_not_there_takes_its_lines_along(self):
        path = self.crontab("@daily echo 1", "SHELL=/nowhere/sh", "@daily echo 2",
                            "SHELL=/bin/sh", "@daily echo 3")
        done = weir("cron", "--once", path)
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n3\n"))
        self.assertIn(f"{path}:2:7: /nowhere/sh".encode(), done.stderr)

    def test_standard_input_and_a_pipe(self):
        self.assertEqual(weir("cron", "--once", "-", stdin="@daily echo hi\n").stdout, b"hi\n")
        reader, writer = os.pipe()
        os.write(writer, b"@daily echo pipe\n")
        os.close(writer)
        done = weir("cron", "--once", f"/dev/fd/{reader}", pass_fds=[reader])
        os.close(reader)
        self.assertEqual(done.stdout, b"pipe\n")

    def test_check_says_what_lines_mean_and_when_they_run(self):
        path = self.crontab("30 2 * * MON-FRI ./backup", "@reboot first", "@daily cat%input")
        done = weir("cron", "--check", "--tz", "Europe/Berlin", path)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        text = done.stdout.decode()
        self.assertRegex(text, rf"(?m)^{path}:1: .*02:30.*Monday to Friday.*\(Europe/Berlin\)$")
        self.assertRegex(text, r"(?m)^  next  (Mon|Tue|Wed|Thu|Fri) \d{4}-\d\d-\d\dT02:30:00\+0[12]"
                               r":00, in \d+\w+")
        self.assertRegex(text, r"(?m)^  runs  \./backup$")
        self.assertIn(f"{path}:2: once, when weir cron starts\n", text)
        self.assertRegex(text, r"(?m)^  reads input\\n$")

    def test_check_exits_with_2_for_a_bad_line_and_shows_the_others(self):
        path = self.crontab("@daily a", "nonsense")
        done = weir("cron", "--check", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{path}:2:9: ".encode(), done.stderr)
        self.assertIn(b"runs  a\n", done.stdout)
        seen = weir("cron", "--check", "--json", "--tz", "UTC", self.crontab("@daily a"))
        entry = json.loads(seen.stdout)
        self.assertEqual((entry["line"], entry["zone"], entry["command"]), (1, "UTC", "a"))
        self.assertRegex(entry["next"], r"T00:00:00Z$")

    def test_the_example_is_sound(self):
        done = weir("cron", "--check", "--strict", "examples/crontab", cwd=ROOT)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertGreater(done.stdout.count(b"  runs  "), 8)
        done = weir("cron", "--once", "examples/crontab", cwd=ROOT)
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"FIRST LINE\nSECOND LINE\n", done.stdout)


class Reload(CronCase):
    def test_lines_change_and_running_commands_are_let_run(self):
        # cases.md 175
        gate = self.folder / "gate"
        long = f"@reboot while ! [ -e {gate} ]; do sleep 0.01; done; echo long is over"
        process = self.cron(long, "@every 1h true")
        self.err.until("line 1, run 1 starts")
        self.crontab("* * * * * * echo six fields", "@every 1s echo new", "@every 1h true")
        process.send_signal(signal.SIGHUP)
        self.err.until(r"crontab:1:11: the command would begin with '\*'")
        self.err.until(r"SIGHUP: .*crontab: 1 line unchanged, 1 new, 1 gone; 1 bad line")
        self.out.until("^new$")
        self.err.until(r"line 2, run \d+ ended")
        gate.touch()
        self.out.until("^long is over$")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)

    def test_a_bad_new_file_keeps_the_old_table(self):
        process = self.cron("@every 1s echo old", arguments=["--strict"])
        self.out.until("^old$")
        self.crontab("@every 1s echo new", "nonsense")
        process.send_signal(signal.SIGHUP)
        self.err.until(r"crontab:2:9: ")
        self.err.until("1 bad line, and --strict: the crontab stays as it was")
        (self.folder / "crontab").unlink()
        process.send_signal(signal.SIGHUP)
        self.err.until("cannot read the crontab: No such file.*; the crontab stays as it was")
        self.err.until("run 2 ended")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        self.assertEqual(set(self.out.rest()), {"old"})


class Snapshot(CronCase):
    """SIGUSR1 shows where a cron stands and changes nothing."""

    def gated(self):
        return f"while ! [ -e {self.folder}/gate ]; do sleep 0.01; done"

    def ask(self, process):
        process.send_signal(signal.SIGUSR1)
        return json.loads(self.err.until(r'^{"snapshot":').string)["snapshot"]

    def stop(self, process):
        (self.folder / "gate").touch()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)

    def test_what_runs_and_what_each_line_does_next(self):
        process = self.cron("@reboot " + self.gated(), "0 0 1 1 * echo new year", "@reboot exit 3",
                            arguments=["-q"])
        self.err.until(r"line 3, run \d ended: exit code 3")

        def answer():
            # The log may hear of an end before the line is free.
            process.send_signal(signal.SIGUSR1)
            head = self.err.until("^weir: after ").string
            lines = [self.err.until("").string for _ in range(4)]
            return (head, lines) if "1 running" in head and "1 done" in head else None

        head, lines = wait_until(answer, "an end that is counted")
        self.assertRegex(head, r"^weir: after [\d.]+s: 3 lines; 1 running, 0 waiting for a place; "
                               r"1 done, 1 failed$")
        self.assertRegex(lines[0], r"^weir:   run \d \(line 1\) runs for [\d.]+s: while ")
        self.assertRegex(lines[1], r"^weir:   line 1: no next time; 1 run, 0 failed, 0 skipped, "
                                   r"1 running: while ")
        self.assertRegex(lines[2], r"^weir:   line 2: next at \d{4}-01-01T00:00:00Z, in [\d.]+s; "
                                   r"0 runs, 0 failed, 0 skipped: echo new year$")
        self.assertEqual(lines[3],
                         "weir:   line 3: no next time; 1 run, 1 failed, 0 skipped: exit 3")
        self.stop(process)
        self.assertEqual(self.out.rest(), [])

    def test_json(self):
        process = self.cron("* * * * * * " + self.gated(), "0 0 * * * true",
                            arguments=["--json", "--seconds"])
        self.out.until('"trouble"')  # of the second line
        self.out.until('"event":"skip"')
        seen = self.ask(process)
        self.assertEqual((seen["stage"], seen["failed"], seen["further_lines"]), ("going", 0, 0))
        running, = seen["running"]
        self.assertEqual((running["seq"], running["line"], running["retired"]), (1, 1, False))
        self.assertGreater(running["seconds"], 0)
        line, = seen["lines"]
        self.assertRegex(line["next"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertLessEqual(line["due_in"], 1)
        self.assertEqual((line["line"], line["running"], line["waiting"], line["runs"],
                          line["failures"]), (1, 1, False, 1, 0))
        self.assertGreaterEqual(line["skipped"], 1)
        self.assertEqual(seen["skipped"], line["skipped"])
        self.stop(process)
        self.assertEqual([line for line in self.err.rest() if '"snapshot"' not in line], [],
                         "the log is on standard output")

    def test_what_runs_of_a_line_that_is_gone(self):
        process = self.cron("@reboot " + self.gated(), arguments=["--json"])
        self.out.until('"event":"start"')
        self.crontab("@daily new")
        process.send_signal(signal.SIGHUP)
        self.out.until("1 new, 1 gone")
        seen = self.ask(process)
        self.assertEqual([one["retired"] for one in seen["running"]], [True])
        self.assertEqual([one["command"] for one in seen["lines"]], ["new"])
        self.stop(process)

    def test_during_a_stop_and_for_each_line_once(self):
        for arguments in ([], ["--once"]):
            with self.subTest(arguments):
                (self.folder / "gate").unlink(missing_ok=True)
                process = self.cron("@reboot " + self.gated(),
                                    arguments=["--json", "--grace", "1h", *arguments])
                self.out.until('"event":"start"')
                self.assertEqual(self.ask(process)["stage"], "going")
                process.send_signal(signal.SIGTERM)
                self.out.until("nothing is started any more")
                seen = self.ask(process)
                self.assertEqual((seen["stage"], len(seen["running"])), ("stopping", 1))
                (self.folder / "gate").touch()
                self.assertEqual(process.wait(60), 143)

    def test_while_the_crontab_is_read(self):
        os.mkfifo(self.folder / "pipe")
        process = start("cron", self.folder / "pipe")
        self.addCleanup(process.kill)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        wait_until(lambda: holds(process.pid, signal.SIGUSR1), "a weir that knows the signal")
        wait_until(lambda: threads_named(process.pid, "weir-log"), "a log")

        def answer():
            process.send_signal(signal.SIGUSR1)
            return select.select([process.stderr], [], [], 0.1)[0]

        wait_until(answer, "an answer")
        self.assertIn(b"weir: reading the crontab, after ", process.stderr.readline())
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)


def threads_named(pid, name):
    return [one for one in pathlib.Path(f"/proc/{pid}/task").iterdir()
            if (one / "comm").read_text().strip() == name]


class Stop(CronCase):
    def test_the_first_signal_lets_commands_finish(self):
        # cases.md 173
        gate = self.folder / "gate"
        process = self.cron(f"@reboot while ! [ -e {gate} ]; do sleep 0.01; done; echo done",
                            "@every 1s true", arguments=["--grace", "60s"])
        self.err.until("line 1, run 1 starts")
        process.send_signal(signal.SIGTERM)
        self.err.until("SIGTERM: nothing is started any more; .* 60s to end")
        gate.touch()
        self.assertEqual(process.wait(60), 143)
        self.assertEqual(self.out.rest(), ["done"])
        self.assertIn("run 1 ended: exit code 0", "\n".join(self.err.rest()))

    def test_after_the_grace_commands_are_ended(self):
        process = self.cron(f"@reboot echo $$ > {self.folder}/a; sleep 300 & sleep 300",
                            arguments=["--grace", "100ms"])
        group = self.read_number("a")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        self.assertEqual(living_in_group(group), [])
        self.assertIn("running commands are ended, 0.1s are over", "\n".join(self.err.rest()))

    def test_the_second_signal_does_not_wait(self):
        line = (f"@reboot (trap '' TERM; echo $$ > {self.folder}/a; while :; do sleep 0.05; done) "
                "& wait")
        process = self.cron(line, arguments=["--grace", "1h", "--kill-after", "200ms"])
        group = self.read_number("a")
        process.send_signal(signal.SIGINT)
        self.err.until("SIGINT: nothing is started any more; 1 command runs")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(living_in_group(group), [])

    def test_a_stop_is_heard_while_nobody_reads(self):
        path = self.crontab(*["@reboot head -c 300000 /dev/zero"] * 3)
        process = start("cron", "--grace", "100ms", path)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(process.kill)
        wait_until(lambda: len(process.stdout.peek(1)) > 0, "output")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        self.assertIn(b"its reader does not read", process.stderr.read())

    def test_an_idle_daemon_stops_at_once_and_leaves_nothing(self):
        process = self.cron("0 0 1 1 * true")
        self.err.until("crontab: 1 line$")
        self.assertEqual(children_of(process.pid), [])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), 143)
        self.assertIsNone(stat_of(process.pid))


if __name__ == "__main__":
    unittest.main()
