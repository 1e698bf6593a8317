"""Rules about plain text: blanks, words, guards, and files that CMake names."""

import re

from .size import is_python
from .tree import Finding

PLAIN = (".cpp", ".hpp", ".py", ".md", ".cmake", ".in", ".json", ".txt", ".jobs", ".sh")
WORDS_FILE = "tools/tidy_words.txt"


def is_plain(file):
    return file.path.endswith(PLAIN) or "." not in file.path.rsplit("/", 1)[-1].lstrip(".")


def pragma_once(tree):
    for file in tree.cxx:
        if file.path.endswith(".hpp") and not re.match(r"\s*#pragma once\n", file.code):
            yield Finding(file.path, 1, "no #pragma once: it is the first line of every header")


def blanks(tree):
    for file in tree.files:
        if not is_plain(file) or file.path == "LICENSE" or "\0" in file.text:
            continue
        for number, line in enumerate(file.lines, 1):
            if "\t" in line and file.path != WORDS_FILE:
                yield Finding(file.path, number, "a tab: indent with spaces, write \\t in strings")
            if line.endswith((" ", "\r")):
                yield Finding(file.path, number, "blanks at the end of the line: delete them")
        if file.text and not file.text.endswith("\n"):
            yield Finding(file.path, len(file.lines), "the last line does not end: add a newline")


def words(tree):
    """WORDS_FILE has a line `pattern<TAB>way out` for each word that has no place in this tree."""
    rows = []
    for file in tree.files:
        if file.path == WORDS_FILE:
            rows = [line.split("\t") for line in file.lines if line and not line.startswith("#")]
    for file in tree.files:
        if file.path == WORDS_FILE or not is_plain(file) or file.path == "tools/tidy_test.py":
            continue
        for number, line in enumerate(file.lines, 1):
            for pattern, way_out in rows:
                match = re.search(pattern, line, re.I)
                if match:
                    yield Finding(file.path, number, f"“{match[0]}”: {way_out}")


def cmake_files(tree):
    """Every file of ours that CMake names exists, and every module under cmake/ is used."""
    listed = set()
    for file in tree.files:
        if not file.path.endswith(".cmake") and not file.path.endswith("CMakeLists.txt"):
            continue
        if file.path.startswith("tests/"):
            continue
        for number, line in enumerate(file.lines, 1):
            code = line.split("#")[0]
            for path in re.findall(r"(?<![\w/}])(?:src|include|cmake|tests|tools)/[\w./-]+", code):
                listed.add(path)
                if "." in path and not (tree.root / path).exists():
                    yield Finding(file.path, number, f"{path} does not exist: drop it or add it")
    for file in tree.files:
        if file.path.startswith("cmake/") and file.path not in listed:
            yield Finding(file.path, 1, "no CMake file names it: include it or delete it")


def python_files(tree):
    return [file for file in tree.files if is_python(file)]
