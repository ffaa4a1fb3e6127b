"""Compare two versions on every documented command: ``python -m tests.documented --against COMMIT``.

Each run and sweep of the documentation starts once with the code of this checkout and once with that of a commit, in
folders of their own, and ends after its first rows (`ROWS`) or ``--seconds``. Rows of the same search must be equal in
all columns that both versions have, but for those that the machine or the code decides. Each command also starts with
``dry_run=true``: what it prints and its exit code must be equal. Differences are printed, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import csv
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from runner.config.doors.commands import COMMANDS
from runner.records.run_folder import RecordFile
from tests.runner_cli import MEASURED, ROOT
from tests.test_documentation import BLOCK, CAVE, FILE, PAGES, commands, name_of, write_file

ROWS = 20
DECIDED_ELSEWHERE = {*MEASURED, "code", "core", "measured_by", "repetitions"}
"""Columns that may differ: of the machine, and the fingerprint of the code."""
ENDED_BY_TIME = ("time_limit", "cpu_limit", "interrupted")


class Documented(NamedTuple):
    """Command of a page."""

    page: Path
    words: tuple[str, ...]


def documented() -> list[Documented]:
    """Return the runs and sweeps of all pages, each once."""
    found: dict[tuple[str, ...], Documented] = {}
    for page in PAGES:
        for reason, language, content in BLOCK.findall(page.read_text(encoding="utf-8")):
            for words in commands(content) if language == "sh" and not reason else ():
                is_run = not words or words[0] not in COMMANDS.names()
                if is_run and not {"--help", "--cfg", "dry_run=true"}.intersection(words):
                    found.setdefault(tuple(words), Documented(page, tuple(words)))
    return list(found.values())


def rows_of(code: Path, each: Documented, seconds: float) -> dict[tuple[str, str], dict[str, str]]:
    """Return the first rows of a command by cell and `run_id`."""
    with tempfile.TemporaryDirectory() as name:
        folder = written(each.page, Path(name))
        out = folder / "out"
        process = started(code, folder, [*each.words, f"hydra.run.dir={out}", f"hydra.sweep.dir={out}"])
        end = time.monotonic() + seconds
        while process.poll() is None and time.monotonic() < end and len(list(read(out))) < ROWS:
            time.sleep(0.2)
        process.terminate()  # SIGINT is ignored below a script in the background
        process.communicate()
        return {(cell, row["run_id"]): row for cell, row in read(out) if row["status"] not in ENDED_BY_TIME}


def dry_run(code: Path, each: Documented) -> str:
    """Return what a command prints with ``dry_run=true``, and its exit code."""
    with tempfile.TemporaryDirectory() as name:
        folder = written(each.page, Path(name))
        process = started(code, folder, [*each.words, "dry_run=true", "hydra.run.dir=out", "hydra.sweep.dir=out"])
        out, _ = process.communicate()
        return f"{out.replace(str(folder), 'FOLDER')}exit code {process.returncode}"


def written(page: Path, folder: Path) -> Path:
    """Write the files of a page into a folder, and return it."""
    assert CAVE is not None
    (folder / "my_caves").mkdir()
    (folder / "my_caves" / f"cave{CAVE.suffix}").write_text(CAVE.text, encoding="utf-8")
    for _, _, content in BLOCK.findall(page.read_text(encoding="utf-8")):
        if (name := FILE.match(content)) is not None:
            write_file(folder, name[1], content)
    return folder


def started(code: Path, folder: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    """Start a command with the packages of a checkout."""
    return subprocess.Popen(
        [sys.executable, "-m", "runner", *words], cwd=folder, env={**os.environ, "PYTHONPATH": str(code)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def read(out: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the complete rows of a run or of the cells of a sweep."""
    for file in sorted(out.rglob(RecordFile.METRICS)):
        with open(file, encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(line for line in lines if line.endswith("\n")):
                yield file.parent.relative_to(out).as_posix(), row


def differences(each: Documented, mine: Path, other: Path, seconds: float) -> tuple[int, list[str]]:
    """Return the number of rows that were compared, and what differs."""
    found = [
        f"dry run:\n{new}\n--- before:\n{old}"
        for new, old in [(dry_run(mine, each), dry_run(other, each))]
        if new != old
    ]
    now, before = rows_of(mine, each, seconds), rows_of(other, each, seconds)
    common = [key for key in before if key in now]
    if bool(now) != bool(before):
        found.append(f"{len(now)} rows, {len(before)} before")
    for key in common:
        columns = {name for name in now[key].keys() & before[key].keys() if not name.endswith("_seconds")}
        columns -= DECIDED_ELSEWHERE
        changed = sorted(name for name in columns if now[key][name] != before[key][name])
        found += [f"{key}: {name}: {now[key][name]!r}, before {before[key][name]!r}" for name in changed]
    return len(common), found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", required=True, metavar="COMMIT")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="time for each command (default: 20)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only commands and pages with this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        other = Path(name)
        archive = subprocess.run(["git", "archive", options.against], cwd=ROOT, capture_output=True, check=True)
        subprocess.run(["tar", "-x"], cwd=other, input=archive.stdout, check=True)
        chosen = [each for each in documented() if options.only in f"{name_of(each.page)} {shlex.join(each.words)}"]
        compared = different = 0
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for each, (rows, found) in zip(
                chosen,
                pool.map(partial(differences, mine=ROOT, other=other, seconds=options.seconds), chosen),
                strict=True,
            ):
                compared += rows
                different += bool(found)
                print(f"{name_of(each.page)}: {shlex.join(each.words)}: {rows} rows", *found, sep="\n  ", flush=True)
    print(f"{len(chosen)} commands, {compared} rows compared, {different} commands differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
