"""Descriptors, zombies, groups and memory, seen from outside."""

import os
import shutil
import subprocess
import unittest

from program import PROGRAM, FolderCase, children_of, run_lines, start, stat_of, wait_until, weir


UNSHARE = ["unshare", "--pid", "--fork", "--mount-proc"]


def may_unshare():
    return subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0


class Processes(FolderCase):
    def test_a_command_inherits_three_descriptors(self):
        done = run_lines("ls /proc/self/fd", arguments=["-j1"])
        # The fourth is the folder that ls itself reads.
        self.assertEqual(done.stdout.split(), [b"0", b"1", b"2", b"3"])

    def test_a_command_leads_a_group_of_its_own(self):
        done = run_lines("echo $$; cut -d' ' -f5 /proc/$$/stat", arguments=["-j1"])
        pid, group = done.stdout.split()
        self.assertEqual(pid, group)

    def test_closed_standard_descriptors_are_not_given_to_files(self):
        def close_all():
            for fd in (0, 1, 2):
                os.close(fd)

        log = self.folder / "log"
        path = self.file("jobs", "echo out; echo err >&2\n")
        done = subprocess.run([PROGRAM, "run", "--joblog", log, path], preexec_fn=close_all, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(log.read_bytes().splitlines()), 2)

    def test_no_descriptor_and_no_zombie_stays(self):
        process = start("run", "-j2", "--timeout", "5s")
        process.stdin.write(b"echo x; echo y >&2; exit 1\n" * 200 + b"echo last\n")
        process.stdin.flush()
        while process.stdout.readline() != b"last\n":
            pass
        wait_until(lambda: not children_of(process.pid), "the end of the children")
        wait_until(lambda: not descriptors_of_children(process.pid), "closed descriptors")
        process.stdin.close()
        process.stdout.read()
        process.stderr.read()
        process.wait(60)
        process.stdout.close()
        process.stderr.close()

    @unittest.skipUnless(may_unshare(), "no right to start a process 1")
    def test_process_1_reaps_orphans(self):
        # cases.md 172
        # A sleep of another name, so that the loop's own is not taken for one of them.
        pause = shutil.copy(shutil.which("sleep"), self.folder / "pause")
        lines = [f"({pause} 0.1 &)"] * 20
        lines += ["while grep -qs '^Name:.pause' /proc/[0-9]*/status; do sleep 0.02; done; echo none"]
        path = self.file("jobs", "".join(line + "\n" for line in lines))
        done = subprocess.run([*UNSHARE, PROGRAM, "run", "-j1", path],
                              stdout=subprocess.PIPE, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b"none\n"))

    def test_memory_stays_flat_over_many_lines(self):
        # The long form, a million lines, is in docs/guide/run.md.
        peaks = {}
        for count in (1_000, 15_000):
            text = ":\n" * (count - 1) + "grep VmHWM /proc/$PPID/status\n"
            done = weir("run", "-j2", stdin=text, timeout=120)
            self.assertEqual(done.returncode, 0)
            peaks[count] = int(done.stdout.split()[1])
        self.assertLess(peaks[15_000], peaks[1_000] + 1_000, peaks)

    def test_it_sleeps_while_nothing_happens(self):
        process = start("run", "-j2")
        process.stdin.write(b"echo hi\n")
        process.stdin.flush()
        process.stdout.readline()

        def switches():
            total = 0
            for task in os.listdir(f"/proc/{process.pid}/task"):
                with open(f"/proc/{process.pid}/task/{task}/status") as status:
                    lines = status.readlines()
                for line in lines:
                    if "ctxt_switches" in line:
                        total += int(line.split()[1])
            return total

        # All threads asleep and the count at rest: from then on nothing may move.
        wait_until(lambda: all_asleep(process.pid), "sleeping threads")
        before = switches()
        subprocess.run(["sleep", "0.3"], check=True)
        self.assertEqual(switches(), before)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)


def descriptors_of_children(pid):
    """The pipes and process descriptors that weir has open, its own three streams left out."""
    links = {}
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            links[int(fd)] = os.readlink(f"/proc/{pid}/fd/{fd}")
        except FileNotFoundError:
            pass  # closed meanwhile
    return [link for fd, link in links.items()
            if fd > 2 and (link.startswith("pipe:") or "pidfd" in link)]


def all_asleep(pid):
    return all(stat_of(f"{pid}/task/{task}")[0] == "S" for task in os.listdir(f"/proc/{pid}/task"))


if __name__ == "__main__":
    unittest.main()
