"""Questions on computational experiments of the AAAI reproducibility checklist, answered from records.

The questions are in our own words, and the one on measurement is ours. What the records cannot know is a gap, which the
authors fill.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import numpy as np

from runner.base import plural
from runner.features.reports.charts import Chart
from runner.features.reports.columns import group_text
from runner.features.reports.interference import RecordedInterference, summary_of
from runner.features.reports.median_times import number_range
from runner.features.reports.origin import Origin, RecordedCell
from runner.features.reports.parameters import Parameters
from runner.features.reports.runs import Runs
from runner.features.reports.statistics import LEVEL
from runner.features.reports.tables import Table, listed
from runner.records import CORRUPT

INTRODUCTION = (
    "The questions on computational experiments of the AAAI reproducibility checklist, in short, and one on "
    "measurement, with what the records of the runs answer. The authors answer the rest."
)
_NO_PAIRS = "the report has no pairs of configurations"


class Question(NamedTuple):
    """Question of the checklist, what the records answer, and what they do not have."""

    question: str
    answers: Sequence[str]
    gaps: Sequence[str]


_DECODER = msgspec.json.Decoder(dict[str, Any])
_FACTS = {
    "processor": "processor",
    "cpu_count": "number of processors",
    "memory_bytes": "memory",
    "gpus": "GPUs",
    "platform": "operating system",
    "python": "Python",
    "packages": "packages",
}
"""Names of the fields of environment.json on the machine and its software."""
_METHODS = {
    "process": "memory and processor time were measured by the operating system, for the worker process",
    "cgroup": "memory and processor time were measured by a control group of the program",
    "proc": "memory and processor time were measured by the operating system, for each process of the program",
}
"""Meaning of the values of the column `measured_by`."""
_SETTINGS = {
    "workers": "number of workers (workers)",
    "pin": "each worker on a physical core of its own (pin)",
    "measure": "control groups (measure)",
    "order": "order of the searches (order)",
    "order_seed": "seed of a random order (order_seed)",
}
"""Meaning of the settings of a command that influence times."""
_BOUNDS = {
    "memory": "limits.memory bounds the arrays of a search, and the resident memory that it and its processes take",
    "time": "limits.time bounds the wall time of a search",
    "cpu": "limits.cpu bounds the processor time of a search and its processes",
    "nodes": "limits.nodes bounds the number of expansions",
}
"""Meaning of the limits."""


def questions(
    runs: Runs,
    parameters: Parameters,
    definitions: Mapping[str, str],
    shown: Sequence[Table | Chart],
    cells: Sequence[RecordedCell],
    interference: Sequence[RecordedInterference],
    origin: Origin,
) -> list[Question]:
    """Return the questions with their answers.

    Parameters
    ----------
    definitions : mapping of str to str
        Definitions of the metrics that are shown.
    shown : sequence of Table or Chart
        Tables and charts of the report. Answers name them by their files.
    """
    names = [each.name for each in shown]
    values: dict[str, dict[str, None]] = {}
    for each in parameters.values():
        for key, text in each.items():
            values.setdefault(key, {})[text] = None
    tried = [f"{key}: {'; '.join(texts)}" for key, texts in values.items() if len(texts) > 1]
    missing = [f"those of {listed(lost)}"] if (lost := [n for n in runs.configurations if n not in parameters]) else []
    listing = ["table: --tables parameters"] if parameters else []
    code = [f"command: {command}" for command in origin.commands]
    code += [f"{name}: {origin.facts[name]}" for name in ("versions", "code") if name in origin.facts]
    no_code = [] if code else ["commands, versions and commits"]
    no_code += ["changes that were not committed"] if "with changes" in origin.facts.get("code", "") else []

    seeds = [text for value in runs.table["seed"].unique() if (text := group_text(value))]
    seeded = [f"the column seed has {plural(len(seeds), 'seed')} of instances: {listed(seeds)}"] if seeds else []
    seeded += [f"{key}: {'; '.join(texts)}" for key, texts in values.items() if key.endswith("seed")]

    sizes = np.bincount(runs.codes, 1 / runs.replications).round().astype(int)
    counts = " to ".join(f"{count:,}" for count in sorted({sizes.min(), sizes.max()}))
    configurations, repeated = plural(len(runs.configurations), "configuration"), _repeated(runs)
    pairs = listed([n for n in names if n.startswith(("pairs_", "revisions_")) and n != "revisions_solved"])
    spread = [f"medians and quartiles: {name}" for name in names if name.startswith("spread_")]
    if runs.table["repetitions"].notna().any():
        spread.append("medians of repeated times, with intervals: --tables repetitions")
    spread += (
        [f"95 % intervals (t of mean logarithms, corrected for skewness: Hall 1992; Wilson): {pairs}"] if pairs else []
    )
    tests = f"two-sided sign test and Wilcoxon's signed-rank test, Holm's correction, level {LEVEL}: {pairs}"
    return [
        Question(
            "Are all hyper-parameters listed, which values were tried, and how were the final ones chosen?",
            [*listing, *tried],
            [*missing, "values tried outside of these rows, and the criterion by which the final ones were chosen"],
        ),
        Question(
            "Is the code for preparing, running and analysing the experiments available?",
            code,
            [*no_code, "whether code and data are in the appendix, their licence, comments that refer to the paper"],
        ),
        Question(
            "Is it described how seeds are set?",
            [*seeded, "searches of the package give equal counts and plans for equal settings, seeds and versions"],
            [] if seeded else ["seeds: the rows have none"],
        ),
        _infrastructure(cells, interference),
        _measurement(runs, cells),
        Question(
            "Are the metrics defined, and their choice explained?",
            [f"{name}: {text}" for name, text in definitions.items()],
            ["why these metrics were chosen"],
        ),
        Question(
            "How many runs does each result summarise?",
            [f"{counts} instances for each of {configurations}, {repeated or 'one run of each'}"],
            [] if repeated else ["repeated runs, for the variation of times"],
        ),
        Question(
            "Do results go beyond averages, to variation, confidence or distributions?",
            spread,
            [] if spread else [_NO_PAIRS],
        ),
        Question(
            "Are differences judged by appropriate tests?",
            [tests] if pairs else [],
            ["whether the instances are independent of each other, as the tests assume"] if pairs else [_NO_PAIRS],
        ),
    ]


def _repeated(runs: Runs) -> str:
    """Return how often searches were run, with several seeds and for the variation of times; empty for once."""
    times = runs.table["repetitions"].dropna()
    found = list[str]()
    if runs.is_replicated:
        found.append(f"up to {plural(int(runs.replications.max()), 'seed')} for each instance")
    if len(times):
        rows = f"{len(times):,} of {plural(len(runs.table), 'row')}"
        found.append(
            f"{number_range(times)} runs of each search in {rows}: times are their "
            "medians, and the columns spread, seconds_low and seconds_high have their variation"
        )
    return ", ".join(found)


def _infrastructure(cells: Sequence[RecordedCell], interference: Sequence[RecordedInterference]) -> Question:
    environments, answers, gaps = list[dict[str, Any]](), list[str](), list[str]()
    for cell in cells:
        with suppress(*CORRUPT):
            environments.append(_DECODER.decode(cell.environment))
    for field, name in _FACTS.items():
        known = [*dict.fromkeys(text for each in environments if (text := _fact(field, each.get(field))))]
        answers += [f"{name}: {'; or '.join(known)}"] if known else []
        gaps += [] if known else [name]
    answers += summary_of([each.recorded for each in interference])
    gaps += [] if interference else ["other programs that ran while times were measured"]
    return Question("Is the computing infrastructure specified, hardware and software?", answers, gaps)


def _measurement(runs: Runs, cells: Sequence[RecordedCell]) -> Question:
    table = runs.table
    total = plural(len(table), "row")
    answers = list[str]()
    gaps = list[str]()
    methods = table["measured_by"].value_counts()
    answers += [f"{_METHODS.get(str(name), name)}: {count:,} of {total}" for name, count in methods.items() if count]
    gaps += [] if methods.any() else ["how memory and processor time were measured"]
    measured = int(table["peak_bytes"].notna().sum())
    answers += [f"the column peak_bytes has values in {measured:,} of {total}"] if measured else []
    settings = _settings(cells)
    answers += [f"{name}: {'; '.join(values)}" for name, values in settings.items()]
    gaps += [] if settings else ["pinning of workers to processors, and the order of the searches"]
    limits = [text for value in table["limits"].unique() if (text := group_text(value))]
    answers.append(f"limits of a search: {listed(limits) if limits else 'none'}")
    answers += [text for key, text in _BOUNDS.items() if any(f"{key}=" in limit for limit in limits)]
    return Question("How were times and memory measured, and what do the limits bound?", answers, gaps)


def _settings(cells: Sequence[RecordedCell]) -> dict[str, list[str]]:
    """Return the recorded values of the settings that influence times, by their meaning."""
    found: dict[str, list[str]] = {}
    for key in _SETTINGS:
        pattern = re.compile(rf"^{key}: (\w+)$", re.MULTILINE)
        values = [match[1] for cell in cells if (match := pattern.search(cell.configuration))]
        if values:
            found[key] = list(dict.fromkeys(values))
    if "random" not in found.get("order", ()):
        found.pop("order_seed", None)
    return {_SETTINGS[key]: values for key, values in found.items()}


def _fact(field: str, value: object) -> str:
    """Return the text of a field of environment.json; empty if it is not recorded."""
    if field == "memory_bytes" and isinstance(value, int):
        return f"{value / 2**30:.1f} GiB"
    if isinstance(value, dict):
        return ", ".join(f"{name} {text}" for name, text in value.items() if text)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none that a driver lists"
    return str(value or "")
