"""Links in Markdown: the file exists, and so does the heading."""

import re
from pathlib import PurePosixPath
from urllib.parse import unquote

from .tree import Finding

LINK = re.compile(r"(?<!\\)!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\))?)>?[^()]*\)")
REFERENCE = re.compile(r"^\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:", re.I)


def without_code(text):
    """The text with code blocks and code spans blanked."""
    def erase(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"^[ ]*(```+|~~~+).*?^[ ]*\1[ ]*$", erase, text, flags=re.S | re.M)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", erase, text)


def anchors(text):
    """The anchors of a page, named as GitHub names them."""
    found = set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text))
    fenced = re.sub(r"^[ ]*(```+|~~~+).*?^[ ]*\1[ ]*$", "", text, flags=re.S | re.M)
    counts = {}
    for heading in re.findall(r"^#{1,6}\s+(.+?)\s*#*$", fenced, re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = counts.get(slug, 0)
        counts[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def links(tree):
    for file in tree.files:
        if not file.path.endswith(".md"):
            continue
        for number, line in enumerate(without_code(file.text).split("\n"), 1):
            for target in [*LINK.findall(line), *REFERENCE.findall(line)]:
                if target and not SCHEME.match(target):
                    yield from link(tree, file, number, target)


def link(tree, file, number, target):
    path, _, anchor = target.partition("#")
    path = unquote(path)
    page = tree.root / file.path
    if path.startswith("/"):
        yield Finding(file.path, number, f"the link {target} starts at the root of a disk: "
                      "make it relative to this file")
        return
    if path:
        page = tree.root / PurePosixPath(file.path).parent / path
        if not page.exists():
            yield Finding(file.path, number, f"the link {target} leads nowhere: {path} does not "
                          "exist")
            return
    if anchor and page.suffix == ".md":
        if anchor not in anchors(page.read_text(encoding="utf-8")):
            yield Finding(file.path, number, f"the link {target} leads to no heading: "
                          f"#{anchor} is not in {path or 'this page'}")
