#!/usr/bin/env python3
"""What the documents quote is what the tree contains.

A C++ block in README.md or docs/ is a region of an example, named on the line above it:

    <!-- examples/first_steps.cpp [first_steps] -->

The region stands in the example between two lines `// [first_steps]`. `test_snippets.py --write`
copies the regions into the documents.
"""

import re
import sys
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "docs/ARCHITECTURE.md", *(ROOT / "docs/guide").glob("*.md")])

BLOCK = re.compile(
    r"(?:^<!-- (?P<file>examples/\S+) \[(?P<region>\w+)\] -->\n)?^```(?:cpp|c\+\+)\n(?P<code>.*?)^```$",
    re.S | re.M)


def region(file, name):
    """The lines between the two markers of a region, without their common indentation."""
    pieces = re.split(rf"^ *// \[{name}\]\n", (ROOT / file).read_text(encoding="utf-8"), flags=re.M)
    if len(pieces) != 3:
        raise ValueError(f"{file} has {len(pieces) - 1} lines `// [{name}]`, a region has two")
    return textwrap.dedent(pieces[1]).strip("\n") + "\n"


def blocks(page):
    return list(BLOCK.finditer(page.read_text(encoding="utf-8")))


def refreshed(text):
    """The text with every marked block replaced by its region."""
    def renew(match):
        if match["file"] is None:
            return match[0]
        name = match["region"]
        return f"<!-- {match['file']} [{name}] -->\n```cpp\n{region(match['file'], name)}```"
    return BLOCK.sub(renew, text)


class Snippets(unittest.TestCase):
    maxDiff = None

    def test_every_block_says_where_it_comes_from(self):
        for page in PAGES:
            for block in blocks(page):
                self.assertIsNotNone(block["file"], f"{page.name}: no marker above\n{block['code']}")

    def test_every_block_equals_its_region(self):
        count = 0
        for page in PAGES:
            for block in blocks(page):
                with self.subTest(page=page.name, region=block["region"]):
                    count += 1
                    self.assertEqual(region(block["file"], block["region"]), block["code"],
                                     "run tests/examples/test_snippets.py --write")
        self.assertGreater(count, 0)

    def test_every_region_is_quoted(self):
        quoted = {(block["file"], block["region"]) for page in PAGES for block in blocks(page)}
        for file in sorted((ROOT / "examples").glob("*.?pp")):
            for name in re.findall(r"^ *// \[(\w+)\]$", file.read_text(encoding="utf-8"), re.M):
                self.assertIn((f"examples/{file.name}", name), quoted)


class TheMapIsTrue(unittest.TestCase):
    """docs/ARCHITECTURE.md names each file of both pools, and no file that is not there."""

    def setUp(self):
        self.text = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")

    def test_every_file_of_the_pools_has_its_line(self):
        rows = set(re.findall(r"^\| `([\w.]+)` \|", self.text, re.M))
        files = {file.name for room in ("pool", "forkjoin") for file in (ROOT / "src" / room).iterdir()
                 if not file.name.endswith("_test.cpp")}
        self.assertEqual(rows, files)

    def test_every_path_exists(self):
        paths = re.findall(r"`((?:src|include|docs|tests|tools|cmake|examples|bench)/[\w./-]*)`", self.text)
        self.assertGreater(len(paths), 10)
        for path in paths:
            self.assertTrue((ROOT / path).exists(), path)

    def test_every_room_is_on_the_map(self):
        for room in (ROOT / "src").iterdir():
            self.assertIn(f"`src/{room.name}/`", self.text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        for target in PAGES:
            target.write_text(refreshed(target.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        unittest.main()
