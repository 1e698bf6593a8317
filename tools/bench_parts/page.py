"""docs/benchmarks.md and its pictures, from the document of a run."""

from . import picture, workloads
from . import rows as r
from .layout import LAYOUT

INTRO = """# Benchmarks

Written by `tools/bench --report`; `tools/bench --json FILE` makes such a run, `--quick` a short one. All systems of a table ran in turn, round after round,
each run in a process of its own (Java's share one virtual machine, warmed up). A run whose results were not what they should be, say a body that did not
run, is left out. Cells hold the median; in brackets the least and the most. × is the multiple of weir's median.

[What is compared, and how](decisions/{decision}) says which peers take part and what is fair about it.
"""


def write(document, targets, root, docs):
    """Writes docs/benchmarks.md and docs/benchmarks/*.svg; returns the page's path."""
    rows = document["rows"]
    folder = docs / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    parts = [INTRO.format(decision=decision_page(root)), conditions(document),
             target_table(rows, targets)]
    described = workloads.load(root)
    for workload, columns in LAYOUT.items():
        if any(row["workload"] == workload for row in rows):
            parts.append(section(rows, workload, columns, described[workload], folder))
    if document.get("failures"):
        parts.append(failures(document["failures"]))
    page = docs / "benchmarks.md"
    page.write_text("\n".join(parts), encoding="utf-8")
    return page


def decision_page(root):
    found = sorted((root / "docs/decisions").glob("*-bench-peers.md"))
    return found[0].name if found else ""


def table(head, lines):
    rule = "|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|"
    return "\n".join(["| " + " | ".join(row) + " |" for row in [head]] + [rule]
                     + ["| " + " | ".join(row) + " |" for row in lines]) + "\n"


def conditions(document):
    machine = document.get("machine", {})
    lines = [[name, str(value)] for name, value in machine.items()]
    lines += [["compiler of weir", f"{document.get('compiler', '')} {document.get('flags', '')}"],
              ["rounds", str(document.get("rounds", ""))]]
    note = ("\nThis was a quick run: small sizes, few rounds, figures for orientation only.\n"
            if document.get("quick") else "")
    rule = "|---|---|"
    body = "\n".join(f"| {name} | {' '.join(value.split())} |" for name, value in lines)
    return f"## Conditions\n\n| what | on this run |\n{rule}\n{body}\n{note}"


def target_table(rows, targets):
    lines = []
    for target in targets:
        judged = r.judge(target, rows)
        if judged is None:
            lines.append([target["name"], "", "", "", "not measured"])
            continue
        own, text, limit, met = judged
        goal = f"{r.figure(target['at_most'])} {own['unit']}" if "at_most" in target else ""
        lines.append([target["name"], f"{r.figure(own['median'])} {own['unit']}".strip(),
                      f"{r.figure(limit)} {own['unit']} ({text})".replace("  ", " "),
                      goal.strip(), "met" if met else "**missed**"])
    return ("## Targets\n\nMachines differ, so the limit is a ratio to a row of the same run where "
            "there is one; the figure beside it was\nset on the machine where the targets were "
            "made.\n\n" + table(["target", "weir", "limit", "as a figure", "verdict"], lines))


def section(rows, workload, columns, about, folder):
    title, text = about
    parts = [f"## {title}\n", text[0].upper() + text[1:] + "\n"]
    all_cases = r.cases(rows, workload)
    if len(all_cases) == 1:
        label = r.case_label(all_cases[0], all_cases)
        parts.append(f"{label[0].upper()}{label[1:]}.\n")
        parts.append(drawing(rows, workload, columns[0], all_cases, folder))
        parts.append(metric_table(rows, workload, columns, all_cases[0]))
        return "\n".join(parts)
    for metric, heading in columns:
        if any((row["workload"], row["metric"]) == (workload, metric) for row in rows):
            parts += [f"### {title}: {heading.lower()}\n",
                      drawing(rows, workload, (metric, heading), all_cases, folder),
                      case_table(rows, workload, metric, all_cases)]
    return "\n".join(parts)


def systems(rows, workload, metric, case):
    """The systems of a workload, weir's first, then by their figure in this case."""
    names = r.unique(row["system"] for row in rows if row["workload"] == workload)

    def key(name):
        row = r.find(rows, workload, metric, name, case)
        return not name.startswith(r.OWN), row is None, row["median"] if row else 0, name
    return sorted(names, key=key)


def cell(row, own):
    if row is None:
        return ""
    text = r.figure(row["median"])
    if row["n"] > 1:
        text += f" ({r.figure(row['min'])}–{r.figure(row['max'])})"
    # A count is small and exact; its multiple says nothing that it does not say itself.
    if row["unit"] and own is not None and own is not row and own["median"] > 0:
        text += f" · {row['median'] / own['median']:.2f} ×"
    return text


def case_table(rows, workload, metric, all_cases):
    unit = next(row["unit"] for row in rows
                if (row["workload"], row["metric"]) == (workload, metric))
    lines = []
    for name in systems(rows, workload, metric, all_cases[0]):
        found = [r.find(rows, workload, metric, name, case) for case in all_cases]
        if any(found):
            own = [r.find(rows, workload, metric, r.OWN, case) for case in all_cases]
            lines.append([name] + [cell(row, base) for row, base in zip(found, own)])
    head = [unit or "count"] + [r.case_label(case, all_cases) for case in all_cases]
    return table(head, lines)


def metric_table(rows, workload, columns, case):
    known = [(metric, heading, row["unit"]) for metric, heading in columns
             if (row := next((row for row in rows if (row["workload"], row["metric"])
                              == (workload, metric)), None))]
    chief = known[0][0]
    lines = []
    for name in systems(rows, workload, chief, case):
        found = [r.find(rows, workload, metric, name, case) for metric, _, _ in known]
        own = r.find(rows, workload, chief, r.OWN, case)
        lines.append([name] + [cell(row, own if row and row["metric"] == chief else None)
                               for row in found])
    head = ["system"] + [f"{heading}, {unit}" if unit else heading for _, heading, unit in known]
    return table(head, lines)


def drawing(rows, workload, column, all_cases, folder):
    metric, heading = column
    groups = []
    unit = ""
    for case in all_cases:
        chosen = [row for row in rows if (row["workload"], row["metric"]) == (workload, metric)
                  and row["params"] == case]
        if chosen:
            unit = chosen[0]["unit"]
            label = r.case_label(case, all_cases) if len(all_cases) > 1 else ""
            groups.append((label, [(row["system"], row["median"]) for row in chosen]))
    if not groups:
        return ""
    name = f"{workload}-{metric}.svg".replace("_", "-")
    (folder / name).write_text(picture.bars(groups, unit), encoding="utf-8")
    return f"![{workload}: {heading}](benchmarks/{name})\n"


def failures(found):
    lines = [[failure["run"], failure["system"], failure["trouble"].replace("|", "/")]
             for failure in found]
    return "## Left out\n\n" + table(["run", "system", "why"], lines)
