"""Command ``python -m runner dataset``: write states with h_star and optimal actions to one file, to learn from."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from algorithms.engine import Limits
from runner.base import SUCCESS, UserError, message, plural, section_of_word, shown
from runner.cli import run_single
from runner.config import ArgumentParser, Request, command, run_parser, source_of
from runner.execution import Stop, Stopped
from runner.features.dataset.builder import TableBuilder
from runner.features.dataset.formats import FORMATS, check_out, write
from runner.features.dataset.table import StateTable

_WITHOUT_EFFECT = ("algorithm", "heuristic", "weighting")
_OF_PLANS = ("dataset", "hydra", "progress")
"""Sections that words may set where the plans of a folder are taken."""
_EXPERIMENTS = (".yaml", ".yml")


@dataclass(frozen=True)
class DatasetOptions:
    """Section `dataset` of a configuration."""

    states: Annotated[int, Meta(ge=1, le=10**8)] = 1_000_000


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = run_parser(
        "python -m runner dataset",
        "Write all states of small instances with h_star, successors and optimal actions to one file; or the states "
        "along the plans of finished runs, whose folders stand instead of a world.",
    )
    result.add_argument(
        "--out", metavar="FILE",
        help=f"write this file: {' or '.join(FORMATS)} (default: dataset.npz in outputs/dataset/...)",
    )  # fmt: skip
    return result


@command(
    "dataset",
    "write states with h_star and optimal actions to a file, to learn from",
    parser=parser,
    section=DatasetOptions,
    purpose="Write all states of small instances with h_star, successors and optimal actions to one file, to learn"
    " heuristics from; or the states along the plans of finished runs.",
    usage="python -m runner dataset world=NAME [KEY=VALUE ...] [--out FILE]\n"
    "python -m runner dataset FOLDER [dataset.states=N] [--out FILE]",
    noun="a dataset",
    more=(
        "Options: --out FILE (.npz or .parquet), dataset.states=N (maximum number of states in the file),",
        "limits.time=10s, limits.memory=4GiB (of the state space of one instance). FOLDER is of a run or a sweep.",
    ),
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    options, _ = parser().parse_known_intermixed_args(list(arguments))
    folders = [word for word in options.overrides if _is_folder(word)]
    rest = [word for word in arguments if word not in folders]
    return run_single("dataset", rest, partial(_dataset, folders))


def _is_folder(word: str) -> bool:
    """Return whether a word is no override and no experiment file."""
    return "=" not in word and not word.startswith(("~", "+")) and not word.lower().endswith(_EXPERIMENTS)


def _dataset(folders: Sequence[str], options: argparse.Namespace, given: Request) -> int:
    if options.out is not None:
        check_out(Path(options.out))
    for each in given.parsed:
        section = section_of_word(each.key_or_group)
        if folders and section not in _OF_PLANS:
            raise UserError(f"{each.input_line}: a dataset of plans takes the worlds of their runs; leave this out")
        if section in _WITHOUT_EFFECT:
            raise UserError(f"{each.input_line}: has no effect on a dataset, which is made without a search")
    single = given.composed()
    directory = single.composition.directory("run")
    out = Path(options.out) if options.out else directory / "dataset.npz"
    stop = Stop()
    builder = TableBuilder(single.section.states, stop, single.settings.progress)
    try:
        with stop.listening():
            if folders:
                builder.add_plans(folders)
            else:
                resolved = single.composition.resolved
                builder.add_spaces(source_of(resolved["world"]), Limits.of(resolved["limits"]))
            _write(out, builder.table)
    except Stopped:
        message("interrupted; nothing is written")
        return stop.exit_code
    table = builder.table
    counts = f"{plural(table.states, 'state')} of {plural(table.instances, 'instance')}"
    print(f"{counts}, {plural(table.steps, 'step')}: {shown(out)}", flush=True)
    return SUCCESS


def _write(out: Path, table: StateTable) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write(out, table.arrays())
    except OSError as error:
        raise UserError(f"--out: {out}: {error.strerror or error}") from None
