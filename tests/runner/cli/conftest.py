"""A finished sweep, which tests may change."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.runner_cli import run


@pytest.fixture(scope="session")
def finished_sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    done = run(folder, "-m", "algorithm=astar,ucs", "hydra.sweep.dir=out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


@pytest.fixture
def swept(finished_sweep: Path, tmp_path: Path) -> Path:
    """Return the folder of the test, with a sweep of astar and ucs in `out`."""
    shutil.copytree(finished_sweep, tmp_path / "out")
    record = tmp_path / "out" / "multirun.yaml"
    record.write_text(record.read_text().replace(str(finished_sweep.parent), str(tmp_path)))
    return tmp_path
