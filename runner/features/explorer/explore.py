"""Command ``python -m runner explore``: record a search, and write a page that plays it, an animation, or its trace."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from algorithms.engine import Counts
from algorithms.interface import ALGORITHMS
from algorithms.programs.interface import ExternalPlanner
from runner.base import SUCCESS, UserError, message, reason, refuse_words, shown, suggest
from runner.cli import TerminalProgress, run_single
from runner.config import ArgumentParser, Cell, Request, command, run_parser
from runner.execution import Stop, Stopped
from runner.features.explorer.animation import add_picture_options, parsed_size
from runner.features.explorer.exploration import FORMATS, MAX_STATES, Exploration, check_format
from runner.features.explorer.planned import record
from runner.features.explorer.recorder import Recording
from worlds.interface import Instance, Source

_MAX_LISTED = 30
_COMMON = ("world", "plugins", "explore", "hydra")
"""Sections in which two searches cannot differ."""


@dataclass(frozen=True)
class ExploreOptions:
    """Section `explore` of a configuration."""

    states: Annotated[int, Meta(ge=0, le=10**8)] = MAX_STATES


def parser() -> ArgumentParser:
    """Return the parser of the options."""
    result = run_parser(
        "python -m runner explore",
        "Record a search, and write a page that plays it, or an animation. Takes the words of a run, which choose the "
        "search.",
    )
    result.add_argument("--instance", metavar="ID", help="instance to search (default: the first of the world)")
    result.add_argument(
        "--out", metavar="FILE",
        help="write this file: .html, or .gif, .svg or .mp4 for an animation, .png or .pdf for a picture (default: a "
        "page in outputs/explore/...)",
    )  # fmt: skip
    add_picture_options(result, "expansions")
    result.add_argument("--format", choices=[*FORMATS], default="page", help="page, trace (JSON lines) or posthoc")
    result.add_argument(
        "--against", metavar="'KEY=VALUE ...'", help="show a second search beside it, with these changes"
    )
    return result


@command(
    "explore",
    "write a page that plays a search, or its trace",
    parser=parser,
    section=ExploreOptions,
    purpose="Record a search of one instance, and write a page that plays it: the order of expansions on the map or in"
    " the search tree, the open and closed nodes, and g, h, f and h* of every node. Needs a browser, and no "
    "network.",
    usage="python -m runner explore world=NAME [algorithm=NAME] [heuristic=NAME] [KEY=VALUE ...]",
    noun="an exploration",
    instead_of_sweep=" (--against 'KEY=VALUE' shows a second search)",
    more=(
        "Options: --instance ID (default: the first), --out FILE, --format page|trace|posthoc (trace: JSON lines),",
        "--against 'KEY=VALUE ...' (a second search beside it, with these changes), explore.states=N (compute h* up to",
        "so many reachable states), limits.nodes=N (expansions to record, default 1,000,000).",
        "Result: a file in outputs/explore/...; another folder: hydra.run.dir=...",
    ),
)
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run_single("explore", arguments, _explore)


def _explore(options: argparse.Namespace, given: Request) -> int:
    size = parsed_size(options.size)
    is_animation = check_format(
        Path(options.out or "explore.html"), options.format, 1 if options.against is None else 2
    )
    if not is_animation and (size is not None or options.step is not None):
        raise UserError("--size, --step: only for animations and pictures, such as --out search.png")
    single = _adapted(given).composed()
    cells = [single.cell()]
    if options.against is not None:
        cells.append(_adapted(_changed(given, options.against)).composed().cell())
    instance = _instance(cells[0].source, options.instance)
    out = (
        Path(options.out) if options.out else single.composition.directory("run") / f"explore{FORMATS[options.format]}"
    )
    stop = Stop()
    try:
        with stop.listening(), TerminalProgress(str(cells[0].stack), len(cells), single.settings.progress) as progress:
            recordings = [_recorded(each, instance, stop, progress) for each in cells]
            exploration = Exploration(recordings, single.section.states, lambda _: stop.check())
            _write(exploration, out, options.format, size, options.step)
    except Stopped:
        message("interrupted; nothing is written (limits.nodes=N or limits.time=10s ends a long search)")
        return stop.exit_code
    for recording in recordings:
        print(recording.summary)
    print(f"{instance.id}: {shown(out)}", flush=True)
    return SUCCESS


def _adapted(given: Request) -> Request:
    """Return the request without the default of `limits.nodes` if it is of a program, which cannot keep it."""
    with given.locating():
        name = str(given.single.resolved["algorithm"]["name"])
    is_given = any(each.key_or_group == "limits.nodes" for each in given.parsed)
    if is_given or name not in ALGORITHMS.names() or not issubclass(ALGORITHMS.find(name), ExternalPlanner):
        return given
    return replace(given, overrides=("limits.nodes=null", *given.overrides))


def _changed(given: Request, against: str) -> Request:
    """Return the request with the changes of the second search. A changed group loses the values of the first."""
    try:
        words = shlex.split(against)
    except ValueError as error:
        raise UserError(f"--against: {error}: {against}") from None
    if not words:
        raise UserError("--against: expected KEY=VALUE, got nothing")
    refuse_words(words)
    changed = [each.key_or_group for each in Request(tuple(words)).parsed]
    for key in changed:
        if key.partition(".")[0] in _COMMON:
            raise UserError(f"--against: {key} cannot be changed; both searches are of one instance")
    kept = [
        str(each.input_line)
        for each in given.parsed
        if not any(each.key_or_group == key or each.key_or_group.startswith(f"{key}.") for key in changed)
    ]
    return replace(given, overrides=(*kept, *words))


def _instance(source: Source, name: str | None) -> Instance:
    """Return an instance by its id; without one, the first."""
    if name is None:
        return next(iter(source.instances()))
    ids = []
    for instance in source.instances():
        if instance.id == name:
            return instance
        ids.append(instance.id)
    near = (
        suggest(name, ids[:_MAX_LISTED]) if len(ids) <= _MAX_LISTED else f" among {len(ids):,}; the first is {ids[0]}"
    )
    raise UserError(f"--instance: there is no instance '{name}'{near}")


def _recorded(cell: Cell, instance: Instance, stop: Stop, progress: TerminalProgress) -> Recording:
    cell.stack.build(instance, progress.show_building)

    def watch(counts: Counts) -> bool:
        progress.show(f"{counts.expanded:,} expanded")
        return stop.requested

    recording = record(instance, cell.algorithm, cell.stack, cell.weighting, cell.limits, watch)
    stop.check()
    progress.advance()
    return recording


def _write(exploration: Exploration, out: Path, format: str, size: tuple[int, int] | None, step: int | None) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        exploration.save(out, format, size=size, step=step)
    except OSError as error:
        raise UserError(f"--out: {reason(error, out)}") from None
