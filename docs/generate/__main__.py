"""Write the files in conf/ of all entries, docs/reference/, tables of other pages, and published rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from runner.base import REFUSED, ROOT, SUCCESS, UserError, atomic_write, message, own_packages, suggest

own_packages.load()
from docs.generate import algorithms, atlas, conf, metrics, reference, summary  # noqa: E402

PARTS = {each.__name__.rpartition(".")[2]: each for each in (conf, reference, metrics, atlas, summary, algorithms)}


def main(arguments: Sequence[str]) -> int:
    """Write the chosen parts and pages, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PART|PAGE", help=f"{', '.join(PARTS)}, or a file; default all")
    parser.add_argument("--again", action="store_true", help="measure rows that are up to date, too")
    given = parser.parse_args(arguments)
    try:
        for file, content in _chosen(given.names or [*PARTS], given.again):
            if not file.exists() or file.read_text(encoding="utf-8") != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                with atomic_write(file) as out:
                    out.write(content)
                message(f"wrote {file.relative_to(ROOT)}")
    except UserError as error:
        message(f"error: {error}")
        return REFUSED
    return SUCCESS


def _chosen(names: Sequence[str], again: bool) -> Iterator[tuple[Path, str]]:
    """Yield the path and the content of each file of the chosen parts, and of each chosen file."""
    sources = {name: part.pages for name, part in PARTS.items()} | {"algorithms": partial(algorithms.updates, again)}
    files = [Path(name).resolve() for name in names if name not in PARTS]
    fast = {file: name for name in PARTS if name != "algorithms" for file, _ in sources[name]()} if files else {}
    owners = {**fast, algorithms.PAGE: "algorithms"}
    unknown = [name for name in names if name not in PARTS and Path(name).resolve() not in owners]
    if unknown:
        pages = (str(file.relative_to(ROOT)) for file in owners if file.suffix == ".md")
        raise UserError(f"'{unknown[0]}': no part, and no generated file{suggest(unknown[0], [*PARTS, *pages])}")
    for name, pages_of in sources.items():
        if name in names or name in (owners[file] for file in files):
            yield from (each for each in pages_of() if name in names or each[0] in (*files, algorithms.SAMPLES))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
