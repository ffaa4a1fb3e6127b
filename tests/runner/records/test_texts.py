"""Texts of plug-ins in rows: any length and any characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.records.row import MAX_TEXT, escaped, shortened
from tests.plugins import install
from tests.runner_cli import rows, run


def unescaped(text: str) -> str:
    """Undo `escaped`."""
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


@pytest.mark.parametrize(
    "text", ["plain", "über", "a\nb", "a\\nb", "\0", "\udc80 x", "\u202e", "a\\", "\U0001f600", "\\x"]
)
def test_an_escaped_text_is_printable_and_can_be_restored(text: str) -> None:
    assert escaped(text).isprintable()
    assert unescaped(escaped(text)) == text


def test_a_long_text_is_shortened_in_the_middle() -> None:
    text = "a" * 1_000 + "b" * 200_000 + "c" * 300
    short = shortened(text)
    assert len(short) < MAX_TEXT + 60
    assert short.startswith("a" * 1_000)
    assert short.endswith("c" * 300)
    assert "199,300 characters left out" in short
    assert shortened("x" * MAX_TEXT) == "x" * MAX_TEXT


ERRORS = {
    "long": ("ValueError: xxx", "xxxx"),
    "unprintable": (r"ValueError: a\udc80b\x00c\nd", r"b\x00c\nd"),
    "without_text": ("WithoutText (its message cannot be shown)", "shown)"),
    "exit": ("SystemExit: bye", "bye"),
    "generator_exit": ("GeneratorExit: ", ": "),
    "interrupt": ("KeyboardInterrupt: ", ": "),
    "plain": ("Plain: ", ": "),
    "formula": ('ValueError: =1+1,"', '"'),
}
"""Beginning and end of the column `error`, for each exception of the plug-in `failing`."""


@pytest.mark.parametrize("error", ERRORS)
def test_every_exception_of_a_heuristic_is_a_row(tmp_path: Path, error: str) -> None:
    install(tmp_path, "failing")
    sweep, cave = (True, "unibz_w3") if len(error) % 2 else (False, "unibz_w1")
    heuristic = ("heuristic=failing", f"heuristic.error={error}", f"heuristic.cave={cave}")
    where = ("-m", "hydra.sweep.dir=out") if sweep else ("hydra.run.dir=out",)
    done = run(tmp_path, *where, "plugins=[failing]", *heuristic)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    table = tmp_path / "out" / ("results.csv" if sweep else "metrics.csv")
    found = rows(table)
    (failed,) = (row for row in found if row["status"] not in ("solved", "unsolvable"))
    begin, end = ERRORS[error]
    assert (failed["instance"], failed["status"], len(found)) == (cave, "error", 7)
    assert failed["error"].startswith(begin)
    assert failed["error"].endswith(end)
    assert len(table.read_text(encoding="utf-8").splitlines()) == 8
    if error == "long":
        log = next((tmp_path / "out").rglob("runner.log")).read_text(encoding="utf-8")
        assert "x" * 200_000 in log
        assert run(tmp_path, "report", "out", "--format", "csv", "--only", "summary").returncode == 0
    if sweep:
        assert run(tmp_path, "collect", "out").returncode == 1
        assert rows(table) == found


def test_actions_that_utf_8_cannot_encode_are_recorded_and_replayed(tmp_path: Path) -> None:
    install(tmp_path, "nameless")
    done = run(tmp_path, "plugins=[nameless]", "world=nameless", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert [(row["status"], row["valid"]) for row in rows(tmp_path / "out" / "metrics.csv")] == [("solved", "True")]
    (line,) = (tmp_path / "out" / "plans.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["actions"] == ["a\udc80\n"] * 2
    done = run(tmp_path, "replay", "out", "--delay", "0")
    assert done.returncode == 0, done.stderr
    assert "does not reach the goal" not in done.stderr
