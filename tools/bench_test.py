"""tools/bench without running anything: its page from a recorded run, its verdicts, its refusals."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

from bench_parts import rows, summary, workloads  # noqa: E402
from bench_parts.layout import LAYOUT  # noqa: E402

BENCH = Path(__file__).resolve().parent / "bench"
ROOT = BENCH.parent.parent


def row(workload, params, system, metric, unit, median, spread=0.1):
    return {"workload": workload, "params": params, "system": system, "metric": metric,
            "unit": unit, "median": median, "min": median * (1 - spread),
            "max": median * (1 + spread), "n": 7}


def recorded():
    one = {"producers": 1, "workers": 2, "tasks": 1_000_000}
    two = {"producers": 2, "workers": 2, "tasks": 1_000_000}
    bulk = {"workers": 1, "timers": 1_000_000}
    return {
        "machine": {"processor": "A <fast> | one", "cores for this process": 2},
        "quick": False, "rounds": 7, "compiler": "GNU 12.2.0", "flags": "-O3",
        "failures": [{"run": "submit producers=2", "system": "slow", "trouble": "it died: Killed"}],
        "rows": [
            row("submit", one, "weir", "time_per_task", "ns", 50),
            row("submit", one, "naive & old", "time_per_task", "ns", 200),
            row("submit", one, "java ForkJoinPool", "time_per_task", "ns", 60),
            row("submit", two, "weir", "time_per_task", "ns", 54),
            row("submit", two, "java ForkJoinPool", "time_per_task", "ns", 55),
            row("timer_churn", bulk, "weir", "insert", "ns", 81),
            row("timer_churn", bulk, "weir", "cancel", "ns", 290),
            row("timer_churn", bulk, "weir", "floor_cancel", "ns", 200),
            row("timer_churn", bulk, "libuv timers", "insert", "ns", 274)]}


class BenchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="bench test ")
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def bench(self, *arguments):
        return subprocess.run([sys.executable, BENCH, *map(str, arguments)], capture_output=True,
                              text=True, timeout=60)

    def record(self, document):
        file = self.folder / "run.json"
        file.write_text(document if isinstance(document, str) else json.dumps(document))
        return file

    def refused(self, result, code, words):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(words, result.stderr)
        self.assertNotIn("Traceback", result.stderr)


class Page(BenchTest):
    def page(self, document):
        result = self.bench("--report", self.record(document), "--docs", self.folder / "docs")
        self.assertEqual(result.returncode, 0, result.stderr)
        return (self.folder / "docs/benchmarks.md").read_text()

    def test_a_case_is_a_column_and_every_cell_has_its_multiple(self):
        page = self.page(recorded())
        self.assertIn("| ns | producers 1 | producers 2 |", page)
        self.assertIn("| naive & old | 200 (180–220) · 4.00 × |  |", page)
        self.assertIn("| java ForkJoinPool | 60.0 (54.0–66.0) · 1.20 × | 55.0 (49.5–60.5) · 1.02 × |",
                      page)

    def test_a_single_case_has_a_column_for_each_metric_that_was_measured(self):
        self.assertIn("| system | set, ns | cancel, ns | floor of cancel, ns |",
                      self.page(recorded()))

    def test_conditions_and_what_was_left_out_are_told(self):
        page = self.page(recorded())
        self.assertIn("| cores for this process | 2 |", page)
        self.assertIn("| submit producers=2 | slow | it died: Killed |", page)
        self.assertNotIn("quick run", page)
        self.assertIn("quick run", self.page({**recorded(), "quick": True}))

    def test_every_picture_of_the_page_is_there_and_none_else_and_all_are_svg(self):
        stray = self.folder / "docs/benchmarks/left-over.svg"
        stray.parent.mkdir(parents=True)
        stray.write_text("old")
        page = self.page(recorded())
        pictures = sorted(stray.parent.iterdir())
        self.assertEqual([file.name for file in pictures],
                         ["submit-time-per-task.svg", "timer-churn-insert.svg"])
        for file in pictures:
            self.assertIn(f"](benchmarks/{file.name})", page)
            self.assertTrue(ElementTree.parse(file).getroot().tag.endswith("svg"))

    def test_bars_are_as_long_as_their_values(self):
        self.page(recorded())
        root = ElementTree.parse(self.folder / "docs/benchmarks/submit-time-per-task.svg").getroot()
        bars = [element for element in root.iter() if element.tag.endswith("rect")]
        widths = [float(bar.get("width")) for bar in bars]
        # Sorted within each case: weir 50, Java 60, naive 200, then weir 54, Java 55.
        self.assertEqual([bar.get("class") for bar in bars], ["o", "p", "p", "o", "p"])
        for width, value in zip(widths, [50, 60, 200, 54, 55]):
            self.assertAlmostEqual(width / max(widths), value / 200, places=2)


class Targets(unittest.TestCase):
    def judge(self, target, document=None):
        return rows.judge({"workload": "submit", "metric": "time_per_task", **target},
                          (document or recorded())["rows"])

    def test_a_ratio_decides_where_its_row_is_there(self):
        target = {"params": {"producers": 1}, "at_most": 10,
                  "beside": {"system": "java ForkJoinPool", "factor": 0.72}}
        own, text, limit, met = self.judge(target)
        self.assertEqual((own["median"], text, met), (50, "0.72 × java ForkJoinPool", False))
        self.assertAlmostEqual(limit, 43.2)

    def test_without_that_row_the_figure_decides(self):
        target = {"params": {"producers": 1}, "beside": {"system": "nobody", "factor": 0.1}}
        self.assertTrue(self.judge({**target, "at_most": 50})[3])
        self.assertFalse(self.judge({**target, "at_most": 49})[3])
        self.assertIsNone(self.judge(target))

    def test_a_floor_of_the_same_row_and_another_case_can_be_the_measure(self):
        floor = {"workload": "timer_churn", "metric": "cancel"}
        self.assertTrue(self.judge({**floor, "beside": {"metric": "floor_cancel", "factor": 1.5}})[3])
        self.assertFalse(self.judge({**floor, "beside": {"metric": "floor_cancel", "plus": 2}})[3])
        self.assertFalse(self.judge({"params": {"producers": 2},
                                     "beside": {"params": {"producers": 1}, "factor": 1.05}})[3])

    def test_of_factor_and_plus_the_larger_limit_counts(self):
        beside = {"metric": "floor_cancel", "factor": 1.1, "plus": 500}
        limit = self.judge({"workload": "timer_churn", "metric": "cancel", "beside": beside})[2]
        self.assertEqual(limit, 700)

    def test_the_summary_shows_multiples_and_verdicts(self):
        lines = list(summary.ratios(recorded()["rows"]))
        self.assertIn("submit, producers 1: time per task of weir 50.0 ns", lines)
        self.assertIn("       4.00 ×  naive & old (200 ns)", lines)
        target = {"name": "Fast", "workload": "submit", "metric": "time_per_task", "at_most": 50}
        self.assertEqual(list(summary.verdicts(recorded()["rows"], [target])),
                         ["  met     Fast: 50.0 ns, limit 50.0 ns (absolute)"])

    def test_every_target_and_every_table_is_of_a_workload_and_none_lacks_a_table(self):
        known = workloads.load(ROOT)
        self.assertEqual(set(LAYOUT), set(known))
        for name, (_, text) in known.items():
            self.assertTrue(text, f"bench/workloads/{name}.hpp says nowhere what it measures")
        for target in json.loads((ROOT / "bench/targets.json").read_text())["targets"]:
            self.assertIn(target["workload"], known)
            self.assertIn(target["metric"], [metric for metric, _ in LAYOUT[target["workload"]]])


class Refusals(BenchTest):
    def test_an_unknown_workload_is_named_with_the_known_ones(self):
        result = self.bench("--no-install", "sumbit")
        self.refused(result, 2, "there is no workload 'sumbit'; there are: cancel, ")

    def test_help_lists_the_workloads(self):
        result = self.bench("--help")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"\n  submit +Submission: ")

    def test_rounds_start_at_one(self):
        self.refused(self.bench("--rounds", "0"), 2, "--rounds 0: give 1 or more")

    def test_a_place_for_rows_that_cannot_be_is_refused_before_anything_runs(self):
        for place in [self.folder, self.folder / "none/rows.json"]:
            self.refused(self.bench("--no-install", "--json", place), 2,
                         f"--json {place}: give a file in a folder that exists")

    def test_a_report_of_nothing_of_no_json_and_of_no_rows(self):
        file = self.folder / "run.json"
        for text, words in [(None, f"cannot read {file}: No such file or directory"),
                            ("{", f"{file} is no JSON"), ("[]", f"{file} holds no rows")]:
            if text:
                self.record(text)
            self.refused(self.bench("--report", file, "--docs", self.folder), 1, words)
            self.assertFalse((self.folder / "benchmarks.md").exists())

    def test_a_row_without_its_unit_is_shown(self):
        document = recorded()
        del document["rows"][0]["unit"]
        self.refused(self.bench("--report", self.record(document), "--docs", self.folder), 1,
                     "a row has no unit")


if __name__ == "__main__":
    unittest.main()
