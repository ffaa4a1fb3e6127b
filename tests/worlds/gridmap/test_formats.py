"""Files of maps and scenarios: forms that are accepted, and one line for each mistake."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import runner
from runner.base.errors import UserError
from runner.base.files import MAX_BYTES
from tests.gridmaps import any_maps
from worlds.gridmap import formats

MAP = "type octile\nheight 2\nwidth 3\nmap\n.G@\nSTW\n"
ENTRY = "3\tmaps/a.map\t3\t2\t0\t0\t1\t0\t1"
SCENARIO = f"version 1\n{ENTRY}\n"


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def error_of_map(tmp_path: Path, text: str) -> str:
    with pytest.raises(UserError) as caught:
        formats.load_map(written(tmp_path / "a.map", text))
    return message_of(caught.value, tmp_path / "a.map")


def error_of_scenario(tmp_path: Path, text: str) -> str:
    written(tmp_path / "a.map", MAP)
    with pytest.raises(UserError) as caught:
        runner.load("gridmap/scenario", path=str(written(tmp_path / "a.map.scen", text)))
    return message_of(caught.value, tmp_path / "a.map.scen")


def message_of(error: UserError, file: Path) -> str:
    text = str(error)
    assert text.isprintable()
    return text.removeprefix(f"{file}: ")


@pytest.mark.parametrize(
    "same", [MAP, MAP.rstrip(), MAP.replace("\n", "\r\n"), f"\ufeff{MAP}", f"{MAP}\n\n", MAP.replace("ht 2", "ht\t2 ")]
)
def test_maps_are_read(tmp_path: Path, same: str) -> None:
    assert formats.load_map(written(tmp_path / "a.map", same)) == (".G@", "STW")


def test_maps_and_scenarios_have_the_bound_of_all_text_files_and_are_texts(tmp_path: Path) -> None:
    for name, load in (("a.map", formats.load_map), ("a.scen", formats.load_scenario)):
        (tmp_path / name).write_bytes(b"\xff\xfe\x00")
        with pytest.raises(UserError, match="not a text file"):
            load(tmp_path / name)
        os.truncate(tmp_path / name, MAX_BYTES + 1)
        with pytest.raises(UserError, match="too large \\(more than 16 MiB\\)"):
            load(tmp_path / name)


def test_width_may_come_before_height(tmp_path: Path) -> None:
    text = MAP.replace("height 2\nwidth 3", "width 3\nheight 2")
    assert formats.load_map(written(tmp_path / "a.map", text)) == (".G@", "STW")


def test_maps_are_written_and_read_again(tmp_path: Path) -> None:
    for grid in any_maps("written", 20):
        assert formats.load_map(written(tmp_path / "a.map", formats.dump_map(grid.rows))) == grid.rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the four lines 'type octile', 'height H', 'width W', 'map' at the top"),
        (MAP.replace("octile", "tile"), "line 1: expected the four lines"),
        (MAP.replace("map\n", "mop\n"), "line 1: expected the four lines"),
        (SCENARIO, "line 1: expected the four lines"),
        (MAP.replace("height 2", "height two"), "line 2: expected 'height H' and 'width W', got 'height two'"),
        (MAP.replace("width 3", "width 3 4"), "line 3: expected 'height H' and 'width W', got 'width 3 4'"),
        (MAP.replace("width 3", "wide\x1b[1m 3"), "line 3: expected 'height H' and 'width W', got 'wide\\x1b[1m 3'"),
        (MAP.replace("width 3", "height 3"), "line 3: expected 'height H' and 'width W'"),
        (MAP.replace("height 2", "height \u0662"), "line 2: expected 'height H' and 'width W'"),
        (MAP.replace("height 2", "height 0"), "line 2: height: expected 1 to 8192, got 0"),
        (MAP.replace("width 3", "width 8193"), "line 3: width: expected 1 to 8192, got 8193"),
        (MAP.replace("height 2", "height 3"), "line 6: expected 3 rows below 'map', got 2"),
        (MAP.replace(".G@", ".G"), "line 5: expected 3 characters, got 2"),
        (MAP.replace("STW", "STW."), "line 6: expected 3 characters, got 4"),
        (MAP.replace("STW", "S#W"), "line 6: unknown terrain '#'; choose from . G S W @ O T"),
        (MAP.replace(".G@", "\u202e.."), "line 5: unknown terrain '\\u202e'; choose from"),
        (MAP + "...\n", "line 7: more than 2 rows"),
    ],
)
def test_bad_maps_are_refused_with_one_line(tmp_path: Path, text: str, message: str) -> None:
    assert error_of_map(tmp_path, text).startswith(message)


@pytest.mark.parametrize(
    "same",
    [
        SCENARIO,
        SCENARIO.rstrip(),
        SCENARIO.replace("version 1", "version 1.0"),
        SCENARIO.replace("\n", "\r\n"),
        SCENARIO.replace("\t", "  "),
        SCENARIO.replace("\n3", "\n\n3") + "\n",
        SCENARIO.replace("\t1\n", "\t1.00000000\t\n"),
        SCENARIO.replace("maps/a.map", "C:\\maps of mine\\a.map"),
        SCENARIO.replace("maps/a.map", "../../a.map"),
    ],
)
def test_scenarios_are_read(tmp_path: Path, same: str) -> None:
    written(tmp_path / "a.map", MAP)
    (instance,) = runner.load("gridmap/scenario", path=str(written(tmp_path / "a.map.scen", same)))
    assert instance.id == "a#1"
    result = runner.solve(instance)
    assert (result.cost, result.agrees, result.published_length, result.bucket) == (1, True, 1.0, 3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected 'version 1' at the top of a scenario, got an empty file"),
        (ENTRY, "line 1: expected 'version 1' at the top of a scenario, got '3\\tmaps/a.map"),
        (MAP, "line 1: expected 'version 1' at the top of a scenario, got 'type octile'"),
        (SCENARIO.replace("\t1\n", "\n"), "line 2: expected 9 fields (bucket, map, width, height, start x, start y,"),
        (SCENARIO.replace("\t1\n", "\t1\t1\n"), "line 2: expected 9 fields"),
        (SCENARIO.replace("maps/a", "my maps/a").replace("\t", " "), "line 2: expected 9 fields"),
        (SCENARIO.replace("\n3", "\n\nx"), "line 3: bucket: expected a whole number, got 'x'"),
        (SCENARIO.replace("\t0\t0\t", "\t0\t0.5\t"), "line 2: start y: expected a whole number, got '0.5'"),
        (
            SCENARIO.replace("\t0\t0\t", "\t0\t" + "9" * 400 + "\t"),
            "line 2: start y: expected a whole number, got '999",
        ),
        (SCENARIO.replace("\t1\n", "\tnan\n"), "line 2: length: expected a number of at least 0, got 'nan'"),
        (SCENARIO.replace("\t1\n", "\t-1\n"), "line 2: length: expected a number of at least 0, got '-1'"),
        (SCENARIO.replace("\t1\n", "\tfar\n"), "line 2: length: expected a number of at least 0, got 'far'"),
        (
            SCENARIO.replace("\t3\t2\t", "\t6\t4\t"),
            "line 2: the map should have 6 x 4, but a has 3 x 2 cells; maps are not scaled",
        ),
        (SCENARIO.replace("\t0\t0\t", "\t2\t0\t"), "line 2: the start (2, 0) is an obstacle (@) of a"),
        (SCENARIO.replace("\t1\t0\t", "\t1\t1\t"), "line 2: the goal (1, 1) is an obstacle (T) of a"),
        (SCENARIO.replace("\t1\t0\t", "\t1\t-1\t"), "line 2: the goal (1, -1) is outside of a"),
        (
            SCENARIO.replace("\t3\t2\t", "\t2\t3\t"),
            "line 2: the map should have 2 x 3, but a has 3 x 2 cells; are width and height swapped?",
        ),
        (
            SCENARIO.replace("\t0\t0\t1\t0\t", "\t1\t2\t0\t0\t"),
            "line 2: the start (1, 2) is outside of a; are x and y swapped?",
        ),
        (SCENARIO.replace("a.map", "b.map"), "line 2: there is no map '"),
        (SCENARIO.replace("a.map", "b" * 5000), "line 2: there is no map '"),
        (SCENARIO.replace("a.map", "\x1b[1m\x00"), "line 2: there is no map '"),
        (SCENARIO.replace("maps/a.map", "/"), "line 2: there is no map '"),
    ],
)
def test_bad_scenarios_are_refused_with_one_line(tmp_path: Path, text: str, message: str) -> None:
    assert error_of_scenario(tmp_path, text).startswith(message)
