"""What a run was made on."""

import os
import platform
import re
import shutil
import subprocess
from datetime import datetime, timezone
from pathlib import Path


def text_of(path, pattern):
    try:
        found = re.search(pattern, Path(path).read_text(), re.M)
    except OSError:
        found = None
    return found[1].strip() if found else "unknown"


def said(*command):
    """The first line that a program says on either stream, or nothing."""
    if not shutil.which(command[0]):
        return ""
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    return result.stdout.splitlines()[0] if result.returncode == 0 and result.stdout else ""


def packages(names):
    """"name version" of the installed ones."""
    if not shutil.which("dpkg-query"):
        return []
    result = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n",
                             *names], capture_output=True, text=True, check=False)
    lines = (line.split() for line in result.stdout.splitlines())
    return [f"{words[1]} {words[2]}" for words in lines if words[0] == "installed"]


def load():
    return ", ".join(f"{value:.2f}" for value in os.getloadavg())


def describe(peers, before):
    memory_kib = text_of("/proc/meminfo", r"^MemTotal:\s*(\d+)")
    return {
        "processor": text_of("/proc/cpuinfo", r"^model name\s*:\s*(.*)$"),
        "cores for this process": len(os.sched_getaffinity(0)),
        "memory": f"{int(memory_kib) / 2**20:.0f} GiB" if memory_kib.isdigit() else memory_kib,
        "kernel": platform.release(),
        "system": text_of("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
        "C library": " ".join(platform.libc_ver()),
        "peers": ", ".join(packages(peers)),
        "Java": said("java", "-version"),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "load before (1, 5, 15 min)": before,
        "load after (1, 5, 15 min)": load(),
    }
