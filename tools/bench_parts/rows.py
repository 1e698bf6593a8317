"""Rows of a run: reading them, finding them, writing figures, and judging targets."""

import json
from pathlib import Path

OWN = "weir"
ROW_KEYS = ("workload", "params", "system", "metric", "unit", "median", "min", "max", "n")


class Unreadable(Exception):
    """A file is not what it should be; the text says which and why."""


def load(path):
    """The document of a run, checked."""
    try:
        document = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Unreadable(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Unreadable(f"{path} is no JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
        raise Unreadable(f"{path} holds no rows; tools/bench --json writes such a file")
    for row in document["rows"]:
        missing = [key for key in ROW_KEYS if key not in row]
        if missing:
            raise Unreadable(f"{path}: a row has no {missing[0]}: {row}")
    return document


def includes(row, wanted):
    return all(row["params"].get(name) == value for name, value in wanted.items())


def find(rows, workload, metric, system, params=None):
    """The one row that fits, or None."""
    for row in rows:
        if ((row["workload"], row["metric"], row["system"]) == (workload, metric, system)
                and includes(row, params or {})):
            return row
    return None


def unique(values):
    return list(dict.fromkeys(values))


def cases(rows, workload):
    """The parameter sets of a workload, in their order."""
    found = unique(json.dumps(row["params"]) for row in rows if row["workload"] == workload)
    return [json.loads(text) for text in found]


def case_label(case, all_cases):
    """The parameters that tell this case from the others; all when there is no other."""
    names = [name for name in case
             if len(all_cases) == 1 or len({each.get(name) for each in all_cases}) > 1]
    return ", ".join(f"{name.replace('_', ' ')} {grouped(case[name])}" for name in names)


def grouped(number):
    return f"{number:,}".replace(",", " ") if abs(number) >= 10_000 else str(number)


def figure(value):
    """A number with three figures that count."""
    size = abs(value)
    if size >= 100:
        return grouped(round(value))
    if size >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def judge(target, rows):
    """(own row, text of the limit, limit, met), or None where the run has not measured it."""
    system = target.get("system", OWN)
    own = find(rows, target["workload"], target["metric"], system, target.get("params"))
    if own is None:
        return None
    limit, text = limit_of(target, rows, own)
    if limit is None:
        return None
    return own, text, limit, own["median"] <= limit


def limit_of(target, rows, own):
    beside = target.get("beside")
    if beside:
        other = find(rows, target["workload"], beside.get("metric", target["metric"]),
                     beside.get("system", own["system"]),
                     {**own["params"], **beside.get("params", {})})
        if other is not None:
            limits = []
            words = []
            name = beside_name(beside)
            if "factor" in beside:
                limits.append(beside["factor"] * other["median"])
                words.append(f"{beside['factor']:g} × {name}")
            if "plus" in beside:
                limits.append(beside["plus"] + other["median"])
                words.append(f"{name} + {beside['plus']:g} {own['unit']}")
            return max(limits), " or ".join(words)
    if "at_most" in target:
        return target["at_most"], "absolute"
    return None, ""


def beside_name(beside):
    if "system" in beside:
        return beside["system"]
    if "params" in beside:
        return ", ".join(f"{value} {name}" for name, value in beside["params"].items())
    return beside["metric"].replace("_", " ")
