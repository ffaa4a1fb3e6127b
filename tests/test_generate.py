"""The generator of pages measures what is missing or out of date, and writes what is chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.generate import __main__ as generate
from docs.generate import algorithms
from runner.base.errors import REFUSED, SUCCESS
from runner.base.own_places import PACKAGES, ROOT
from tests.isolated import isolated

SAMPLES = algorithms.recorded_samples()


def _options(row: dict[str, Any]) -> list[str]:
    return [f"{name}={value}" for name, value in row.items() if name != "name"]


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Copy the page, without the row of `beam`, with another sample of `ara`; list what is measured."""
    names: list[str] = []

    def measure(name: str, _: object) -> str:
        names.append(name)
        return f"| `{name}` | measured |"

    page, samples = tmp_path / "algorithms.md", tmp_path / "expansions.json"
    lines = algorithms.PAGE.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if not line.startswith("| `beam` | 5")), encoding="utf-8")
    samples.write_text(json.dumps(SAMPLES | {"ara": [1]}))
    monkeypatch.setattr(algorithms, "PAGE", page)
    monkeypatch.setattr(algorithms, "SAMPLES", samples)
    monkeypatch.setattr(algorithms, "_measured", measure)
    monkeypatch.setattr(algorithms, "sample", lambda row: SAMPLES[" ".join(map(str, [row["name"], *_options(row)]))])
    return names


def test_rows_that_are_missing_or_out_of_date_are_measured_one_by_one(measured: list[str]) -> None:
    with isolated(PACKAGES):
        for number, (file, content) in enumerate(algorithms.updates()):
            file.write_text(content, encoding="utf-8")
            if number == 2:  # the map, the first row and its sample
                break
        assert measured == ["ara"]
        for file, content in algorithms.updates():
            file.write_text(content, encoding="utf-8")
        assert measured == ["ara", "beam"]
        text = algorithms.PAGE.read_text(encoding="utf-8")
        assert text.count("measured |") == 2
        assert text.index("| `greedy` | 9") < text.index("| `beam` | measured") < text.index("| `dfs` | 0")
        assert [*algorithms.updates()] == [(algorithms.PAGE, text)]
        assert len([*algorithms.updates(again=True)]) == 1 + 2 * len(SAMPLES)


def test_the_table_of_expansions_is_up_to_date() -> None:
    """The first instance of each set has the expansions that it had when its row was measured."""
    with isolated(PACKAGES):
        rows = algorithms._rows(algorithms.PAGE.read_text(encoding="utf-8"))
        assert {name: algorithms.sample(row) for name, row in rows.items()} == SAMPLES


def test_parts_and_pages_are_chosen_and_unknown_ones_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    with isolated(PACKAGES):
        chosen = [file for file, _ in generate._chosen(["conf", "docs/reference/worlds.md", "docs/metrics.md"], False)]
        assert [file.name for file in chosen[-2:]] == ["worlds.md", "metrics.md"]
        assert len(chosen) > 100
        assert {file.suffix for file in chosen[:-2]} == {".yaml"}
        assert generate.main(["metrics"]) == SUCCESS
        assert capsys.readouterr().err == ""
        assert generate.main(["metric"]) == REFUSED
    assert "'metric': no part, and no generated file; did you mean 'metrics'?" in capsys.readouterr().err
