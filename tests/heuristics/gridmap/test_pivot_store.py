"""Tables of distances on disk: made once for a map, checked, replaced if corrupt, and limited in size."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from heuristics import tables
from heuristics.gridmap import pivot_store, pivot_table
from heuristics.gridmap.pivot_store import table_of
from heuristics.gridmap.pivot_table import Distances
from heuristics.tables import HEADER_BYTES, limit_folder, verified
from tests.gridmaps import instance
from worlds.gridmap.rules import ROOT_2, GridMap

ROWS = ("....", ".@@.", "....")


@pytest.fixture(autouse=True)
def _empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tables, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(tables, "MIN_STORED", 1)
    verified().clear()
    yield
    verified().clear()


def loaded(
    pivots: pivot_store.Pivots = 2, rows: tuple[str, ...] = ROWS, *, diagonal: float | None = ROOT_2
) -> Distances:
    """Return the table of a new map, as another process would."""
    where = instance(GridMap("test", rows, diagonal))
    return table_of(where.problem(), where.world.shared, pivots, lambda *_: None)


def files(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "pivots").iterdir())


def test_a_table_is_computed_once_for_equal_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = loaded()
    assert not isinstance(first, np.memmap)
    (file,) = files(tmp_path)
    assert file.stat().st_size == HEADER_BYTES + first.nbytes
    monkeypatch.setattr(pivot_table, "dijkstra", None)  # a second computation would fail
    for _ in range(2):
        again = loaded()
        assert isinstance(again, np.memmap)
        assert (again == first).all()


def test_other_maps_moves_and_pivots_have_files_of_their_own(tmp_path: Path) -> None:
    for number, make in enumerate(
        (
            lambda: loaded(),
            lambda: loaded(3),
            lambda: loaded(((0, 0), (3, 2))),
            lambda: loaded(((3, 2), (0, 0))),
            lambda: loaded(diagonal=None),
            lambda: loaded(rows=("....", ".@..", "....")),
        ),
        1,
    ):
        make()
        assert len(files(tmp_path)) == number


def test_a_corrupt_table_is_replaced(tmp_path: Path) -> None:
    """All kinds of damage are in tests/heuristics/npuzzle/test_pattern_store.py."""
    first = loaded()
    (file,) = files(tmp_path)
    sound = file.read_bytes()
    loaded(rows=("....", ".@..", "...."))
    (other,) = {*files(tmp_path)} - {file}
    for broken in (sound[:-1], other.read_bytes()):
        file.write_bytes(broken)
        verified().clear()
        assert (loaded() == first).all()
        assert file.read_bytes() == sound


def test_a_removed_file_is_computed_again(tmp_path: Path) -> None:
    first = loaded()
    loaded()  # verified
    files(tmp_path)[0].unlink()
    assert (loaded() == first).all()
    assert len(files(tmp_path)) == 1


def test_a_table_that_cannot_be_written_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert loaded().shape == (12, 2)
    assert files(tmp_path) == []


def test_small_tables_are_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MIN_STORED", 1000)
    loaded()
    assert not (tmp_path / "pivots").exists()


def test_the_table_of_a_map_is_shared_by_its_problems() -> None:
    where = instance(ROWS)
    tables = [table_of(where.problem(), where.world.shared, 2, lambda *_: None) for _ in range(2)]
    assert tables[0] is tables[1]


def test_the_folder_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded()
    (oldest,) = files(tmp_path)
    os.utime(oldest, (1000, 1000))
    loaded(3)
    (newer,) = {*files(tmp_path)} - {oldest}
    os.utime(newer, (2000, 2000))
    verified().clear()
    loaded()  # now `newer` was not used for the longest time
    monkeypatch.setattr(tables, "MAX_FOLDER", oldest.stat().st_size * 2 + 100)
    loaded(((0, 0), (0, 1)))
    assert oldest in files(tmp_path)
    assert newer not in files(tmp_path)
    limit_folder(tmp_path / "pivots", 0)
    assert files(tmp_path) == []
    limit_folder(tmp_path / "nowhere", 0)
