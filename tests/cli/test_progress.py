"""The bar is for terminals: there it is drawn and wiped away, in a pipe there is nothing of it."""

import os
import pty
import threading
import unittest

from program import FolderCase, run_lines, start


class Progress(FolderCase):
    def on_a_terminal(self, *arguments, text):
        """Runs weir with standard error on a terminal; returns (code, stdout, terminal's bytes)."""
        path = self.file("jobs", text)
        leader, follower = pty.openpty()
        seen = []

        def read_all():
            try:
                while piece := os.read(leader, 65536):
                    seen.append(piece)
            except OSError:
                pass  # the terminal is gone

        reader = threading.Thread(target=read_all)
        reader.start()
        process = start("run", *arguments, path, stderr=follower)
        os.close(follower)
        out, _ = process.communicate(timeout=60)
        reader.join()
        os.close(leader)
        return process.returncode, out, b"".join(seen)

    def test_on_a_terminal(self):
        code, out, seen = self.on_a_terminal("-j1", text="sleep 0.5; echo a\nsleep 0.5; echo b\n")
        self.assertEqual((code, out), (0, b"a\nb\n"))
        self.assertIn(b"] 0% 0/2 ", seen)
        self.assertIn(b"] 50% 1/2 ", seen)
        self.assertTrue(seen.endswith(b"\r\x1b[K"), seen[-80:])

    def test_in_a_pipe(self):
        done = run_lines("sleep 0.5; echo a")
        self.assertEqual((done.stdout, done.stderr), (b"a\n", b""))

    def test_never_and_always(self):
        _, _, seen = self.on_a_terminal("--progress", "never", text="sleep 0.5\n")
        self.assertEqual(seen, b"")
        done = run_lines("sleep 0.5", arguments=["--progress", "always"])
        self.assertIn(b"1 running", done.stderr)

    def test_quiet_means_no_bar(self):
        _, _, seen = self.on_a_terminal("-q", text="sleep 0.5\n")
        self.assertEqual(seen, b"")

    def test_a_failure_is_named_on_a_line_of_its_own(self):
        _, _, seen = self.on_a_terminal("-j1", text="sleep 0.5; false\nsleep 0.5\n")
        self.assertIn(b"\r\x1b[Kweir: command 1 (line 1) failed", seen)


if __name__ == "__main__":
    unittest.main()
