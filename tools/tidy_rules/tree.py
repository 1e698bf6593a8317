"""The tree that the rules look at: its files, their text, and C++ with comments told from code."""

import os
import re
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

SKIPPED_FOLDERS = {".git", "build", ".cache", "__pycache__"}
CXX_ENDINGS = (".cpp", ".hpp")

TOKEN = re.compile(
    r'(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)'
    r'|(?P<string>R"(?P<mark>[^ ()\\\t\n]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*")'
    r"|(?P<number>\b\d[\w']*)"
    r"|(?P<char>'(?:\\.|[^'\\\n])+')",
    re.S)


class Finding(NamedTuple):
    """One broken rule: where, what, and the way out."""

    path: str
    line: int
    what: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}"


def blank(text):
    """The same text with everything but the line breaks turned into spaces."""
    return re.sub(r"[^\n]", " ", text)


class Source:
    """One file. `code` has comments and the insides of strings blanked, `comments` all else."""

    def __init__(self, root, path):
        self.path = path
        self.absolute = Path(root) / path

    @cached_property
    def text(self):
        return self.absolute.read_text(encoding="utf-8", errors="replace")

    @property
    def lines(self):
        return self.text.split("\n")

    @cached_property
    def code(self):
        def keep(match):
            kind = match.lastgroup
            whole = match[0]
            if kind == "number":
                return whole
            if kind == "comment":
                return blank(whole)
            return whole[0] + blank(whole[1:-1]) + whole[-1]
        return TOKEN.sub(keep, self.text)

    @cached_property
    def comments(self):
        pieces = []
        end = 0
        for match in TOKEN.finditer(self.text):
            if match["comment"] is not None:
                pieces += [blank(self.text[end:match.start()]), match["comment"]]
                end = match.end()
        return "".join(pieces) + blank(self.text[end:])

    @cached_property
    def includes(self):
        """(line, path, quoted) of every #include."""
        found = []
        for number, line in enumerate(self.lines, 1):
            match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if match:
                found.append((number, match[2], match[1] == '"'))
        return found

    @property
    def is_cxx(self):
        return self.path.endswith(CXX_ENDINGS)

    @property
    def is_test(self):
        return self.path.endswith("_test.cpp") or self.path.startswith("tests/")


class Tree:
    """All files under a root, without what builds leave behind."""

    def __init__(self, root):
        self.root = Path(root).resolve()

    @cached_property
    def files(self):
        found = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(set(folders) - SKIPPED_FOLDERS)
            for name in sorted(names):
                path = Path(folder, name)
                if path.is_file():
                    found.append(Source(self.root, path.relative_to(self.root).as_posix()))
        return found

    @property
    def cxx(self):
        return [file for file in self.files if file.is_cxx]

    @property
    def product(self):
        """What a user gets: the C++ under src/ and include/ without the tests."""
        return [file for file in self.cxx
                if file.path.startswith(("src/", "include/")) and not file.is_test]
