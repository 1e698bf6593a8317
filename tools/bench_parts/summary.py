"""The table at the end of a run, as text for a terminal."""

from . import rows as r
from .layout import LAYOUT


def ratios(rows):
    """One line for each case of each workload: weir's figure, and the others' as multiples."""
    for workload, pictures in LAYOUT.items():
        all_cases = r.cases(rows, workload)
        for case in all_cases:
            yield from case_lines(rows, workload, pictures[0][0], case, all_cases)


def case_lines(rows, workload, metric, case, all_cases):
    own = r.find(rows, workload, metric, r.OWN, case)
    if own is None:
        return
    label = f"{workload}, {r.case_label(case, all_cases)}"
    yield f"{label}: {metric.replace('_', ' ')} of weir {r.figure(own['median'])} {own['unit']}".rstrip()
    others = [row for row in rows
              if (row["workload"], row["metric"]) == (workload, metric)
              and row["params"] == case and row["system"] != r.OWN]
    for row in sorted(others, key=lambda row: row["median"]):
        multiple = f"{row['median'] / own['median']:9.2f} ×" if own["median"] > 0 else " " * 11
        yield f"  {multiple}  {row['system']} ({r.figure(row['median'])} {row['unit']})".rstrip()


def verdicts(rows, targets):
    for target in targets:
        judged = r.judge(target, rows)
        if judged is None:
            continue
        own, text, limit, met = judged
        unit = f" {own['unit']}" if own["unit"] else ""
        yield (f"  {'met   ' if met else 'MISSED'}  {target['name']}: "
               f"{r.figure(own['median'])}{unit}, limit {r.figure(limit)}{unit} ({text})")


def show(document, targets, out):
    rows = document["rows"]
    print("\nweir beside its peers; a multiple above 1 is slower than weir, or larger", file=out)
    for line in ratios(rows):
        print(line, file=out)
    print("\nTargets", file=out)
    for line in verdicts(rows, targets):
        print(line, file=out)
    for failure in document.get("failures", []):
        print(f"FAILED: {failure['run']} on {failure['system']}: {failure['trouble']}", file=out)
