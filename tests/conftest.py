"""Pattern databases of tests lie in a folder of their own; what shares a SLURM stays in one process of pytest-xdist."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heuristics.npuzzle import pattern_store


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let `xdist_group` marks count, whatever `--dist` says."""
    from xdist.scheduler import LoadGroupScheduling

    return LoadGroupScheduling(config, log)


@pytest.fixture(scope="session")
def pattern_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


@pytest.fixture(autouse=True)
def _own_cache(pattern_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_store, "cache_root", lambda: pattern_folder)
