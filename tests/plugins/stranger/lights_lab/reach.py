"""Command `reach`, with a section: count the states within a distance from the start."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from runner.plugin import ArgumentParser, Request, command, run_parser, run_single, source_of


@dataclass(frozen=True)
class Reach:
    """Section `reach` of a configuration."""

    depth: Annotated[int, Meta(ge=0, le=100)] = 3


def parser() -> ArgumentParser:
    """Return the parser of the words."""
    result = run_parser("python -m runner reach", "Count the states within a distance from the start.")
    result.add_argument("--bare", action="store_true", help="print the number alone")
    return result


@command(
    "reach", "count the states within a distance from the start", parser=parser, section=Reach,
    purpose="Count the states within a distance from the start of the first instance.",
    usage="python -m runner reach world=NAME [reach.depth=N]",
)  # fmt: skip
def main(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code."""
    return run_single("reach", arguments, _reach)


def _reach(options: argparse.Namespace, request: Request) -> int:
    composition, _, section = request.composed()
    instance = next(iter(source_of(composition.resolved["world"]).instances()))
    seen = layer = {instance.world.initial()}
    for _ in range(section.depth):
        layer = {successor for state in layer for _, successor, _ in instance.world.successors(state)} - seen
        seen = seen | layer
    print(len(seen) if options.bare else f"{instance.id}: {len(seen)} states within {section.depth} steps")
    return 0
