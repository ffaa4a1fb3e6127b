"""Pattern databases on disk: built once, checked, rebuilt if damaged, and written atomically."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import runner
from heuristics import tables
from heuristics.npuzzle import pattern_store
from heuristics.npuzzle.partitions import partition
from heuristics.npuzzle.pattern_store import TilePattern, ensure
from heuristics.tables import HEADER_BYTES
from runner.base.errors import UserError
from tests.runner_cli import Forked, rows, run
from worlds.npuzzle.rules import Puzzle, blank_first, blank_last

SMALL = TilePattern(3, 3, (1, 2, 3), 0)


@pytest.fixture(autouse=True)
def _empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tables, "cache_root", lambda: tmp_path)
    tables.verified().clear()
    pattern_store.table.cache_clear()
    yield
    tables.verified().clear()
    pattern_store.table.cache_clear()


def reports(pattern: TilePattern = SMALL) -> list[str]:
    """Return the descriptions that `ensure` reports."""
    titles: list[str] = []
    ensure(pattern, lambda title, share: titles.append(title))
    return titles


def builds(pattern: TilePattern = SMALL) -> bool:
    return any(title.startswith("pattern database of") for title in reports(pattern))


def test_a_table_is_built_once() -> None:
    assert builds()
    content = SMALL.stored.file.read_bytes()
    assert not builds()
    tables.verified().clear()
    assert not builds()
    assert SMALL.stored.file.read_bytes() == content
    assert len(content) == HEADER_BYTES + SMALL.size
    assert [path.name for path in SMALL.stored.file.parent.iterdir()] == [SMALL.stored.file.name]


@pytest.mark.parametrize(
    "damage", ["empty", "header", "deep", "truncated", "longer", "one bit", "of another pattern", "no JSON"]
)
def test_a_damaged_table_is_rebuilt(damage: str) -> None:
    ensure(SMALL, lambda *_: None)
    sound = SMALL.stored.file.read_bytes()
    tables.verified().clear()
    other = TilePattern(3, 3, (1, 2, 4), 0)
    ensure(other, lambda *_: None)
    flipped = bytearray(sound)
    flipped[HEADER_BYTES + 17] ^= 1
    broken = {
        "empty": b"",
        "header": sound[:100],
        "deep": b"[" * 4000 + sound[4000:],
        "truncated": sound[:-1],
        "longer": sound + b"x",
        "one bit": bytes(flipped),
        "of another pattern": other.stored.file.read_bytes(),
        "no JSON": b"\xff" * len(sound),
    }[damage]
    SMALL.stored.file.write_bytes(broken)
    assert builds()
    assert SMALL.stored.file.read_bytes() == sound


def test_a_full_disk_gives_one_line_and_leaves_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"pdb: No space left on device \([\d,]+ bytes are needed\)") as caught:
        ensure(SMALL, lambda *_: None)
    assert "\n" not in str(caught.value)
    assert list((tmp_path / "patterns").iterdir()) == []


def test_old_temporary_files_are_removed() -> None:
    folder = SMALL.stored.file.parent
    folder.mkdir()
    abandoned, other = folder / f".{SMALL.stored.file.name}.1234.tmp", folder / f".{SMALL.stored.file.name}.1235.tmp"
    for file in (abandoned, other):
        file.write_bytes(b"half")
    os.utime(abandoned, (0, time.time() - 3600))
    ensure(SMALL, lambda *_: None)
    assert (abandoned.exists(), other.exists(), SMALL.stored.file.exists()) == (False, True, True)


def test_several_processes_may_build_the_same_table_at_once(tmp_path: Path) -> None:
    pattern = TilePattern(3, 4, (1, 2, 4, 5, 6), 0)

    def build(_: list[str]) -> int:
        ensure(pattern, lambda *_: None)
        return 0

    running = [Forked(tmp_path, program=build) for _ in range(2)]
    assert [(process.communicate(), process.returncode) for process in running] == [(("", ""), 0)] * 2
    assert not builds(pattern)
    assert len(list((tmp_path / "patterns").iterdir())) == 1


@pytest.mark.parametrize(("size", "name", "tables"), [(3, "4-4", 2), (4, "5-5-5", 3), ("2x4", "4-3", 2)])
def test_symmetric_patterns_share_a_table(tmp_path: Path, size: object, name: str, tables: int) -> None:
    """Both goals share tables. The reflection shares them if its patterns are symmetric to those of the partition."""
    for goal in ("blank_first", "blank_last"):
        for where in runner.load("npuzzle/random", size=size, count=1, goal=goal):
            runner.heuristic(where, [{"name": "pattern_database", "partition": name}])
    assert len(list((tmp_path / "patterns").iterdir())) == tables


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ("7-9", "'7-9' does not cover the board: 16 tiles of 15 \\(4x4\\); for example: 5-5-5, 6-6-3, 7-8"),
        (
            "five",
            "'five' is not a partition; choose from: auto, 5-5-5, 6-6-3, 7-8, or any sizes of groups such as 6-6-3",
        ),
        ("5-5-05", "'5-5-05' is not a partition; did you mean '5-5-5'"),
        ("6-9", "a group of 9 tiles has 4,151,347,200 placements on 16 cells; at most 600,000,000"),
        ("11-4", "a group has at most 9 tiles, this one 11"),
        ([[1, 2], [2, 3]], "tile 2 is listed twice"),
        ([[1, 2], [3, 99]], "there is no tile 99; the tiles are 1 to 15"),
        ([[0, 1]], "there is no tile 0"),
        ([[1, 2, 3]], "does not cover the board: tile 4 is in no group"),
        ([[], list(range(1, 16))], "does not cover the board: a group is empty"),
    ],
)
def test_bad_partitions_are_refused_with_one_line(chosen: object, message: str) -> None:
    where = runner.load("npuzzle/korf100", instances=[1])[0]
    with pytest.raises(UserError, match=message) as caught:
        runner.solve(where, "astar", [{"name": "pattern_database", "partition": chosen}])
    assert "\n" not in str(caught.value)


def test_boards_of_more_than_64_cells_are_refused() -> None:
    where = runner.load("npuzzle/random", size=9, count=1)[0]
    with pytest.raises(UserError, match="at most 64 cells, this one has 81"):
        runner.solve(where, "astar", "pattern_database")


def test_named_partitions_equal_the_published_ones() -> None:
    first, last = Puzzle(4, 4, blank_first(16), blank_first(16)), Puzzle(4, 4, blank_last(16), blank_last(16))
    assert partition(first, "7-8") == [(1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)]
    assert partition(first, "5-5-5") == [(1, 2, 3, 6, 7), (4, 5, 8, 9, 12), (10, 11, 13, 14, 15)]
    assert sorted(sorted(group) for group in partition(last, "7-8")) == [list(range(1, 9)), list(range(9, 16))]
    large = Puzzle(5, 5, blank_first(25), blank_first(25))
    assert partition(large, "6-6-6-6")[0] == (1, 2, 5, 6, 7, 12)


@pytest.mark.parametrize(
    ("size", "sizes"), [((3, 3), [4, 4]), ((4, 4), [6, 6, 3]), ((5, 5), [5, 5, 5, 5, 4]), ((2, 2), [2, 1])]
)
def test_automatic_partitions_have_the_expected_sizes(size: tuple[int, int], sizes: list[int]) -> None:
    cells = size[0] * size[1]
    groups = partition(Puzzle(*size, blank_last(cells), blank_last(cells)), "auto")
    assert [len(group) for group in groups] == sizes


BOARDS = ("world=npuzzle/random", "world.size=3", "world.count=2", "heuristic=pattern_database")


def test_a_partition_that_does_not_fit_a_board_of_the_file_is_refused(tmp_path: Path) -> None:
    three, four = "1 2 3 4 5 6 7 0 8", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 0 15"
    for boards in ((three, four), (four, three)):
        (tmp_path / "boards.txt").write_text("\n".join(boards))
        where = ("world=npuzzle/file", "world.path=boards.txt", "heuristic=pattern_database")
        done = run(tmp_path, *where, "heuristic.partition=4-4", "hydra.run.dir=out")
        assert done.returncode == 2
        assert done.stderr == (
            "error: heuristic.partition: '4-4' does not cover the board: 8 tiles of 15 (4x4); "
            "for example: 5-5-5, 6-6-3, 7-8\n"
        )
        assert not (tmp_path / "out").exists()


def test_commands_build_reuse_and_refuse_tables(tmp_path: Path) -> None:
    done = run(tmp_path, *BOARDS, "hydra.run.dir=one")
    assert done.returncode == 0, done.stderr
    assert "building the pattern database of 4 tiles" in done.stderr
    again = run(tmp_path, *BOARDS, "heuristic.partition=5-3", "hydra.run.dir=two")
    assert again.returncode == 0, again.stderr
    assert rows(tmp_path / "two" / "metrics.csv")[0]["stack"] == "pattern_database(partition=5-3)"
    assert "building" not in run(tmp_path, *BOARDS, "hydra.run.dir=three").stderr
    for chosen, message in (
        ("heuristic.partition=5-5", "error: heuristic.partition: '5-5' does not cover the board"),
        ("heuristic.reflect=maybe", "error: heuristic.reflect: expected true or false, got"),
        ("heuristic.partiton=8", "did you mean 'partition'"),
    ):
        refused = run(tmp_path, *BOARDS, chosen, "hydra.run.dir=bad")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
        assert refused.stderr.count("\n") == 1
        assert not (tmp_path / "bad").exists()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a small file system")
def test_a_command_with_a_full_disk_ends_with_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tmp_path / "cache"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(small)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("no mounting here")
    monkeypatch.setattr(tables, "cache_root", lambda: small)
    try:
        done = run(tmp_path, *BOARDS, "heuristic.partition=8", "hydra.run.dir=out")
        assert done.returncode == 2, done.stderr
        assert "No space left on device" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "out").exists()
        assert [path for path in small.rglob("*") if path.is_file()] == []
    finally:
        subprocess.run(["umount", str(small)], check=False)


def test_a_table_is_mapped_into_memory() -> None:
    assert isinstance(pattern_store.table(TilePattern(3, 3, (1, 2, 5), 0)), np.memmap)
