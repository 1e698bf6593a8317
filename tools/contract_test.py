"""tools/contract: what counts as a citation, what it refuses, what it writes."""

import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "contract"
sys.path.insert(0, str(TOOL.parent))
sys.dont_write_bytecode = True

spec = spec_from_loader("contract", SourceFileLoader("contract", str(TOOL)))
contract = module_from_spec(spec)
spec.loader.exec_module(contract)

LIST = """
[[part]]
title = "A. Ends"

[part.A1]
promise = "Everything ends."
[part.A2]
promise = "Once."
"""


class ContractTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="contract test ")
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def write(self, files):
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def found_in(self, text, path="src/pool/a_test.cpp"):
        self.write({path: text})
        return list(contract.tests_of(contract.Tree(self.root)))

    def cited(self, text, path="src/pool/a_test.cpp"):
        return [number for test in self.found_in(text, path) for number in test.numbers]

    def run_tool(self, *arguments):
        done = subprocess.run([sys.executable, TOOL, "--root", self.root, *arguments],
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr


class Citations(ContractTest):
    def test_a_name_cites_one_or_several(self):
        self.assertEqual(self.cited("TEST(a, B2_holds) {}\n"), ["B2"])
        self.assertEqual(self.cited("TEST(a, R14_B2_paused) {}\n"), ["R14", "B2"])
        self.assertEqual(self.cited("TEST_F(a_test, holds_C1) {}\n"), ["C1"])

    def test_a_number_inside_a_word_is_none(self):
        self.assertEqual(self.cited("TEST(a, takes_AB1_and_B1x_and_0xB2) {}\n"), [])
        self.assertEqual(self.cited("// x86-B1, A1.B2x, R2D2, C++20, B-1, W9\nTEST(a, b) {}\n"), [])

    def test_the_comment_above_and_those_inside_count(self):
        self.assertEqual(self.cited("// D3, D4: it\n// is E1.\nTEST(a, b) {\n  x();  // (R6)\n}\n"),
                         ["D3", "D4", "E1", "R6"])

    def test_a_span_has_all_between(self):
        self.assertEqual(self.cited("// A3 … A5.\nTEST(a, b) {}\n"), ["A3", "A4", "A5"])

    def test_what_belongs_to_no_test_cites_nothing(self):
        self.assertEqual(
            self.cited("// E1 … E5.\n\nint helper();  // R1\n\nTEST(a, b) {}\n// R2\n"), [])

    def test_a_number_in_code_or_in_a_string_is_none(self):
        self.assertEqual(self.cited('TEST(a, b) {\n  int B1 = f("A1");\n}\n'), [])

    def test_an_assertion_of_the_compiler_cites_by_its_message(self):
        self.assertEqual(
            self.cited('static_assert(!copies<pool>, "R25");\nstatic_assert(x, "no");\n'), ["R25"])

    def test_python_tests_and_examples_cite(self):
        self.assertEqual(self.cited('class A:\n    def test_b(self):\n        """Holds E5."""\n'
                                    "        # and E4\n        x = 'A1'\n", "tests/cli/test_a.py"),
                         ["E4", "E5"])
        self.assertIn("C4", self.cited("// C4\nint main() {}\n", "examples/other.cpp"))

    def test_what_is_no_test_file_cites_nothing(self):
        self.assertEqual(self.cited("// B1\nTEST(a, B1_b) {}\n", "src/pool/a.cpp"), [])

    def test_rules_of_java_are_found_in_comments_and_messages(self):
        test, = self.found_in("// tck 5 and 45, tck 7, 9 … 11.\nTEST(a, b) {\n"
                           '  EXPECT_TRUE(x) << "tck 191";\n}\n')
        self.assertEqual(test.java_rules, [5, 45, 7, 9, 10, 11, 191])


class Checks(ContractTest):
    def check(self, tests, entries=LIST):
        self.write({contract.LIST: entries, "src/pool/a_test.cpp": tests})
        self.run_tool()
        return self.run_tool("--check")

    def test_held_promises_and_a_current_page_pass(self):
        code, output = self.check("TEST(a, A1_b) {}\nTEST(a, A2_c) {}\n")
        self.assertEqual((code, output[:18]), (0, "contract: 0 faults"), output)
        page = (self.root / contract.PAGE).read_text()
        row = "- [a_test.cpp](../src/pool/a_test.cpp): `a.A1_b`\n"
        self.assertIn("**A1** Everything ends.\n\n" + row, page)

    def test_a_promise_without_a_test_is_refused(self):
        code, output = self.check("TEST(a, A1_b) {}\n")
        self.assertEqual(code, 1)
        self.assertIn("no test cites A2", output)

    def test_a_pending_promise_needs_no_test_and_may_have_none(self):
        pending = LIST + 'pending = "the second half"\n'
        code, output = self.check("TEST(a, A1_b) {}\n", pending)
        self.assertEqual(code, 0, output)
        self.assertIn("*Pending:* the second half.", (self.root / contract.PAGE).read_text())
        code, output = self.check("TEST(a, A1_A2_b) {}\n", pending)
        self.assertEqual(code, 1)
        self.assertIn("A2 is pending, but src/pool/a_test.cpp has a.A1_A2_b", output)

    def test_a_promise_that_lacks_something_has_tests_and_says_so(self):
        code, output = self.check("TEST(a, A1_A2_b) {}\n", LIST + 'lacks = "the second half"\n')
        self.assertEqual(code, 0, output)
        self.assertIn("Not built yet: the second half.", (self.root / contract.PAGE).read_text())

    def test_a_number_that_is_no_promise_is_refused(self):
        code, output = self.check("TEST(a, A1_A2_R9_b) {}\n")
        self.assertEqual(code, 1)
        self.assertIn("src/pool/a_test.cpp:1: a.A1_A2_R9_b cites R9", output)

    def test_a_page_that_is_not_current_is_refused(self):
        self.check("TEST(a, A1_A2_b) {}\n")
        self.write({"src/pool/a_test.cpp": "TEST(a, A1_A2_c) {}\n"})
        code, output = self.run_tool("--check")
        self.assertEqual(code, 1)
        self.assertIn("docs/contract.md is not current: run tools/contract", output)

    def test_rules_of_java_have_a_test_or_a_row(self):
        self.write({"docs/decisions/0099-where-weir-differs-from-java.md": "| 2 | x | y |\n"})
        code, output = self.check("// tck 1\nTEST(a, A1_A2_b) {}\n")
        self.assertEqual(code, 1)
        self.assertIn("without a test or a row on the page of differences: 3, 4, 5, ", output)
        code, output = self.check("// tck 1, 3 … 297.\nTEST(a, A1_A2_b) {}\n")
        self.assertEqual(code, 0, output)
        self.write({"src/pool/a_test.cpp": "// tck 1\nTEST(a, A1_A2_b) {}\n"})
        _, output = self.run_tool("--java")
        self.assertIn("1 are cited by tests, 1 are on the page of differences, 295 have", output)
        self.assertIn(": 3, 4, 5, ", output)


if __name__ == "__main__":
    unittest.main()
