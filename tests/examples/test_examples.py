#!/usr/bin/env python3
"""What README tells a stranger to type works, and each example is on a page that leads to it.

Examples that need no driver are run by tools/run_tests itself; this file adds what needs one, and
the checks of the quoted code.
"""

import os
import re
import shlex
import subprocess
import unittest

from test_snippets import PAGES, ROOT, Snippets, TheMapIsTrue  # noqa: F401 (they are tests, too)


class Readme(unittest.TestCase):
    def setUp(self):
        self.text = (ROOT / "README.md").read_text(encoding="utf-8")

    @unittest.skipUnless("WEIR_PROGRAM" in os.environ, "WEIR_PROGRAM does not name the program")
    def test_the_first_command_runs(self):
        command = re.search(r"^\./weir (run .*?)\s*(?:#.*)?$", self.text, re.M)
        self.assertIsNotNone(command)
        done = subprocess.run([os.environ["WEIR_PROGRAM"], *shlex.split(command[1])], cwd=ROOT,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        self.assertTrue(done.stdout)

    def test_the_second_command_is_the_door_of_the_tests(self):
        self.assertRegex(self.text, r"(?m)^\./test\b")
        self.assertTrue(os.access(ROOT / "test", os.X_OK))


class Examples(unittest.TestCase):
    def test_each_is_on_a_page(self):
        pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
        for source in sorted((ROOT / "examples").glob("*.cpp")):
            self.assertIn(source.name, pages)


if __name__ == "__main__":
    unittest.main()
