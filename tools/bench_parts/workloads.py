"""The workloads: a file each under bench/workloads, whose first `/// Title: text` says what it is."""

import re


def load(root):
    """name → (title, text)."""
    found = {}
    for file in sorted((root / "bench/workloads").glob("*.hpp")):
        if file.stem != "all":
            line = re.search(r"^/// (\w[^:\n]*): (.*)$", file.read_text(encoding="utf-8"), re.M)
            found[file.stem] = line.groups() if line else (file.stem, "")
    return found
