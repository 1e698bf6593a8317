"""A stranger's project finds weir: installed, as a subfolder, and through pkg-config."""

import os
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build/package"
LIMIT_S = 1800

# What another build of this run has compiled need not be compiled again.
CACHED = {"CCACHE_BASEDIR": str(ROOT), "CMAKE_CXX_COMPILER_LAUNCHER": shutil.which("ccache") or ""}


def run(*command, env=None, cwd=None):
    """(exit code, everything printed)."""
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, cwd=cwd,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=LIMIT_S, env={**os.environ, **CACHED, **(env or {})})
    return result.returncode, result.stdout


class Consumers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="weir package ")
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.prefix = Path(cls.scratch.name, "installed here")
        cls.must("cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD, "--fresh",
                 "-DCMAKE_BUILD_TYPE=Release", "-DWEIR_BUILD_TESTS=OFF", "-DWEIR_BUILD_EXAMPLES=OFF")
        cls.must("ninja", "-C", BUILD)
        cls.must("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def must(cls, *command, **options):
        code, output = run(*command, **options)
        if code != 0:
            raise AssertionError(f"{shlex.join(map(str, command))}: exit code {code}\n{output}")
        return output

    def folder(self):
        return Path(tempfile.mkdtemp(dir=self.scratch.name, prefix="consumer "))

    def configure(self, project, *options):
        folder = self.folder()
        return folder, run("cmake", "-G", "Ninja", "-S", HERE / project, "-B", folder, *options)

    def builds_and_runs(self, project, *options):
        folder, (code, output) = self.configure(project, *options)
        self.assertEqual(code, 0, output)
        self.must("ninja", "-C", folder)
        self.must(folder / "consumer")
        return folder

    def test_find_package(self):
        self.builds_and_runs("find_package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                             "-Dwanted_version=0.1")

    def test_find_package_with_the_trace_writer(self):
        self.builds_and_runs("find_package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                             "-Dwanted_components=trace")

    def test_find_package_with_prometheus(self):
        self.builds_and_runs("find_package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                             "-Dwanted_components=prometheus")

    def test_find_package_with_cron(self):
        self.builds_and_runs("find_package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                             "-Dwanted_components=cron")

    def test_an_installed_tree_may_be_moved(self):
        moved = self.folder() / "moved"
        shutil.copytree(self.prefix, moved, symlinks=True)
        self.builds_and_runs("find_package", f"-DCMAKE_PREFIX_PATH={moved}")

    def test_a_version_to_come_is_refused(self):
        _, (code, output) = self.configure("find_package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                           "-Dwanted_version=9.0")
        self.assertNotEqual(code, 0)
        self.assertIn("9.0", output)

    def test_an_unknown_component_is_refused_by_name(self):
        _, (code, output) = self.configure("find_package", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                                           "-Dwanted_components=telepathy")
        self.assertNotEqual(code, 0)
        self.assertIn("telepathy", output)

    def test_add_subdirectory_builds_only_the_library(self):
        folder = self.builds_and_runs("subdirectory", f"-Dweir_source_dir={ROOT}")
        targets = self.must("ninja", "-C", folder, "-t", "targets", "all")
        for foreign in ("test_pool", "weir_cli", "example_", "weir_trace", "weir_cron"):
            self.assertNotIn(foreign, targets)
        self.assertNotIn("-Werror", (folder / "build.ninja").read_text())

    def test_pkg_config_and_a_bare_compiler(self):
        package = next(self.prefix.glob("**/weir.pc"))
        flags = self.must("pkg-config", "--cflags", "--libs", "weir",
                          env={"PKG_CONFIG_PATH": str(package.parent)})
        program = self.folder() / "consumer"
        self.must("g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", HERE / "main.cpp", "-o",
                  program, *shlex.split(flags))
        self.must(program)

    def test_pkg_config_cmake_and_header_tell_one_version(self):
        header = (self.prefix / "include/weir/version.hpp").read_text()
        version = header.split("WEIR_VERSION_STRING", 1)[1].split('"')[1]
        package = next(self.prefix.glob("**/weir.pc"))
        told = self.must("pkg-config", "--modversion", "weir",
                         env={"PKG_CONFIG_PATH": str(package.parent)})
        self.assertEqual(told.strip(), version)
        self.assertIn(version, self.must(self.prefix / "bin/weir", "--version"))

    def test_the_program_comes_with_its_page_and_its_completion(self):
        page = self.prefix / "share/man/man1/weir.1"
        self.assertTrue(page.read_text().lstrip().startswith((".TH", ".\\\"")))
        completion = self.prefix / "share/bash-completion/completions/weir"
        self.must("bash", "-n", completion)
        self.assertIn("complete ", completion.read_text())

    def test_no_private_header_is_installed(self):
        private = {path.name for path in (ROOT / "src").glob("*/*.hpp")}
        public = {path.name for path in (ROOT / "include").rglob("*.hpp")}
        installed = {path.name for path in self.prefix.rglob("*.hpp")}
        self.assertEqual(installed, public)
        self.assertFalse(installed & (private - public))


if __name__ == "__main__":
    unittest.main()
