"""Kill a writer between any two calls to its files, or in the middle of a write: no row is lost or repeated."""

from __future__ import annotations

import builtins
import itertools
import json
import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runner.base.result import NAMES
from runner.records import log as log_module
from runner.records.csv_table import read_rows
from runner.records.folder import SweepFolder
from runner.records.log import Log, LogWriter
from runner.records.run_folder import RecordFile
from runner.records.view import collect
from tests.runner.records.results import result, write

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork processes")
ROWS = [result(f"{number:012x}", plan=("MOVE", "TURN") * number, cost=number) for number in range(1, 4)]


class Dying:
    """File that kills its process at the call number `left`, counted over all files."""

    left = 0
    writes_half = False

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._file, name)
        return (lambda *arguments: self._call(name, method, arguments)) if callable(method) else method

    def _call(self, name: str, method: Any, arguments: tuple[Any, ...]) -> Any:
        Dying.left -= 1
        if Dying.left == 0:
            if name == "write" and Dying.writes_half:
                method(arguments[0][: len(arguments[0]) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return method(*arguments)


def write_missing(folder: Path, log: Log) -> None:
    """Write only the rows that are not finished, in another order, and settle the log, as a cell does."""
    finished = {log.numbers[row] for row in log.counted()}
    with closing(LogWriter(folder, NAMES)) as writer:
        for number, row in reversed(list(enumerate(ROWS))):
            if number not in finished:
                write(writer, row, number=number)
    log = Log(folder, with_parts=True)
    log.settle(NAMES, log.counted())


def opened(*arguments: Any, **keywords: Any) -> Dying:
    return Dying(builtins.open(*arguments, **keywords))


def dies_at(folder: Path, call: int, writes_half: bool) -> bool:
    """Write the missing rows in a process that is killed at a call. Return False if it ends before that call."""
    log = Log(folder, with_parts=True)
    process = os.fork()
    if process == 0:
        try:
            Dying.left, Dying.writes_half = call, writes_half
            vars(log_module)["open"] = opened
            write_missing(folder, log)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) != 0


@pytest.mark.parametrize(
    ("writes_half", "begins_with"),
    [
        (False, b"half a li"),
        (True, b""),
        pytest.param(False, b"", marks=pytest.mark.long),
        pytest.param(True, b"half a li", marks=pytest.mark.long),
    ],
)
def test_a_writer_that_is_killed_at_any_call_loses_and_repeats_no_row(
    tmp_path: Path, writes_half: bool, begins_with: bytes
) -> None:
    for call in itertools.count(1):
        folder = tmp_path / str(call) / "0"
        if begins_with:
            folder.mkdir(parents=True)
            for name in (RecordFile.METRICS, RecordFile.PLANS):
                (folder / name).write_bytes(begins_with)
        was_killed = dies_at(folder, call, writes_half)
        rows = folder / RecordFile.METRICS
        before = [row["run_id"] for row in read_rows(rows)] if rows.exists() else []
        assert set(before) == {row.run_id for row in ROWS[len(ROWS) - len(before) :]}
        write_missing(folder, Log(folder, with_parts=True))
        collect(SweepFolder(folder.parent))
        assert [(row["run_id"], row["cost"]) for row in read_rows(folder.parent / RecordFile.RESULTS)] == [
            (row.run_id, str(row.cost)) for row in ROWS
        ]
        assert len(list(read_rows(folder / RecordFile.METRICS))) == len(ROWS), "no row is repeated"
        plans = [json.loads(line) for line in (folder / RecordFile.PLANS).read_text().splitlines()]
        assert {plan["run_id"]: tuple(plan["actions"]) for plan in plans} == {row.run_id: row.plan for row in ROWS}
        if not was_killed:
            assert call > 4 * len(ROWS)
            break
