"""tools/setup installs what is missing and nothing else. apt, dpkg and sudo are played here."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REAL = ("bash", "dirname", "readlink", "env", "mkdir", "tail")

PLAYERS = {
    # Knows the packages that the file `installed` names.
    "dpkg-query": 'while read -r name; do printf "installed=%s " "$name"; done < "$STAGE/installed"',
    "apt-get": 'echo "apt-get $*" >> "$STAGE/calls"; echo noise; cat > "$STAGE/stdin"\n'
               '[[ $* != *"$APT_FAILS_ON"* ]] || { echo "E: no network"; exit 100; }',
    "sudo": 'echo sudo >> "$STAGE/calls"; exec "$@"',
    "id": 'echo "$PLAYED_UID"',
}


class Setup(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="weir setup ")
        self.addCleanup(scratch.cleanup)
        self.stage = Path(scratch.name)
        self.bin = self.stage / "bin"
        self.bin.mkdir()
        (self.stage / "tools").mkdir()
        shutil.copy(ROOT / "tools/setup", self.stage / "tools/setup")
        for name in (*REAL, "cat"):
            (self.bin / name).symlink_to(shutil.which(name))
        for name, script in PLAYERS.items():
            self.play(name, script)
        self.installed("")

    def play(self, name, script):
        (self.bin / name).write_text(f"#!{shutil.which('bash')}\n{script}\n")
        (self.bin / name).chmod(0o755)

    def installed(self, names):
        (self.stage / "installed").write_text("".join(f"{name}\n" for name in names.split()))

    def calls(self):
        file = self.stage / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def setup_for(self, what, uid=0, apt_fails_on="nothing at all"):
        return subprocess.run(
            [self.stage / "tools/setup", *what.split()], capture_output=True, text=True,
            input="the program's own input", cwd="/",
            env={"PATH": str(self.bin), "STAGE": str(self.stage), "PLAYED_UID": str(uid),
                 "APT_FAILS_ON": apt_fails_on})

    def needed(self, what):
        """The packages, learnt from what is asked of apt on an empty machine."""
        self.assertEqual(self.setup_for(what).returncode, 0)
        words = self.calls()[-1].split()
        (self.stage / "calls").unlink()
        return words[words.index("--no-install-recommends") + 1:]

    def test_only_what_is_missing_is_installed(self):
        needed = self.needed("program")
        self.assertIn("g++", needed)
        self.installed(" ".join(name for name in needed if name != "ninja-build"))
        result = self.setup_for("program")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(self.calls()[-1].endswith("--no-install-recommends ninja-build"))
        self.assertIn("installing ninja-build", result.stderr)

    def test_nothing_is_said_or_done_when_all_is_there(self):
        self.installed(" ".join(self.needed("tests")))
        result = self.setup_for("tests")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.calls(), [])

    def test_the_program_needs_less_than_the_tests(self):
        self.assertLess(set(self.needed("program")), set(self.needed("tests")))
        self.assertNotIn("clang-19", self.needed("program"))

    def test_stdout_and_stdin_belong_to_the_program(self):
        result = self.setup_for("program")
        self.assertEqual(result.stdout, "")
        self.assertEqual((self.stage / "stdin").read_text(), "")

    def test_a_user_installs_through_sudo(self):
        self.assertEqual(self.setup_for("program", uid=1000).returncode, 0)
        self.assertEqual([call.split()[0] for call in self.calls()],
                         ["sudo", "apt-get", "sudo", "apt-get"])

    def test_a_user_without_sudo_is_told_what_to_ask_for(self):
        (self.bin / "sudo").unlink()
        result = self.setup_for("program", uid=1000)
        self.assertEqual(result.returncode, 70)
        self.assertRegex(result.stderr, r"no sudo; as root run: apt-get install .*ninja-build")
        self.assertEqual(self.calls(), [])

    def test_a_failing_update_alone_does_not_stop_it(self):
        result = self.setup_for("program", apt_fails_on="update")
        self.assertEqual(result.returncode, 0)
        self.assertIn("update failed", result.stderr)

    def test_a_failing_install_shows_why_and_where(self):
        result = self.setup_for("program", apt_fails_on="install")
        self.assertEqual(result.returncode, 70)
        self.assertIn("E: no network", result.stderr)
        self.assertIn(str(self.stage / "build/setup.log"), result.stderr)

    def test_another_system_is_told_what_is_needed(self):
        (self.bin / "dpkg-query").unlink()
        result = self.setup_for("program")
        self.assertEqual(result.returncode, 0)
        self.assertIn("no Debian system", result.stderr)

    def test_a_wrong_word_is_refused(self):
        for what in ("", "everything"):
            self.assertEqual(self.setup_for(what).returncode, 70)


if __name__ == "__main__":
    unittest.main()
