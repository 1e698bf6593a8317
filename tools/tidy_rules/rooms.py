"""Arrows between the rooms, and who may name a raw thread or atomic."""

import re

from .tree import Finding

# Left to right: an include may point to the same room or to one further left.
ROOMS = ("base", "sync", "task", "time", "executor", "pool", "forkjoin",
         "observe", "cron", "process", "cli")
# Rooms that stand side by side, so that neither may include the other.
SIDE_BY_SIDE = ({"observe", "cron"}, {"pool", "forkjoin"})

# The room that a public header belongs to; one that is not listed may be included from anywhere.
PUBLIC_ROOMS = {
    "weir/future.hpp": "task",
    "weir/this_task.hpp": "task",
    "weir/clock.hpp": "time",
    "weir/executor.hpp": "executor",
    "weir/inline_executor.hpp": "executor",
    "weir/keyed_strand.hpp": "executor",
    "weir/limiter.hpp": "executor",
    "weir/manual_executor.hpp": "executor",
    "weir/strand.hpp": "executor",
    "weir/task_group.hpp": "executor",
    "weir/thread_pool.hpp": "pool",
    "weir/trace.hpp": "observe",
    "weir/json.hpp": "observe",
    "weir/prometheus.hpp": "observe",
    "weir/schedule.hpp": "time",
    "weir/cron.hpp": "cron",
    "weir/submit_cron.hpp": "cron",
    "weir/series.hpp": "time",
    "weir/join.hpp": "forkjoin",
    "weir/work_stealing_pool.hpp": "forkjoin",
}

RAW_NAMES = re.compile(
    r"\bstd::(?:recursive_|shared_|timed_|recursive_timed_|shared_timed_)?mutex\b"
    r"|\bstd::(?:lock_guard|unique_lock|scoped_lock|shared_lock)\b"
    r"|\bstd::atomic\w*|\bstd::memory_order\w*"
    r"|\bstd::j?thread\b|\bstd::this_thread\b"
    r"|\bstd::condition_variable\w*"
    r"|\bstd::(?:latch|barrier|counting_semaphore|binary_semaphore|once_flag|call_once)\b"
    r"|\bstd::(?:async|promise|future)\b"
    r"|\bSYS_futex\b|\bFUTEX_\w+|\blinux/futex\.h\b"
    r"|\bpthread_(?:create|join|detach|mutex|cond|rwlock|spin|barrier|once)\w*"
    r"|\b__atomic_\w+|\b__sync_\w+"
    r"|#\s*include\s*<(?:atomic|mutex|shared_mutex|thread|condition_variable|semaphore|latch|barrier)>")
RAW_ALLOWED = ("src/sync/", "include/weir/detail/")


def room_of(path):
    """The room of a file, by its path from the root; None for what is in no room."""
    match = re.match(r"src/([^/]+)/", path)
    if match:
        return match[1]
    if path.startswith("include/"):
        return PUBLIC_ROOMS.get(path.removeprefix("include/"))
    return None


def target_of(include):
    """The path from the root that an #include of ours names; None for a foreign header."""
    if include.startswith("weir/"):
        return f"include/{include}"
    if include.split("/")[0] in ROOMS:
        return f"src/{include}"
    return None


def arrows(tree):
    for file in tree.cxx:
        if not file.path.startswith(("src/", "include/")):
            continue
        here = room_of(file.path)
        if file.path.startswith("src/") and here not in ROOMS:
            yield Finding(file.path, 1, f"src/{here} is no room; the rooms are {', '.join(ROOMS)}: "
                          "move the file, or add the room to tools/tidy_rules/rooms.py")
            continue
        for line, include, quoted in file.includes:
            yield from arrow(file, here, line, include, quoted)


def arrow(file, here, line, include, quoted):
    target = target_of(include)
    if file.path.startswith("include/") and (target is None) == quoted or (
            file.path.startswith("include/") and target and target.startswith("src/")):
        yield Finding(file.path, line, f"an installed header includes {include}; it may include "
                      "<standard headers> and \"weir/…\" only")
        return
    if file.is_test and include.startswith("support/"):
        return
    if quoted and target is None:
        yield Finding(file.path, line, f'"{include}" names no room; write it from the room on, '
                      "as in \"base/unique_fd.hpp\"")
        return
    there = room_of(target) if target else None
    if here and there and here != there and (ROOMS.index(there) > ROOMS.index(here)
                                             or {here, there} in SIDE_BY_SIDE):
        yield Finding(file.path, line, f"{here} includes {include} of {there}, but arrows run "
                      f"{' ← '.join(ROOMS)}{beside()}: move one of the two, or pass in what is "
                      "needed")


def beside():
    return "".join(f", and {' and '.join(sorted(rooms))} stand side by side"
                   for rooms in SIDE_BY_SIDE)


def finishes(path, target):
    """x.hpp ends by including detail/x_inline.hpp, which needs x.hpp when it is read first."""
    name = path.rsplit("/", 1)[-1]
    return name.endswith("_inline.hpp") and target.endswith(f"/{name.replace('_inline', '')}")


def cycles(tree):
    """Headers that include one another in a circle, which #pragma once would hide."""
    headers = {file.path: file for file in tree.cxx if file.path.endswith(".hpp")}
    state = {}

    def visit(path, trail):
        state[path] = "open"
        for line, include, _ in headers[path].includes:
            target = target_of(include)
            if target not in headers or finishes(path, target):
                continue
            if state.get(target) == "open":
                circle = " → ".join([*trail[trail.index(target):], target])
                yield Finding(path, line, f"includes in a circle: {circle}; move what both need "
                              "into a third header")
            elif target not in state:
                yield from visit(target, [*trail, target])
        state[path] = "done"

    for path in headers:
        if path not in state:
            yield from visit(path, [path])


def raw_names(tree):
    for file in tree.product:
        if file.path.startswith(RAW_ALLOWED):
            continue
        for number, line in enumerate(file.code.split("\n"), 1):
            match = RAW_NAMES.search(line)
            if match:
                yield Finding(file.path, number, f"names {match[0].strip()}; outside src/sync and "
                              "include/weir/detail use the aliases of weir::sync")
