"""Valid and invalid cave files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.base.errors import UserError
from worlds.wumpus import formats
from worlds.wumpus.rules import Cave
from worlds.wumpus.sources import SUITES

GOOD = {"id": "w", "size": [4, 3], "hunters": [[0, 0, "E"]], "golds": [[2, 1]], "wumpuses": [[3, 2]], "pits": [[1, 1]]}


def load(tmp_path: Path, content: str | bytes, name: str = "cave.json") -> tuple[str, Cave]:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return formats.load(path)


def test_the_format_is_recognised_by_the_content(tmp_path: Path) -> None:
    expected = Cave((4, 3), (0, 0), "E", (2, 1), (0, 0), (3, 2), frozenset({(1, 1)}))
    assert load(tmp_path, json.dumps(GOOD), "any.txt") == ("w", expected)
    yaml_text = "id: w\nsize: [4, 3]\nhunters: [0, 0, E]\ngolds: [2, 1]\nwumpuses: [3, 2]\npits: [1, 1]\n"
    assert load(tmp_path, yaml_text, "any.json") == ("w", expected)
    text = "# a comment\n\ngold 3 2\nwumpus 4 3\nsize 4\npit 2 2\n"
    assert load(tmp_path, text, "some.yaml") == (
        "some",
        Cave((4, 4), (0, 0), "E", (2, 1), (0, 0), (3, 2), frozenset({(1, 1)})),
    )


def test_missing_fields_have_defaults_and_single_squares_need_no_list(tmp_path: Path) -> None:
    _, cave = load(tmp_path, '{"size": [2, 2], "hunters": [[0, 0]], "golds": [1, 1]}')
    assert cave == Cave((2, 2), (0, 0), "N", (1, 1), (0, 0))
    empty = '{"size": [2, 2], "hunters": [0, 0], "golds": [1, 1], "pits": [], "wumpuses": null, "blocks": null}'
    assert load(tmp_path, empty)[1] == cave
    _, cave = load(
        tmp_path, '{"size": [3, 3], "hunters": [[1, 1, "S"]], "golds": [1, 1], "exits": [2, 2], "blocks": [0, 0]}'
    )
    assert (cave.exit, cave.blocks, cave.facing) == ((2, 2), frozenset({(0, 0)}), "S")
    assert load(tmp_path, "wumpus 2 2\ngold 3 3\n", "w.txt")[1].size == (4, 4)


def test_all_caves_of_the_unibz_suite_load() -> None:
    loaded = [formats.load(path) for path in sorted((SUITES / "unibz").glob("*.json"))]
    assert [name for name, _ in loaded] == [f"unibz_w{n}" for n in range(1, 8)]


def changed(**fields: object) -> str:
    return json.dumps({**GOOD, **fields})


MERGE_BOMB = "m0: &m0 {k: 1}\n" + "".join(
    f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 10)}]}}\n" for n in range(1, 12)
)

BAD = {
    "not JSON": ("{size: [", "neither JSON nor YAML"),
    "not a mapping": ("[1, 2]", "expected a mapping"),
    "a number": ("17", "expected a mapping"),
    "prose": ("This is not a cave.", "expected a mapping"),
    "binary": (b"\xff\xfe\x00\x01", "not a text file"),
    "empty": ("", "empty"),
    "white space": (" \n\n", "empty"),
    "no gold": (changed(golds=[]), "golds: expected exactly one gold, got 0"),
    "gold missing": ('{"size": [2, 2], "hunters": [[0, 0]]}', "golds: missing; a cave .* size, hunters and golds"),
    "hunter missing": ('{"size": [2, 2], "golds": [[1, 1]]}', "hunters: missing"),
    "size missing": ('{"hunters": [[0, 0]], "golds": [[1, 1]]}', "size: missing"),
    "two golds": (changed(golds=[[1, 0], [2, 0]]), "golds: expected exactly one gold, got 2"),
    "two hunters": (changed(hunters=[[0, 0, "N"], [1, 0, "N"]]), "hunters: expected exactly one hunter, got 2"),
    "no hunter": (changed(hunters=[]), "hunters: expected exactly one hunter, got 0"),
    "two wumpuses": (changed(wumpuses=[[1, 0], [2, 0]]), "wumpuses: expected at most one wumpus, got 2"),
    "two exits": (changed(exits=[[1, 0], [2, 0]]), "exits: expected exactly one exit, got 2"),
    "outside": (changed(golds=[[4, 0]]), r"golds: \[4, 0\] is outside the 4 x 3 cave"),
    "negative": (changed(pits=[[-1, 0]]), r"pits: \[-1, 0\] is outside"),
    "pit under hunter": (changed(pits=[[0, 0]]), "pits: .* under the hunter"),
    "block under hunter": (changed(blocks=[[0, 0]]), "blocks: .* lies on hunters"),
    "wumpus on hunter": (changed(wumpuses=[[0, 0]]), "wumpuses: .* hunter's square"),
    "negative size": (changed(size=[-3, 3]), "size: width and height must be 1 to 1000, got -3 x 3"),
    "huge size": (changed(size=[10**9, 3]), "size: width and height"),
    "one side": (changed(size=[4]), r"size: expected \[width, height\]"),
    "a side": (changed(size=4), r"size: expected \[width, height\], got a number"),
    "no exit": (changed(exits=[]), "exits: expected exactly one exit, got 0"),
    "size as text": (changed(size="4x3"), "size: expected .* got a text"),
    "fractions": (changed(golds=[[1.5, 2]]), "golds: expected .* whole numbers"),
    "booleans": (changed(golds=[[True, 1]]), "golds: expected .* whole numbers"),
    "facing": (changed(hunters=[[0, 0, "Q"]]), "hunters: the facing must be one of"),
    "facings": (changed(hunters=[[0, 0, "NE"]]), "hunters: the facing must be one of"),
    "pits as text": (changed(pits="none"), "pits: expected a list"),
    "a triple": (changed(pits=[[1, 1, 1]]), "pits: expected"),
    "unknown field": (changed(pit=[[1, 1]]), "pit: unknown field; did you mean 'pits'"),
    "id": (changed(id=[1]), "id: expected a text"),
    "text: key": ("size 4\nwumpus 2 2\ngold 3 3\npits 1 2\n", "line 4: unknown key 'pits'; did you mean 'pit'"),
    "text: number": ("size 4\nwumpus 2\ngold 3 3\n", "line 2: wumpus takes 2 whole numbers"),
    "text: word": ("size four\n", "line 1: size takes 1 whole number"),
    "text: outside": ("wumpus 5 1\ngold 1 2\n", "line 1: wumpus .* outside the 4 x 4"),
    "text: start": ("wumpus 1 1\ngold 1 2\n", "line 1: wumpus on"),
    "text: no gold": ("size 4\nwumpus 2 2\n", "gold: expected exactly one, got 0"),
    "text: no wumpus": ("gold 2 2\n", "wumpus: expected exactly one, got 0"),
    "text: two golds": ("gold 2 2\ngold 2 3\nwumpus 2 2\n", "gold: expected exactly one, got 2"),
    "text: size twice": ("size 4\nsize 5\n", "line 2: size is given twice"),
    "text: zero": ("size 0\nwumpus 2 2\n", "line 1: size: width and height"),
    "surrogate in id": (
        '{"id": "\\ud800", "size": [2, 2], "hunters": [0, 0], "golds": [1, 1]}',
        "id: expected .* printable",
    ),
    "new line in id": (changed(id="a\nb"), "id: expected .* printable"),
    "empty id": (changed(id=""), "id: expected .* printable"),
    "a key twice": ('{"size": [2, 2], "size": [3, 3]}', "size: given twice"),
    "wrong YAML tag": ("size: !!bool x\n", "neither JSON nor YAML"),
    "python in YAML": ("size: !!python/object/apply:os.system [ls]\n", "neither JSON nor YAML"),
    "bomb": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9))
        + "size: *j\n",
        "aliases .* not allowed",
    ),
    "merge bomb": (MERGE_BOMB, "aliases .* not allowed"),
    "deep": ("[" * 100_000, "neither JSON nor YAML|expected a mapping"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_bad_files_get_one_line_that_names_file_and_field(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        load(tmp_path, content)
    assert str(caught.value).startswith(str(tmp_path / "cave.json"))
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    assert load(tmp_path, b"\xef\xbb\xbfwumpus 2 2\ngold 3 3\n")[1].gold == (2, 2)
