"""Summaries for programs that read: docs/llms.txt lists all pages, docs/SKILL.md is one page for coding agents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from runner.base import ROOT, STATUSES
from runner.config import commands, registered_parts

DOCS = ROOT / "docs"
_CONTENTS = re.compile(r'"([^"]+)" = (?:"([^"]+)"|\[)')
_SKILL = """\
---
name: search-runner
description: Run, compare and audit heuristic searches with search-runner, and write worlds and heuristics for it.
---

# search-runner for coding agents

One command composes a world, an algorithm, a stack of heuristics and a weighting, searches all instances of the world,
validates the plans, and writes one CSV row per instance.

## Run

```sh
python -m runner algorithm=astar heuristic=flood_fill
python -m runner -m algorithm=ucs,astar heuristic=manhattan,pivots world=wumpus/random world.count=20
python -m runner algorithm=astar dry_run=true
```

- `KEY=VALUE` chooses or changes; `-m` sweeps values that are separated by commas. A wrong word is one line on standard
  error with the nearest spelling, and exit code 2. Read it, and correct the word.
- Exit codes: 0 every row is an answer; 1 some row is an error, or a plan failed validation; 2 refused; 128 + N after
  signal N.
- A stopped sweep goes on with `python -m runner resume FOLDER`. Finished rows are never lost, and are not made again.
- Counts and plans are equal on all machines; only columns of time and memory differ.

Worlds: {worlds}.

Algorithms: {algorithms}.

`python -m runner --help` has the flags, `--help algorithm=NAME` the parameters of one entry.

## Commands

{commands}

## Files

| file | content |
|---|---|
| `metrics.csv` | the rows of a run, or of a cell of a sweep |
| `results.csv` | all rows of a sweep |
| `plans.jsonl` | the plan of each solved instance |
| `environment.json` | versions, the machine, the command |
| `repetitions.csv` | each search, if instances are searched several times |

Read them with `runner.read(FOLDER)`, which returns a DataFrame. The column `status` is one of {statuses}.
[All columns](metrics.md).

## Write your own

{doors}

`python -m runner new KIND NAME` writes a package whose tests pass. `plugins=[MODULE]` loads a module of the working
directory, and `plugins=[runner.examples.NAME]` an example.

## Check your work

1. `python -m runner check 'plugins=[MODULE]' world=NAME heuristic=NAME algorithm=NAME`: does each keep its rules?
2. `python -m runner audit 'plugins=[MODULE]' world=NAME heuristic=NAME`: is it admissible and consistent in every state
   of small instances? If not, the smallest counterexample is shown.
3. `python -m runner report latest`: what the data bear. Fewer than six common instances give no winner.
"""


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path and the content of each file."""
    yield DOCS / "SKILL.md", _skill()
    yield DOCS / "llms.txt", _index()


def _index() -> str:
    lines = [
        "# search-runner",
        "",
        "> A declarative experiment runner for heuristic search: one command, validated plans, CSV rows.",
    ]
    contents = (ROOT / "zensical.toml").read_text(encoding="utf-8").partition("nav = [")[2].partition("\n]\n")[0]
    section = ""
    for line in contents.splitlines():
        for title, page in _CONTENTS.findall(line):
            if not page:
                lines += ["", f"## {title}", ""]
                section = title
            else:
                lines += ["", "## Start", ""] if not section else []
                section = section or "Start"
                lines.append(f"- [{title}]({page}): {_first_sentence(DOCS / page)}")
    return "\n".join(lines) + "\n"


def _first_sentence(page: Path) -> str:
    """Return the first sentence of the first paragraph of a page, without links."""
    paragraphs = page.read_text(encoding="utf-8").split("\n\n")
    text = next(" ".join(each.split()) for each in paragraphs if re.match(r"[A-Za-z[]|`(?!``)", each))
    text = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text)
    return re.split(r"(?<=[\w)][.:])\s", text, maxsplit=1)[0].rstrip(":")


def _skill() -> str:
    names = {kind: dict.fromkeys(name for _, name, _ in registered_parts(kind)) for kind in ("world", "algorithm")}
    rows = (DOCS / "plugins.md").read_text(encoding="utf-8").partition("| to add |")[2].partition("\n\n")[0]
    doors = [line.split(" | ") for line in rows.splitlines()[2:]]
    return _SKILL.format(
        worlds=", ".join(f"`{each}`" for each in sorted(names["world"])),
        algorithms=", ".join(f"`{each}`" for each in sorted(names["algorithm"])),
        commands="\n".join(f"- `{name}`: {each.description}" for name, each in commands().items()),
        statuses=", ".join(f"`{each.name}`" for each in STATUSES),
        doors="\n".join(["| to add | it enters by |", "|---|---|", *(" | ".join(door[:2]) + " |" for door in doors)]),
    )
