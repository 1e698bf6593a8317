"""Every ordered access tells what it is ordered with, and the other end exists.

A tag stands in a comment on the access's line or right before its statement:
    // ordering: parker-token, close-flag  why it must be so
An acq_rel access that meets itself on another thread, as a count of owners does, says so:
    // ordering: core-owners  pairs with itself
"""

import re
from collections import defaultdict

from .tree import Finding

ORDER = r"(?:std::memory_order(?:_|::))?(acquire|release|acq_rel|seq_cst)"
# As an argument; a member function release() is none.
ACCESS = re.compile(rf"(?<![\w.>]){ORDER}\b(?!\s*\()|(?<=::){ORDER}\b(?!\s*\()")
DEFINITION = re.compile(r"\bconstexpr\b.*=\s*std::memory_order|\busing\b")
UNNAMED = re.compile(r"\.(load|fetch_(?:add|sub|or|and|xor))\s*\(")
TAGS = re.compile(r"ordering:\s*([\w.-]+(?:,\s*[\w.-]+)*)")
FENCE = re.compile(r"\batomic_thread_fence\b")

PUBLISHES = {"release", "acq_rel", "seq_cst"}
OBSERVES = {"acquire", "acq_rel", "seq_cst"}


def ordering(tree):
    ends = defaultdict(list)
    for file in tree.product:
        yield from in_file(file, ends)
    for tag, places in sorted(ends.items()):
        path, line, _, alone = places[0]
        orders = set().union(*(found for _, _, found, _ in places))
        if len(places) < 2 and not (alone and "acq_rel" in orders):
            yield Finding(path, line, f"the ordering tag {tag} stands here alone: tag the access "
                          "at the other end too; an acq_rel may say `pairs with itself`")
        elif not (orders & PUBLISHES and orders & OBSERVES):
            missing = "observes" if orders & PUBLISHES else "publishes"
            yield Finding(path, line, f"no access tagged {tag} {missing}; a release needs an "
                          "acquire at its other end")


def in_file(file, ends):
    code = file.code.split("\n")
    comments = file.comments.split("\n")
    seen = {}
    for number, line in enumerate(code):
        if FENCE.search(line):
            yield Finding(file.path, number + 1, "a fence on its own, which ThreadSanitizer does "
                          "not understand: order an access instead")
        orders = {match[1] or match[2] for match in ACCESS.finditer(line)}
        if not orders or DEFINITION.search(line):
            yield from without_order(file, code, number)
            continue
        tags = tags_of(code, comments, number)
        if not tags:
            yield Finding(file.path, number + 1, f"{', '.join(sorted(orders))} without a tag: write "
                          "`// ordering: <tag> why` on this line or the line before")
        for tag, place in tags:
            seen.setdefault((tag, place), set()).update(orders)
    for (tag, place), orders in seen.items():
        alone = "pairs with itself" in comments[place]
        ends[tag].append((file.path, place + 1, orders, alone))


def without_order(file, code, number):
    """An access that spells no order is seq_cst by accident."""
    if not any(include == "weir/detail/sync.hpp" for _, include, _ in file.includes):
        return
    match = UNNAMED.search(code[number])
    if not match:
        return
    statement = code[number][match.start():] + " ".join(code[number + 1:number + 4])
    statement = statement.split(";")[0]
    if not re.search(r"\b(relaxed|acquire|release|acq_rel|seq_cst|order)\b", statement):
        yield Finding(file.path, number + 1, f"{match[1]} without a memory order: name it "
                      "(relaxed, acquire, …)")


def tags_of(code, comments, number):
    """The tags that belong to this line: on it, in its statement, or in the comment before that."""
    found = []
    row = number
    while True:
        match = TAGS.search(comments[row])
        if match:
            found += [(tag, row) for tag in re.split(r",\s*", match[1])]
        above = row - 1
        if above < 0:
            return found
        before = code[above].strip()
        if before and (before[-1] in ";{}" or before[-1] == ":" or row_is_comment(code, row)):
            return found
        if not before and not comments[above].strip():
            return found
        row = above


def row_is_comment(code, row):
    """Above a comment line only more comment belongs to the statement."""
    return not code[row].strip()
