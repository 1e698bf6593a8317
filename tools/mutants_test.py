"""tools/mutants on a tiny tree whose test program is a script."""

import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "mutants"

# Stands for a gtest program. The test `first` checks limit(), `second` looks whether the loop ends.
PROGRAM = """#!/usr/bin/env python3
import fnmatch, sys
{source}
chosen = [f for f in sys.argv if f.startswith("--gtest_filter=")][0].split("=")[1]
for name, test in {{"s.first": lambda: limit() == 3, "s.second": loop}}.items():
    if not fnmatch.fnmatch(name, chosen):
        continue
    print("[ RUN      ]", name, flush=True)
    if not test():
        print("[  FAILED  ]", name, "(0 ms)")
        sys.exit(1)
    print("[       OK ]", name, "(0 ms)")
"""

SOURCE = """
def limit():
    return 1 + 2
def loop():
    step = 0
    while step != 4:
        step = step + 1
    return True
def unused():
    return 1 + 1
"""

TREE = """
[tree]
configure = ["mkdir", "-p", "{build}"]
build = ["sh", "{tree}/compile", "{tree}", "{build}/{program}"]
program = "{build}/{program}"
"""

COMPILE = """
python3 -c 'import sys; compile(open(sys.argv[1]).read(), "source", "exec")' "$1/source" &&
  python3 -c 'import sys; print(open(sys.argv[1]).read().format(source=open(sys.argv[2]).read()))' \\
    "$1/program" "$1/source" > "$2" && chmod +x "$2"
"""


def mutant(name, old, new, run="program s.*", more=""):
    return (f"[[mutant]]\nname = {name!r}\nfile = 'source'\nold = {old!r}\nnew = {new!r}\n"
            f"why = 'it must'\nrun = [{run!r}]\n{more}\n")


class Mutants(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name, "a tree")
        self.list = self.root / "tests/mutants"
        self.list.mkdir(parents=True)
        self.put("source", SOURCE)
        self.put("program", PROGRAM)
        self.put("compile", COMPILE)
        self.put("tests/mutants/tree.toml", TREE)

    def put(self, name, text):
        (self.root / name).write_text(text)

    def run_tool(self, *arguments, mutants=()):
        if mutants:
            self.put("tests/mutants/list.toml", "\n".join(mutants))
        return subprocess.run([sys.executable, TOOL, "--root", self.root, *arguments],
                              capture_output=True, text=True, timeout=120)

    def test_a_mutant_that_a_test_notices_is_killed_by_it(self):
        result = self.run_tool(mutants=[mutant("limit", "1 + 2", "1 + 3")])
        self.assertRegex(result.stdout, r"killed +limit \(.* s\): program: s\.first\n")
        self.assertIn("1 killed, 0 survived, 0 not applicable", result.stdout)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_survivor_is_told_and_fails(self):
        result = self.run_tool(mutants=[mutant("unused", "1 + 1", "1 + 0"),
                                        mutant("limit", "1 + 2", "1 + 3")])
        self.assertRegex(result.stdout, r"survived +unused .*: it must\n")
        self.assertIn("1 killed, 1 survived, 0 not applicable", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_the_whole_program_is_the_second_chance(self):
        result = self.run_tool(mutants=[mutant("limit", "1 + 2", "0", "program s.second")])
        self.assertIn("program: s.first (not by the filter)", result.stdout)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_hang_is_a_kill(self):
        self.put("tests/mutants/tree.toml", TREE + "hang_s = 1\n")
        result = self.run_tool(mutants=[mutant("endless", "step != 4", "True")])
        self.assertIn("s.second hangs", result.stdout)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_text_that_is_gone_is_not_applicable(self):
        result = self.run_tool(mutants=[mutant("gone", "7 + 7", "0")])
        self.assertIn("not applicable gone", result.stdout)
        self.assertIn("not found in source", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_a_text_that_is_there_twice_needs_a_number(self):
        twice = mutant("twice", "return 1 +", "return 9 +")
        self.assertIn("2 times in source", self.run_tool(mutants=[twice]).stdout)
        first = mutant("first", "return 1 +", "return 9 +", more="nth = 1")
        second = mutant("second", "return 1 +", "return 9 +", more="nth = 2")
        third = mutant("third", "return 1 +", "return 9 +", more="nth = 3")
        result = self.run_tool(mutants=[first, second, third])
        self.assertIn("1 killed, 1 survived, 1 not applicable", result.stdout)

    def test_what_does_not_build_is_not_applicable(self):
        result = self.run_tool(mutants=[mutant("nonsense", "1 + 2", "1 +")])
        self.assertIn("does not build with it", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_the_tree_itself_is_left_alone_and_the_copy_is_taken_back(self):
        work = self.root.parent / "work"
        mutants = [mutant("limit", "1 + 2", "1 + 3"), mutant("unused", "1 + 1", "1 + 0")]
        result = self.run_tool("--work", work, mutants=mutants)
        self.assertIn("1 killed, 1 survived", result.stdout)
        self.assertEqual((self.root / "source").read_text(), SOURCE)
        self.assertEqual((work / "tree/source").read_text(), SOURCE)

    def test_a_kept_copy_follows_the_tree(self):
        work = self.root.parent / "work"
        self.put("old", "")
        self.run_tool("--work", work, mutants=[mutant("limit", "1 + 2", "1 + 3")])
        untouched = (work / "tree/program").stat()[stat.ST_MTIME]
        (work / "tree/source").write_text("left harmed by a run that was killed")
        (self.root / "old").unlink()
        result = self.run_tool("--work", work)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertFalse((work / "tree/old").exists())
        self.assertEqual((work / "tree/program").stat()[stat.ST_MTIME], untouched)

    def test_a_tree_that_fails_unharmed_is_refused(self):
        self.put("source", SOURCE.replace("1 + 2", "5"))
        result = self.run_tool(mutants=[mutant("unused", "1 + 1", "1 + 0")])
        self.assertIn("fails as it is", result.stderr)
        self.assertEqual(result.returncode, 2)

    def test_a_filter_that_chooses_nothing_is_refused(self):
        result = self.run_tool(mutants=[mutant("limit", "1 + 2", "0", "program s.third")])
        self.assertIn("has no test s.third", result.stderr)
        self.assertEqual(result.returncode, 2)

    def test_names_choose(self):
        mutants = [mutant("a.one", "1 + 2", "0"), mutant("a.two", "1 + 2", "4"),
                   mutant("b.one", "1 + 1", "0")]
        result = self.run_tool("a.*", "--list", mutants=mutants)
        self.assertEqual(result.stdout, "a.one: it must\na.two: it must\n")
        result = self.run_tool("c.*", mutants=mutants)
        self.assertIn("no mutant is called c.*", result.stderr)
        self.assertEqual(result.returncode, 2)

    def test_a_seed_replays_its_sample(self):
        mutants = [mutant(f"m{at}", "1 + 2", "0") for at in range(40)]
        one, again, other = (self.run_tool("--list", "--sample", "5", "--seed", seed,
                                           mutants=mutants).stdout for seed in ("1", "1", "2"))
        self.assertEqual(one, again)
        self.assertNotEqual(one.split("\n", 1)[1], other.split("\n", 1)[1])
        self.assertIn("replay with --sample 5 --seed 1", one)
        self.assertEqual(one.count(": it must"), 5)

    def test_a_bad_entry_is_named(self):
        result = self.run_tool(mutants=[mutant("odd", "1 + 2", "0", more="colour = 'red'")])
        self.assertIn("mutant odd", result.stderr)
        self.assertIn("colour", result.stderr)
        same = mutant("same", "1 + 2", "0")
        self.assertIn("two mutants same", self.run_tool(mutants=[same, same]).stderr)
        self.assertIn("a run is", self.run_tool(mutants=[mutant("odd", "1 + 2", "0",
                                                                "program")]).stderr)

    def test_the_real_list_can_be_read_and_its_texts_be_found(self):
        root = TOOL.parent.parent
        result = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True,
                                cwd=root, timeout=60)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertGreaterEqual(int(result.stdout.split()[0]), 60)


if __name__ == "__main__":
    unittest.main()
