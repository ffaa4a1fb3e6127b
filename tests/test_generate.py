"""The generator of pages measures what is missing or out of date, and writes what is chosen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docs.generate import __main__ as generate
from docs.generate import algorithms
from docs.generate.sources import digest_of
from runner.base.errors import PACKAGES, ROOT
from runner.base.messages import REFUSED, SUCCESS
from tests.isolated import isolated

DIGESTS: dict[str, str] = json.loads(algorithms.DIGESTS.read_text(encoding="utf-8"))


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Copy the page, without the row of `beam`, with another digest of `ara`; list what is measured."""
    names: list[str] = []

    def measure(name: str, _: object) -> str:
        names.append(name)
        return f"| `{name}` | measured |"

    page, digests = tmp_path / "algorithms.md", tmp_path / "expansions.json"
    lines = algorithms.PAGE.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if not line.startswith("| `beam` | 5")), encoding="utf-8")
    with isolated(PACKAGES):
        rows = algorithms._rows(page.read_text(encoding="utf-8"))
        digests.write_text(json.dumps({name: algorithms._digest(row) for name, row in rows.items()} | {"ara": "old"}))
    monkeypatch.setattr(algorithms, "PAGE", page)
    monkeypatch.setattr(algorithms, "DIGESTS", digests)
    monkeypatch.setattr(algorithms, "_measured", measure)
    return names


def test_rows_that_are_missing_or_out_of_date_are_measured_one_by_one(measured: list[str]) -> None:
    with isolated(PACKAGES):
        for number, (file, content) in enumerate(algorithms.updates()):
            file.write_text(content, encoding="utf-8")
            if number == 2:  # the map, the first row and its digest
                break
        assert measured == ["ara"]
        for file, content in algorithms.updates():
            file.write_text(content, encoding="utf-8")
        assert measured == ["ara", "beam"]
        text = algorithms.PAGE.read_text(encoding="utf-8")
        assert text.count("measured |") == 2
        assert text.index("| `greedy` | 9") < text.index("| `beam` | measured") < text.index("| `dfs` | 0")
        assert [*algorithms.updates()] == [(algorithms.PAGE, text)]
        assert len([*algorithms.updates(again=True)]) == 1 + 2 * len(DIGESTS)


def test_a_digest_depends_on_the_modules_that_are_imported() -> None:
    beam = digest_of(["algorithms.beam"], None)
    assert digest_of(["algorithms.beam"], 1) != beam
    assert digest_of(["algorithms.beam", "algorithms.engine.nodes"], None) == beam  # it imports this one
    assert digest_of(["algorithms.beam", "worlds.rubik.rules"], None) != beam


def test_parts_and_pages_are_chosen_and_unknown_ones_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    with isolated(PACKAGES):
        chosen = [file for file, _ in generate._chosen(["docs/reference/worlds.md", "docs/metrics.md"], False)]
        assert [file.name for file in chosen] == ["worlds.md", "metrics.md"]
        assert len([*generate._chosen(["conf", "docs/metrics.md"], False)]) > 100
        assert generate.main(["docs/metrics.md"]) == SUCCESS
        assert capsys.readouterr().err == ""
        assert generate.main(["metric"]) == REFUSED
    assert "'metric': no part, and no generated file; did you mean 'metrics'?" in capsys.readouterr().err
