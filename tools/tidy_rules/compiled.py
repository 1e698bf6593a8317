"""Rules that need a compiler or clang-format."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .tree import Finding

CLANG_FORMAT = "clang-format-14"
HEADER_LIMIT_S = 60


def clang_format(tree):
    files = [file for file in tree.cxx]
    if not files:
        return
    program = shutil.which(CLANG_FORMAT)
    if program is None:
        print(f"tidy: no {CLANG_FORMAT}, so the format is not checked; tools/setup tests installs it",
              file=sys.stderr)
        return
    result = subprocess.run(
        [program, "--dry-run", "-Werror", "--style=file", *(file.path for file in files)],
        cwd=tree.root, capture_output=True, text=True)
    told = set()
    for path, line in re.findall(r"^(.+?):(\d+):\d+: error: ", result.stderr, re.M):
        if path not in told:
            told.add(path)
            yield Finding(path, int(line), f"not as clang-format writes it: {CLANG_FORMAT} -i {path}")
    if result.returncode != 0 and not told:
        yield Finding(".clang-format", 1, f"{CLANG_FORMAT} failed: {result.stderr.strip()[-300:]}")


def digest(path):
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


class HeaderCache:
    """Which headers compiled alone, with the contents of all they included then."""

    def __init__(self, root):
        self.file = root / "build/tidy-headers.json"
        self.digests = {}
        try:
            self.known = json.loads(self.file.read_text())
        except (OSError, ValueError):
            self.known = {}

    def digest(self, path):
        if path not in self.digests:
            self.digests[path] = digest(path)
        return self.digests[path]

    def holds(self, header):
        seen = self.known.get(header)
        return bool(seen) and all(self.digest(path) == value for path, value in seen.items())

    def keep(self, header, paths):
        self.known[header] = {path: self.digest(path) for path in paths}

    def save(self):
        if self.file.parent.is_dir():
            self.file.write_text(json.dumps(self.known))


def headers_alone(tree):
    """Every header compiles as the only one of its file."""
    cache = HeaderCache(tree.root)
    headers = [file.path for file in tree.cxx
               if file.path.endswith(".hpp") and not cache.holds(file.path)]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as workers:
        for header, error, seen in workers.map(lambda path: compile_alone(tree.root, path), headers):
            if error is None:
                cache.keep(header, seen)
            else:
                line, message = error
                yield Finding(header, line, f"does not compile alone: {message}; include what it "
                              "uses")
    cache.save()


def compile_alone(root, header):
    """(header, None or (line, message), the paths that it read)."""
    with tempfile.TemporaryDirectory() as scratch:
        probe = Path(scratch, "probe.cpp")
        probe.write_text(f'#include "{root / header}"\n')
        deps = Path(scratch, "probe.d")
        command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-MMD",
                   "-MF", str(deps), "-Iinclude", "-Isrc", "-Itests",
                   f"-I{Path(header).parent}", str(probe)]
        try:
            result = subprocess.run(command, cwd=root, capture_output=True, text=True,
                                    timeout=HEADER_LIMIT_S, env={**os.environ, "LC_ALL": "C"})
        except subprocess.TimeoutExpired:
            return header, (1, f"the compiler took longer than {HEADER_LIMIT_S} s"), []
        if result.returncode != 0:
            match = re.search(r"^.*?:(\d+):\d+: (?:fatal )?error: (.*)$", result.stderr, re.M)
            found = (int(match[1]), match[2]) if match else (1, result.stderr.strip()[-300:])
            return header, found, []
        words = re.sub(r"\\\n", " ", deps.read_text()).split(": ", 1)[1]
        paths = re.split(r"(?<!\\)\s+", words.strip())
        seen = [str(root / path.replace("\\ ", " ")) for path in paths]
        return header, None, [path for path in seen if path != str(probe)]
