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


def test_every_exception_of_a_heuristic_is_a_row(tmp_path: Path) -> None:
    install(tmp_path, "failing")
    failing = ("plugins=[failing]", "heuristic=failing")
    errors = f"heuristic.error={','.join(ERRORS)}"
    done = run(tmp_path, "-m", *failing, errors, "heuristic.cave=unibz_w3", "hydra.sweep.dir=out")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    table = tmp_path / "out" / "results.csv"
    found = rows(table)
    failed = [row for row in found if row["status"] not in ("solved", "unsolvable")]
    assert [(row["instance"], row["status"]) for row in failed] == [("unibz_w3", "error")] * len(ERRORS)
    for row, (begin, end) in zip(failed, ERRORS.values(), strict=True):
        assert row["error"].startswith(begin)
        assert row["error"].endswith(end)
    assert len(table.read_text(encoding="utf-8").splitlines()) == 1 + len(found) == 1 + 7 * len(ERRORS)
    log = next((tmp_path / "out" / "0").rglob("runner.log")).read_text(encoding="utf-8")
    assert "x" * 200_000 in log
    assert run(tmp_path, "report", "out", "--format", "csv", "--tables", "summary").returncode == 0
    assert run(tmp_path, "collect", "out").returncode == 1
    assert rows(table) == found
    assert run(tmp_path, *failing, "heuristic.error=unprintable", "hydra.run.dir=one").returncode == 1
    assert [row["status"] for row in rows(tmp_path / "one" / "metrics.csv")].index("error") == 0


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
