"""Command lines and tables of the benchmarks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Row = dict[str, Any]
"""Line of a table: values by column."""
Case = Callable[[int], list[Row]]
"""Benchmark: takes the number of repetitions and returns the lines of its table."""


def parser_of(
    description: str | None, cases: Sequence[str] = (), usual: Sequence[str] = (), repeated: str = ""
) -> argparse.ArgumentParser:
    """Make a parser of the common options.

    Parameters
    ----------
    description : str
        Docstring of the benchmark.
    cases, usual : sequence of str
        Names of all cases, and of those that run without ``--only``. Without cases there is no such option.
    repeated : str
        Names of the cases that ``--repeat`` concerns. Without them there is no such option.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    if cases:
        parser.add_argument("--only", nargs="+", choices=cases, default=usual, metavar="NAME", help=", ".join(cases))
    if repeated:
        parser.add_argument(
            "--repeat", type=int, default=3, help=f"number of runs ({repeated}); tables show the median"
        )
    return parser


def print_tables(description: str | None, cases: Mapping[str, Case], usual: Sequence[str], repeated: str = "") -> None:
    """Parse the command line, and print the tables of the chosen cases."""
    options = parser_of(description, list(cases), usual, repeated).parse_args()
    for name in options.only:
        show(title_of(name, cases[name]), cases[name](options.repeat if repeated else 1))


def title_of(name: str, case: Case) -> str:
    """Return the name of a case and the first line of its docstring."""
    return f"{name}: {(case.__doc__ or '').splitlines()[0].rstrip('.')}"


def show(title: str, rows: Sequence[Row]) -> None:
    """Print a table."""
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(*(Text(_shown(value)) for value in row.values()))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def expect(found: object, expected: object, what: str) -> None:
    """End the program if a result is wrong."""
    if found != expected:
        raise SystemExit(f"{what}: {found}, expected {expected}")
