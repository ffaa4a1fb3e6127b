"""What benchmarks with several tables share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.engine import show

Row = dict[str, Any]
Case = Callable[[int], list[Row]]


def expect(found: object, expected: object, what: str) -> None:
    """End the program if a result is not what it must be."""
    if found != expected:
        raise SystemExit(f"{what}: {found}, expected {expected}")


def print_tables(description: str | None, cases: Mapping[str, Case], usual: Sequence[str], repeated: str) -> None:
    """Read ``--only`` and ``--repeat`` from the command line, and print the tables of the chosen cases."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=cases, default=usual, metavar="NAME", help=", ".join(cases))
    parser.add_argument("--repeat", type=int, default=3, help=f"runs of which the median is shown ({repeated})")
    options = parser.parse_args()
    for name in options.only:
        show(name, cases[name](options.repeat))
