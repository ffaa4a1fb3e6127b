"""What the commands beside a run say of mistakes, and what they do without a queue to ask."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.runner_cli import run

REFUSED = {
    "submit --tasks 0 algorithm=astar,ucs": "argument --tasks: expected a whole number from 1, got '0'",
    "submit --minutes 9999999999 algorithm=astar,ucs": "argument --minutes: expected a whole number from 1",
    "submit --memory much algorithm=astar,ucs": "argument --memory: invalid float value: 'much'",
    "submit --resume nowhere": "there is no sweep (multirun.yaml is missing)",
    "status": "the following arguments are required: FOLDER; see python -m runner.status --help",
    "status nowhere": "there is no sweep (multirun.yaml is missing)",
    "status " + 300 * "x": "File name too long",
    "collect --all out": "unrecognized arguments: --all; see python -m runner.collect --help",
    "collect nowhere": "there is no sweep (multirun.yaml is missing)",
    "resume nowhere": "there is no sweep (multirun.yaml is missing)",
    "replay nowhere": "nowhere: there is no such folder; give the folder of a run or a sweep",
    "replay nowhere --delay 100": "argument --delay: expected 0 to 60 seconds, got 100",
    "report nowhere": "nothing to report: no rows in nowhere (nowhere: there is no such folder)",
    "report nowhere --format pdf": "--format: there is no format 'pdf'",
}


def invoke(directory: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    name, *others = arguments
    return run(directory, *others, module=f"runner.{name}", **variables)


@pytest.mark.parametrize(("arguments", "message"), REFUSED.items(), ids=[key[:40] for key in REFUSED])
def test_a_mistake_gets_one_line_and_exit_code_2(tmp_path: Path, arguments: str, message: str) -> None:
    done = invoke(tmp_path, *arguments.split())
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_without_a_queue_rows_tell_what_is_finished(tmp_path: Path) -> None:
    """As in the folder of a sweep that was copied from a cluster."""
    assert run(tmp_path, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out").returncode == 0
    jobs = json.loads((tmp_path / "out" / "jobs.json").read_text())
    (tmp_path / "out" / "jobs.json").write_text(json.dumps([{**job, "instances": 7} for job in jobs]))
    (tmp_path / "out" / "submitted.json").write_text(json.dumps([{"id": "1_0", "folders": ["0", "1"]}]))
    whole = invoke(tmp_path, "status", "out", "--wait", PATH="")
    assert whole.returncode == 0
    assert "squeue does not answer" in whole.stderr
    assert "14 of 14 instances done" in whole.stdout
    assert "collect: python -m runner.collect" in whole.stdout
    file = tmp_path / "out" / "1" / "metrics.csv"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    some = invoke(tmp_path, "status", "out", PATH="")
    assert some.returncode == 0
    assert "perhaps somebody works there" in some.stdout
    again = invoke(tmp_path, "submit", "--resume", "out", PATH="")
    assert again.returncode == 2
    assert "error: submit: squeue does not answer" in again.stderr
    assert again.stderr.count("\n") == 1
