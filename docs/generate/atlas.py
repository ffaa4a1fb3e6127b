"""Rows that come with the package: ours, from an archive, and the published ones, from the table beside the instances.

    python -m runner +experiment=korf1985 'label=search-runner 0.1.0' progress=false hydra.run.dir=korf1985
    python -m runner archive korf1985 --anonymous
    python -m docs.generate.atlas korf1985.zip
    python -m docs.generate

Ours have no times and no peaks of memory, which other machines cannot repeat.
"""

from __future__ import annotations

import csv
import dataclasses
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from runner.base import ROOT, Declared, atomic_write
from runner.features.archive.zip_files import unpack
from runner.features.atlas import ATLAS_FOLDER
from runner.machine import Usage
from runner.records import RecordFile, csv_line, read_rows

OURS, PUBLISHED = "search-runner", "published"
_TABLE = ROOT / "worlds" / "npuzzle" / "instances" / "korf100.csv"
_SEARCH = ("run_id", "world", "instance", "algorithm", "heuristic", "status", "limits", "parameters", "stack", "number")
"""Columns of ours that the published rows have, too: they are the same searches."""


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path of each published table, and its content."""
    folder = ATLAS_FOLDER / "korf1985"
    ours = list(read_rows(folder / OURS / RecordFile.METRICS))
    lines = [csv_line(ours[0])]
    with open(_TABLE, encoding="utf-8", newline="") as table:
        for row, published in zip(ours, csv.DictReader(table), strict=True):
            found = {name: row[name] for name in _SEARCH} | {
                "cost": published["optimal"],
                "length": published["optimal"],
                "initial_h": published["manhattan"],
                "generated": str(int(published["nodes"]) - 1),  # his count has the root
                "label": "Korf 1985",
            }
            lines.append(csv_line(found.get(name, "") for name in ours[0]))
    yield folder / PUBLISHED / RecordFile.METRICS, b"".join(lines).decode()


def write_ours(archive: Path) -> None:
    """Write the rows and records of an archive of a run, without what the machine decides."""
    folder = ATLAS_FOLDER / archive.stem / OURS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    unpack(archive, folder, RecordFile.matches)
    measured = [name for name, metric in Declared().all_metrics.items() if metric.unit == "s"]
    measured += [field.name for field in dataclasses.fields(Usage)]
    rows = [row | dict.fromkeys(measured, "") for row in read_rows(folder / RecordFile.METRICS)]
    with atomic_write(folder / RecordFile.METRICS, "wb") as out:
        out.writelines([csv_line(rows[0]), *(csv_line(row.values()) for row in rows)])


if __name__ == "__main__":
    write_ours(Path(sys.argv[1]))
