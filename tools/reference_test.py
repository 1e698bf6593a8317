"""tools/reference: which declarations share a comment, and what it refuses."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "reference"
ROOT = TOOL.parent.parent
sys.path.insert(0, str(TOOL.parent))
sys.dont_write_bytecode = True

spec = spec_from_loader("reference", SourceFileLoader("reference", str(TOOL)))
reference = module_from_spec(spec)
spec.loader.exec_module(reference)


class ReferenceTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="reference test ")
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name)

    def grouped(self, text):
        (self.root / "a.hpp").write_text(text)
        return reference.grouped(reference.Source(self.root, "a.hpp"))

    def test_overloads_share_the_comment_above_them(self):
        self.assertEqual(
            self.grouped("/// Sends.\nvoid send(int);\nvoid send(int a, int b) {\n  a(b);\n}\n\n"
                         "void other();\n"),
            "/**@{*/ /// Sends.\nvoid send(int);\nvoid send(int a, int b) {\n  a(b);\n} /**@}*/\n\n"
            "void other();\n")

    def test_a_blank_line_a_comment_and_an_access_word_end_the_group(self):
        for end in ("\n", "// More.\n", "/// Its own.\n", " private:\n", "int c;  ///< own\n",
                    "a(const a&) = delete;\n"):
            with self.subTest(end):
                text = self.grouped(f"/// Two.\nint a;\nint b;\n{end}int d;\n")
                self.assertIn("int b; /**@}*/\n" + end, text)

    def test_one_declaration_alone_is_let_be(self):
        text = "/// One.\nclass a {\n  int x;\n\n  int y;\n};\n"
        self.assertEqual(self.grouped(text), text)

    @unittest.skipUnless(shutil.which("doxygen"), "no doxygen")
    def test_a_comment_that_names_what_is_not_there_is_refused(self):
        (self.root / "include/weir/detail").mkdir(parents=True)
        settings = (ROOT / "docs/Doxyfile").read_text()
        for path in re.findall(r"include/weir/detail/\w+\.hpp", settings):
            (self.root / path).write_text("#pragma once\n")
        (self.root / "docs").mkdir()
        for name in ("Doxyfile", "reference.dox"):
            shutil.copy(ROOT / "docs" / name, self.root / "docs")
        header = self.root / "include/weir/a.hpp"
        for comment, code in (("Adds to \\p a.", 0), ("\\param b is not there", 1)):
            with self.subTest(comment):
                header.write_text(f"#pragma once\nnamespace weir {{\n/// {comment}\n"
                                  "void f(int a);\n}  // namespace weir\n")
                done = subprocess.run([sys.executable, TOOL, "--root", self.root], timeout=60,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stdout)
        self.assertIn("include/weir/a.hpp:", done.stdout)


if __name__ == "__main__":
    unittest.main()
