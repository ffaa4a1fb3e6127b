"""Configuration of pytest: a temporary folder for tables of heuristics, groups of tests that share one process, and
the number of examples that hypothesis generates.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from heuristics import table_store

for profile, examples in (("long", 500), ("short", 30)):
    settings.register_profile(
        profile, max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
settings.load_profile("short")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Run the tests of one `xdist_group` in one process, for every value of `--dist`."""
    return import_module("xdist.scheduler").LoadGroupScheduling(config, log)


@pytest.fixture(scope="session")
def pattern_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


@pytest.fixture(autouse=True)
def _temporary_pattern_folder(pattern_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_store, "cache_root", lambda: pattern_folder)
