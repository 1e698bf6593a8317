#!/usr/bin/env python3
"""Starts per second of `sh -c true`, two at a time: weir run beside its floor and its peers.

The floor is a bare posix_spawn loop (spawn_loop.cpp). All contenders run in turn in each round, so
that a machine that slows down slows all of them; the figures are medians over the rounds, and each
ratio is the median of the rounds' own ratios to the floor.

    cmake --preset release -DWEIR_BUILD_BENCH=ON && cmake --build build/release
    bench/run/bench_run.py --build build/release [--rounds 7] [--count 2000] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

FLOOR = "posix_spawn loop"


def contenders(build, count, width, jobs_file):
    """Yields (name, argument vector, file for standard input or None)."""
    yield FLOOR, [str(build / "bench/bench_run_spawn_loop"), str(count), str(width)], None
    yield "weir run", [str(build / "weir"), "run", f"-j{width}", jobs_file], None
    yield "xargs", ["xargs", f"-P{width}", "-I{}", "sh", "-c", "{}"], jobs_file
    if shutil.which("parallel"):
        yield "GNU parallel", ["parallel", f"-j{width}"], jobs_file


def seconds(arguments, stdin):
    source = open(stdin, "rb") if stdin else subprocess.DEVNULL
    environment = dict(os.environ, SHELL="/bin/sh")
    begin = time.perf_counter()
    subprocess.run(arguments, stdin=source, check=True, env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def measure(options):
    rates = {}
    with tempfile.NamedTemporaryFile("w", suffix=".jobs") as jobs:
        # parallel is an order of magnitude slower, so it gets fewer commands for the same time.
        shorter = tempfile.NamedTemporaryFile("w", suffix=".jobs")
        jobs.write("true\n" * options.count)
        jobs.flush()
        few = max(options.count // 8, 1)
        shorter.write("true\n" * few)
        shorter.flush()
        for round_number in range(options.rounds):
            for name, arguments, stdin in contenders(options.build, options.count, options.width,
                                                     jobs.name):
                count = options.count
                if name == "GNU parallel":
                    stdin, count = shorter.name, few
                rates.setdefault(name, []).append(count / seconds(arguments, stdin))
            print(f"round {round_number + 1} of {options.rounds}: " +
                  ", ".join(f"{name} {values[-1]:.0f}/s" for name, values in rates.items()),
                  file=sys.stderr)
        shorter.close()
    return rates


def report(rates):
    floor = rates[FLOOR]
    return {name: {"starts_per_second": round(statistics.median(values), 1),
                   "of_floor": round(statistics.median(v / f for v, f in zip(values, floor)), 3),
                   "rounds": [round(v, 1) for v in values]}
            for name, values in rates.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--width", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path, help="write the figures there")
    options = parser.parse_args()
    for needed in (options.build / "weir", options.build / "bench/bench_run_spawn_loop"):
        if not needed.exists():
            parser.error(f"{needed} is not built; configure with -DWEIR_BUILD_BENCH=ON, or give "
                         "--build")
    table = report(measure(options))
    for name, figures in table.items():
        print(f"{name:18} {figures['starts_per_second']:8.0f} starts/s  "
              f"{figures['of_floor'] * 100:5.1f} % of the floor")
    if options.json:
        options.json.write_text(json.dumps({"count": options.count, "width": options.width,
                                            "results": table}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
