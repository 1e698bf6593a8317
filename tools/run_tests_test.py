"""tools/run_tests counts what happened, not what was hoped for."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
PATH = str(Path(__file__).resolve().parent / "run_tests")
LOADER = importlib.machinery.SourceFileLoader("run_tests", PATH)
run_tests = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", LOADER))
LOADER.exec_module(run_tests)


def counts(outcome):
    return outcome.passed, outcome.failed, outcome.skipped


class Counting(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.report = Path(scratch.name, "report.json")

    def gtest(self, report, code=0, output="", hung=False):
        if report is not None:
            self.report.write_text(report)
        return run_tests.count_gtest(self.report, run_tests.Finished(code, output, hung), 1)

    def report_of(self, tests, failures, skipped=0):
        cases = [{"result": "SKIPPED"}] * skipped + [{"result": "COMPLETED"}] * (tests - skipped)
        return json.dumps({"tests": tests, "failures": failures, "errors": 0, "disabled": 0,
                           "testsuites": [{"testsuite": cases}]})

    def test_a_clean_program(self):
        self.assertEqual(counts(self.gtest(self.report_of(5, 0, skipped=1))), (4, 0, 1))

    def test_failed_cases(self):
        self.assertEqual(counts(self.gtest(self.report_of(5, 2), code=1)), (3, 2, 0))

    def test_a_crash_keeps_what_had_passed(self):
        output = "[       OK ] a.b (0 ms)\n[ RUN      ] a.c\n"
        outcome = self.gtest(None, code=-11, output=output)
        self.assertEqual(counts(outcome), (1, 1, 0))
        self.assertIn("SIGSEGV", outcome.output)

    def test_a_crash_after_all_cases_passed(self):
        self.assertEqual(counts(self.gtest(self.report_of(2, 0), code=66)), (2, 1, 0))

    def test_a_program_without_tests_fails(self):
        self.assertEqual(counts(self.gtest(self.report_of(0, 0))), (0, 1, 0))

    def test_half_a_report_fails(self):
        self.assertEqual(counts(self.gtest('{"tests": 3')), (0, 1, 0))

    def unittest(self, output, code=0, hung=False):
        return counts(run_tests.count_unittest(run_tests.Finished(code, output, hung), 1))

    def test_python_files(self):
        self.assertEqual(self.unittest("Ran 3 tests in 1s\n\nOK\n"), (3, 0, 0))
        self.assertEqual(self.unittest("Ran 1 test in 1s\n\nOK (skipped=1)\n"), (0, 0, 1))
        self.assertEqual(
            self.unittest("Ran 5 tests in 1s\n\nFAILED (failures=1, errors=2)\n", 1), (2, 3, 0))
        self.assertEqual(self.unittest("ImportError: no\n", 1), (0, 1, 0))
        self.assertEqual(self.unittest("Ran 0 tests in 0s\n\nOK\n"), (0, 1, 0))
        self.assertEqual(self.unittest("Ran 2 tests in 1s\n\nOK\n", -9, True), (1, 1, 0))

    def test_mutants(self):
        def counted(output, code):
            return counts(run_tests.count_mutants(run_tests.Finished(code, output, False), 1))
        self.assertEqual(counted("6 killed, 0 survived, 0 not applicable\n", 0), (6, 0, 0))
        self.assertEqual(counted("3 killed, 2 survived, 1 not applicable\n", 1), (3, 3, 0))
        self.assertEqual(counted("6 killed, 0 survived, 0 not applicable\n", -9), (6, 1, 0))
        self.assertEqual(counted("mutants: the copy cannot be configured\n", 2), (0, 1, 0))


class Running(unittest.TestCase):
    def test_a_hang_is_ended_with_its_children(self):
        with tempfile.TemporaryDirectory() as scratch:
            pid_file = Path(scratch, "pid")
            finished = run_tests.run(["sh", "-c", f"sleep 1000 & echo $! > '{pid_file}'; wait"], 1)
            self.assertTrue(finished.hung)
            self.assertTrue(self.gone(int(pid_file.read_text())))

    def gone(self, pid):
        """A killed orphan may be seen until its new parent has reaped it."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                os.kill(pid, 0)
                if Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
            except (ProcessLookupError, FileNotFoundError):
                return True
        return False

    def session(self):
        """A session whose printed lines do not mix with those of this test."""
        silence = contextlib.redirect_stdout(io.StringIO())
        self.printed = silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)
        return run_tests.Session()

    def test_a_failing_command_is_counted_and_shows_its_tail(self):
        session = self.session()
        self.assertFalse(session.command("it", ["sh", "-c", "echo why; exit 3"]))
        self.assertEqual((session.passed, session.failed, session.failures), (0, 1, ["it"]))
        self.assertIn("    | why", self.printed.getvalue())
        self.assertIn("exit code 3", self.printed.getvalue())

    def test_a_missing_program_is_a_failure_and_no_end(self):
        session = self.session()
        session.command("it", ["/no/such/program"])
        session.command("next", ["true"])
        self.assertEqual((session.passed, session.failed), (1, 1))

    def test_parts_are_chosen_in_their_own_order(self):
        self.assertEqual(run_tests.parse(["--only", "tidy", "--only", "unit"]), ["unit", "tidy"])
        self.assertEqual(run_tests.parse([]), list(run_tests.PARTS))
        self.assertNotIn("tsan", run_tests.parse(["--quick"]))

    def test_an_unknown_part_is_named(self):
        with contextlib.redirect_stderr(io.StringIO()) as printed:
            with self.assertRaises(SystemExit):
                run_tests.parse(["--only", "magic"])
        self.assertIn("magic", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
