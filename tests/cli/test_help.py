"""Help, man page and completion say the same, for they come from one table."""

import re
import shutil
import subprocess
import unittest

from program import weir


def flags_of_help():
    text = weir("run", "--help").stdout.decode()
    return set(re.findall(r"^ +(?:-., )?(--[a-z-]+)", text, re.M))


class Help(unittest.TestCase):
    def test_version(self):
        done = weir("--version")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, rb"^weir \d+\.\d+\.\d+\n$")

    def test_without_arguments(self):
        done = weir()
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"weir run", done.stderr)

    def test_all_ways_to_ask(self):
        overview = weir("help").stdout
        self.assertIn(b"weir run", overview)
        self.assertEqual(weir("--help").stdout, overview)
        self.assertEqual(weir("help", "run").stdout, weir("run", "--help").stdout)
        self.assertEqual(weir("run", "-h").stdout, weir("run", "--help").stdout)
        self.assertEqual(weir("help", "nothing").returncode, 2)

    def test_help_fits_a_terminal_and_names_every_exit_code(self):
        text = weir("run", "--help").stdout.decode()
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        for code in ("0", "1", "2", "124", "130", "143"):
            self.assertRegex(text, rf"(?m)^  {code} ")

    def test_every_flag_is_everywhere(self):
        flags = flags_of_help()
        self.assertGreater(len(flags), 15)
        man = weir("help", "man").stdout.decode().replace("\\-", "-")
        bash = weir("help", "bash").stdout.decode()
        for flag in flags:
            self.assertIn(f"\\fB{flag}\\fR", man)
            self.assertIn(flag, bash)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_the_man_page_is_sound(self):
        done = subprocess.run(["man", "--warnings", "-l", "-"], input=weir("help", "man").stdout,
                              capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def complete(self, *words):
        script = (weir("help", "bash").stdout.decode() +
                  f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}\n"
                  "_weir\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=True)
        return done.stdout.decode().split()

    def test_completion(self):
        self.assertEqual(self.complete("weir", "r"), ["run"])
        self.assertEqual(self.complete("weir", "run", "--re"), ["--retries", "--results", "--resume"])
        self.assertEqual(self.complete("weir", "run", "--progress", "a"), ["auto", "always"])
        self.assertEqual(self.complete("weir", "help", "m"), ["man"])

    def test_a_full_disk(self):
        for arguments in (["help"], ["run", "--help"], ["--version"], ["help", "man"]):
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                done = weir(*arguments, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
