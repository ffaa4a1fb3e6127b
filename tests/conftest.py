"""Pattern databases of tests lie in a folder of their own, which the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

from heuristics.npuzzle import pattern_store


@pytest.fixture(scope="session")
def pattern_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


@pytest.fixture(autouse=True)
def _own_cache(pattern_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_store, "cache_root", lambda: pattern_folder)
