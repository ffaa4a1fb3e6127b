"""Texts of plug-ins in rows: of any length, and of any characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runner.records.row import MAX_TEXT, escaped, shortened
from tests.plugins import install
from tests.runner_cli import rows, run

FAILING = """
import runner

class Plain(BaseException):
    pass

class Odd(BaseException):
    def __str__(self):
        raise RuntimeError("cannot say")

@runner.python_heuristic("failing", domain="wumpus")
def failing(state, world):
    if world.id == "unibz_w3":
        raise %s
    return 0
"""


def original(text: str) -> str:
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


@pytest.mark.parametrize(
    "text", ["plain", "über", "a\nb", "a\\nb", "\0", "\udc80 x", "\u202e", "a\\", "\U0001f600", "\\x"]
)
def test_escapes_can_be_undone(text: str) -> None:
    assert escaped(text).isprintable()
    assert original(escaped(text)) == text


def test_long_texts_keep_both_ends() -> None:
    text = "a" * 1_000 + "b" * 200_000 + "c" * 300
    short = shortened(text)
    assert len(short) < MAX_TEXT + 60
    assert short.startswith("a" * 1_000)
    assert short.endswith("c" * 300)
    assert "199,300 characters left out" in short
    assert shortened("x" * MAX_TEXT) == "x" * MAX_TEXT


ERRORS = {
    "ValueError('x' * 200_000)": ("ValueError: xxx", "xxxx"),
    "ValueError('a\\udc80b\\0c\\nd')": (r"ValueError: a\udc80b\x00c\nd", r"b\x00c\nd"),
    "Odd": ("Odd (its message cannot be shown)", "shown)"),
    "SystemExit('bye')": ("SystemExit: bye", "bye"),
    "GeneratorExit": ("GeneratorExit: ", ": "),
    "KeyboardInterrupt": ("KeyboardInterrupt: ", ": "),
    "Plain": ("Plain: ", ": "),
    "ValueError('=1+1,\"')": ('ValueError: =1+1,"', '"'),
}


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize(("sweep", "cave"), [(False, "unibz_w1"), (True, "unibz_w3")])
def test_whatever_a_heuristic_raises_is_a_row(tmp_path: Path, error: str, sweep: bool, cave: str) -> None:
    (tmp_path / "failing.py").write_text(FAILING.replace("unibz_w3", cave) % error)
    where = ("-m", "hydra.sweep.dir=out") if sweep else ("hydra.run.dir=out",)
    done = run(tmp_path, *where, "plugins=[failing]", "heuristic=failing")
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
    if "200_000" in error:
        log = next((tmp_path / "out").rglob("runner.log")).read_text(encoding="utf-8")
        assert "x" * 200_000 in log
        assert run(tmp_path, "report", "out").returncode == 0
    if sweep:
        assert run(tmp_path, "collect", "out").returncode == 1
        assert rows(table) == found


def test_actions_that_cannot_be_encoded_are_recorded_and_replayed(tmp_path: Path) -> None:
    install(tmp_path, "nameless")
    done = run(tmp_path, "plugins=[nameless]", "world=nameless", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert [(row["status"], row["valid"]) for row in rows(tmp_path / "out" / "metrics.csv")] == [("solved", "True")]
    (line,) = (tmp_path / "out" / "plans.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["actions"] == ["a\udc80\n"] * 2
    done = run(tmp_path, "replay", "out", "--delay", "0")
    assert done.returncode == 0, done.stderr
    assert "does not reach the goal" not in done.stderr
