"""The newest folder, as `latest` or instead of ``...`` in a path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runner.base.errors import UserError
from runner.records.folder import SweepFolder
from runner.records.given import given_folder
from tests.runner_cli import run

FILES = (
    "run/a/metrics.csv", "sweep/b/multirun.yaml", "sweep/b/0/metrics.csv", "mine/multirun.yaml", "mine/0/metrics.csv",
    "audit/c/audit.csv", "sweep/refused/multirun.yaml",
)  # fmt: skip
"""Files from the oldest to the newest. The newest sweep has no rows."""


@pytest.fixture
def outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for age, name in enumerate(FILES):
        file = tmp_path / "outputs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        os.utime(file, (1000 + age, 1000 + age))
    return tmp_path / "outputs"


@pytest.mark.parametrize(
    ("text", "files", "expected"),
    [
        ("latest", ("metrics.csv",), "outputs/mine"),
        ("latest", ("metrics.csv", "audit.csv"), "outputs/audit/c"),
        ("latest", ("multirun.yaml",), "outputs/sweep/refused"),
        ("outputs/run", ("metrics.csv",), "outputs/run"),
        ("nowhere", ("metrics.csv",), "nowhere"),
    ],
)
@pytest.mark.usefixtures("outputs")
def test_latest_is_the_newest_run_or_sweep_that_holds_a_file(text: str, files: tuple[str, ...], expected: str) -> None:
    assert given_folder(text, files) == Path(expected)


def test_a_folder_of_the_name_latest_takes_precedence(outputs: Path) -> None:
    (outputs.parent / "latest").mkdir()
    assert given_folder("latest") == Path("latest")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "outputs/sweep/...",
            "outputs/sweep/...: ... stands for the name of a folder; the newest is outputs/sweep/b, or",
        ),
        ("outputs/…", "outputs/…: … stands for the name of a folder; the newest is outputs/mine, or write latest"),
        ("outputs/audit/...", "outputs/audit/...: ... stands for the name of a folder of a run or a sweep"),
    ],
)
@pytest.mark.usefixtures("outputs")
def test_three_points_are_refused_with_the_newest_folder(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        given_folder(text)
    assert str(caught.value).startswith(message)


def test_without_a_folder_there_is_no_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"latest: no folder in outputs holds multirun.yaml; name a folder"):
        SweepFolder.at("latest")


def test_commands_take_the_latest_folder(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "algorithm=ucs,bfs", "hydra.sweep.dir=outputs/mine").returncode == 0
    for command in (
        ("status",),
        ("collect",),
        ("resume",),
        ("replay",),
        ("report", "--format", "csv", "--tables", "summary"),
    ):
        done = run(tmp_path, *command, "latest")
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith("latest: outputs/mine\n")
