"""./weir builds the program once and then is the program, wherever and however it is started.

Most tests use a small tree with the same launcher, so that a build takes a moment; the last ones
take the real tree."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT_S = 1800

# It echoes its arguments and stdin, so that whatever the launcher adds or takes away is seen.
PROGRAM = """#include <iostream>
int main(int argc, char** argv) {
  std::cout << WORD;
  for (int i = 1; i < argc; ++i) std::cout << "[" << argv[i] << "]";
  std::cout << std::cin.rdbuf() << std::flush;
  return argc - 1;
}
"""

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
add_executable(weir_cli src/main.cpp)
target_compile_definitions(weir_cli PRIVATE "WORD=\\"one\\"")
set_target_properties(weir_cli PROPERTIES OUTPUT_NAME weir)
"""


def start(command, cwd="/", stdin="input", **options):
    return subprocess.run([str(word) for word in command], cwd=cwd, input=stdin, text=True,
                          capture_output=True, timeout=LIMIT_S, **options)


class Launcher(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="weir doors ")
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)
        self.tree = self.scratch / "a tree (with odd) name's"
        self.make_tree()
        self.door = self.tree / "weir"

    def make_tree(self):
        for folder in ("src", "include", "cmake", "tools"):
            (self.tree / folder).mkdir(parents=True)
        for file in ("weir", "CMakePresets.json", "tools/setup"):
            shutil.copy(ROOT / file, self.tree / file)
        (self.tree / "src/main.cpp").write_text(PROGRAM)
        (self.tree / "CMakeLists.txt").write_text(PROJECT)

    def becomes_the_program(self, result, word="one", arguments=()):
        shown = "".join(f"[{argument}]" for argument in arguments)
        self.assertEqual(result.stdout, f"{word}{shown}input", result.stderr)
        self.assertEqual(result.returncode, len(arguments))

    def change(self, file, old, new):
        file.write_text(file.read_text().replace(old, new))

    def test_the_first_start_builds_and_the_second_is_silent(self):
        arguments = ["a b", "*", "", "-j4", "--help"]
        first = start([self.door, *arguments])
        self.becomes_the_program(first, arguments=arguments)
        for line in first.stderr.splitlines():
            self.assertTrue(line.startswith("weir: "), line)
        self.assertIn("building", first.stderr)
        second = start([self.door, *arguments])
        self.becomes_the_program(second, arguments=arguments)
        self.assertEqual(second.stderr, "")

    def test_every_way_to_name_the_door(self):
        links = self.scratch / "links"
        links.mkdir()
        (links / "direct").symlink_to(self.door)
        (links / "again").symlink_to("direct")
        (self.scratch / "folder").symlink_to(self.tree)
        self.becomes_the_program(start([self.door]))
        for command, cwd in ((["./weir"], self.tree), (["bash", "weir"], self.tree),
                             (["./direct"], links), ([links / "again"], "/"),
                             (["../folder/weir"], links)):
            with self.subTest(command=command):
                result = start(command, cwd)
                self.becomes_the_program(result)
                self.assertEqual(result.stderr, "")

    def test_a_changed_source_is_built_again(self):
        self.becomes_the_program(start([self.door]))
        self.change(self.tree / "CMakeLists.txt", "one", "two")
        self.becomes_the_program(start([self.door]), word="two")
        self.change(self.tree / "src/main.cpp", "WORD", '"three"')
        self.becomes_the_program(start([self.door]), word="three")

    def test_a_changed_test_is_no_reason_to_build(self):
        test = self.tree / "src/a_test.cpp"
        test.write_text("\n")
        self.becomes_the_program(start([self.door]))
        test.write_text("#error\n")
        self.assertEqual(start([self.door]).stderr, "")

    def test_a_failing_build_says_why_and_where_and_recovers(self):
        self.change(self.tree / "src/main.cpp", "int main", "itn main")
        result = start([self.door])
        self.assertEqual((result.returncode, result.stdout), (70, ""))
        self.assertIn("itn", result.stderr)
        self.assertIn(str(self.tree / "build/release/build.log"), result.stderr)
        self.assertEqual(start([self.door]).returncode, 70)
        self.change(self.tree / "src/main.cpp", "itn main", "int main")
        self.becomes_the_program(start([self.door]))

    def test_a_build_that_breaks_later_does_not_run_the_old_program(self):
        self.becomes_the_program(start([self.door]))
        self.change(self.tree / "src/main.cpp", "int main", "itn main")
        result = start([self.door])
        self.assertEqual((result.returncode, result.stdout), (70, ""))

    def test_a_moved_tree_builds_in_its_new_place(self):
        self.becomes_the_program(start([self.door]))
        moved = self.scratch / "moved"
        self.tree.rename(moved)
        self.change(moved / "src/main.cpp", "WORD", '"moved"')
        self.becomes_the_program(start([moved / "weir"]), word="moved")
        self.assertFalse(self.tree.exists())

    def test_starts_at_the_same_time_build_once(self):
        starts = [subprocess.Popen([self.door], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True) for _ in range(4)]
        results = [process.communicate("input", timeout=LIMIT_S) for process in starts]
        self.assertEqual([(process.returncode, out) for process, (out, _) in zip(starts, results)],
                         [(0, "oneinput")] * 4, results)
        self.assertEqual(sum("building it" in err for _, err in results), 1, results)

    def with_ninja(self, script):
        """An environment whose ninja, where the launcher calls it, runs this script."""
        played = self.scratch / "bin/ninja"
        played.parent.mkdir(exist_ok=True)
        real = shutil.which("ninja")
        played.write_text('#!/bin/sh\ncase "$*" in *weir_cli) ;; *) exec '
                          f'{real} "$@" ;; esac\nreal={real}\n{script}\n')
        played.chmod(0o755)
        return {**os.environ, "PATH": f"{played.parent}:{os.environ['PATH']}"}

    def test_an_interrupted_build_leaves_nothing_broken(self):
        begun = self.scratch / "begun"
        process = subprocess.Popen(
            [self.door], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env=self.with_ninja(f': > "{begun}"\nexec sleep 1000'),
            # Whoever started the tests in the background of a script has SIGINT ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        deadline = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < deadline and process.poll() is None:
            os.sched_yield()
        self.assertTrue(begun.exists())
        os.killpg(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(out, b"")
        self.becomes_the_program(start([self.door]))

    def test_what_builds_does_not_read_the_programs_input(self):
        env = self.with_ninja('cat > /dev/null; exec $real "$@"')
        self.becomes_the_program(start([self.door], env=env))

    def test_a_source_changed_while_the_build_runs_is_built_next_time(self):
        source = self.tree / "src/main.cpp"
        env = self.with_ninja(f'$real "$@" && echo >> "{source}"')
        self.becomes_the_program(start([self.door], env=env))
        self.assertIn("building", start([self.door]).stderr)
        self.assertEqual(start([self.door]).stderr, "")

    def test_what_setup_cannot_install_ends_the_start(self):
        (self.tree / "tools/setup").write_text("#!/bin/sh\necho 'setup: no' >&2\nexit 70\n")
        result = start([self.door])
        self.assertEqual((result.returncode, result.stdout), (70, ""))
        self.assertEqual(result.stderr, "setup: no\n")

    def test_no_descriptor_of_the_launcher_reaches_the_program(self):
        self.change(self.tree / "src/main.cpp", "#include <iostream>",
                    "#include <fcntl.h>\n#include <iostream>")
        self.change(self.tree / "src/main.cpp", "return argc - 1;",
                    "for (int i = 3; i < 64; ++i) if (fcntl(i, F_GETFD) != -1) return i;\nreturn 0;")
        for _ in range(2):
            self.assertEqual(start([self.door]).returncode, 0)


def copy_of_the_tree(to):
    shutil.copytree(ROOT, to, symlinks=True,
                    ignore=lambda folder, names: {"build", ".git"} & set(names)
                    if Path(folder) == ROOT else set())


class RealTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="weir real ")
        cls.addClassCleanup(scratch.cleanup)
        cls.tree = Path(scratch.name, "a clone with spaces")
        copy_of_the_tree(cls.tree)
        cls.environment = {**os.environ, "CCACHE_BASEDIR": str(cls.tree)}
        cls.first = start([cls.tree / "weir", "--version"], env=cls.environment)

    def test_the_first_start_from_elsewhere_is_the_program(self):
        self.assertEqual(self.first.returncode, 0, self.first.stderr)
        version = (ROOT / "include/weir/version.hpp").read_text().split("_STRING", 1)[1].split('"')[1]
        self.assertIn(version, self.first.stdout)

    def test_a_second_start_costs_less_than_50_ms(self):
        program = self.tree / "build/release/weir"
        door = self.median_s([self.tree / "weir", "--version"])
        bare = self.median_s([program, "--version"])
        self.assertLess(door - bare, 0.050)

    def median_s(self, command):
        times = []
        for _ in range(15):
            before = time.monotonic()
            self.assertEqual(start(command, env=self.environment).returncode, 0)
            times.append(time.monotonic() - before)
        return sorted(times)[len(times) // 2]

    def test_the_other_door_explains_itself_from_elsewhere(self):
        result = start([self.tree / "test", "--help"], env=self.environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--quick", result.stdout)


if __name__ == "__main__":
    unittest.main()
