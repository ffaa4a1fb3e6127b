"""``runner evaluate``: one candidate as an object in JSON, many of them through a server, or a run of a tuner."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from rich.markup import escape
from rich.table import Table as TerminalTable

from runner.base import UserError, atomic_write, console, refuse_words, section_of_word, with_quoted_calls
from runner.config import ArgumentParser, Request, command
from runner.execution import Stop
from runner.features.generated import tuners
from runner.features.generated.candidates import words_of
from runner.features.generated.evaluation import Evaluator
from runner.features.generated.scores import SCORES

DEFAULTS = ("limits.time=10", "limits.memory=2GiB")
"""Overrides before those of the command, unless it chooses ``limits=NAME``."""
_LESS = "less is better"


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    result = ArgumentParser(
        prog="python -m runner evaluate",
        description="Search all instances with one candidate, in a process of its own with limits, and print an "
        "object: score, sums, and a row for each instance. A wrong candidate is an object, too; the exit code is 2 only"
        " if the request is wrong.",
    )
    result.add_argument(
        "overrides", nargs="*", default=[], metavar="KEY=VALUE",
        help=f"choices and values, as for a run; before them stand {' '.join(DEFAULTS)}",
    )  # fmt: skip
    result.add_argument("--json", action="store_true", help="print the object in one line of JSON, not a table")
    result.add_argument(
        "--score", choices=SCORES, default=SCORES[0],
        help=f"what the score is made of; {_LESS} (default: %(default)s, as the mean of log10(1 + count))",
    )  # fmt: skip
    result.add_argument(
        "--audit",
        action="store_true",
        help="also look for a state of the first three instances that refutes the heuristic",
    )
    result.add_argument(
        "--serve",
        action="store_true",
        help="read candidates from standard input, one a line, as further overrides, and answer each by a line of JSON",
    )
    result.add_argument(
        "--for", dest="tuner", choices=[*tuners.TUNERS], metavar="TUNER",
        help="irace or smac: take the arguments after -- as this tuner gives them, and print what it reads",
    )  # fmt: skip
    result.add_argument("--out", metavar="FILE", help="also write the object to a file")
    return result


@command(
    "evaluate", "evaluate a candidate: one line of JSON, a server for many, or a run of irace or SMAC",
    parser=parser, takes_run=True,
)  # fmt: skip
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code: 0 also if the candidate is wrong."""
    given = [*arguments]
    place = given.index("--") if "--" in given else len(given)
    options = parser().parse_intermixed_args(given[:place])
    if options.tuner is None and place < len(given):
        raise UserError("--: arguments of a tuner follow it; choose --for irace or --for smac")
    words, stop = [with_quoted_calls(word) for word in options.overrides], Stop()
    tuner = None if options.tuner is None else tuners.TUNERS[options.tuner]
    if tuner is not None:
        run = tuner.parse(given[place + 1 :], options.score)
        words = [*(word.replace("{seed}", run.seed) for word in words), *run.words]
    elif options.serve:
        _serve(_evaluator(words, options, stop), stop)
        return stop.exit_code
    found = _evaluated(words, options, stop)
    if options.out is not None:
        with atomic_write(Path(options.out)) as out:
            out.write(_line(found) + "\n")
    if tuner is None:
        print(_line(found)) if options.json else _show(found)
    elif not stop.requested:
        print(tuner.text(found, run))
    return stop.exit_code


def _evaluated(words: Sequence[str], options: Any, stop: Stop) -> dict[str, Any]:
    """Evaluate what the command describes. Only worlds and algorithms of plug-ins are imported in this process."""
    try:
        return _evaluator((), options, stop, words).evaluate(words)
    except UserError:
        if not any(section_of_word(word) == "plugins" for word in words):
            raise
        return _evaluator(words, options, stop).evaluate()


def _evaluator(words: Sequence[str], options: Any, stop: Stop, own: Sequence[str] = ()) -> Evaluator:
    """Return what evaluates candidates after some words. The default limits stand before them."""
    _refuse((*words, *own))
    has_choice = any(word.startswith("limits=") for word in (*words, *own))
    request = Request((*(() if has_choice else DEFAULTS), *words))
    return Evaluator(request, options.score, stop, audits=options.audit, keeps_kernels=options.serve)


def _refuse(words: Sequence[str]) -> None:
    refuse_words(words)
    for word in words:
        if section_of_word(word) == "hydra":
            raise UserError(f"{word}: evaluate writes no folder; --out FILE writes the object")


def _serve(evaluator: Evaluator, stop: Stop) -> None:
    """Answer each line of standard input by a line."""
    evaluator.warm()
    for line in sys.stdin:
        candidate = line.rstrip("\n")
        try:
            words = words_of(candidate, candidate)
            _refuse(words)
            found = evaluator.evaluate(words)
        except UserError as error:
            found = {"status": "refused", "score": None, "error": str(error).partition("\n")[0]}
        if stop.requested:
            return
        print(_line({"candidate": candidate, **found}), flush=True)


def _line(found: dict[str, Any]) -> str:
    return msgspec.json.encode(found).decode()


def _show(found: dict[str, Any]) -> None:
    """Print a table of the rows, and the sums."""
    names = ("id", "status", "cost", "expanded", "search_seconds", "error")
    table = TerminalTable(*names)
    for row in found["rows"]:
        place = f"{row['where']}: " if row["where"] else ""
        cells = {**row, "error": f"{place}{row['error']}" if row["error"] else ""}
        table.add_row(*("" if cells[name] is None else escape(str(cells[name])) for name in names))
    console().print(table)
    sums = f"{found['expanded']:,} expanded, {found['search_seconds']:.3g} s"
    print(f"{found['solved']} of {found['instances']} solved, {sums}")
    print(f"score ({found['metric']}, {_LESS}): {found['score']:.6g}")
    if found.get("counterexample"):
        print(found["counterexample"]["text"])
