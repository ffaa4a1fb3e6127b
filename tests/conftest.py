"""Configuration of pytest: a folder for tables of heuristics, examples of hypothesis, and budgets of time."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from heuristics import tables
from tests.durations import Budget
from tests.remembered import remember

for profile, examples in (("long", 500), ("short", 12)):
    settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        derandomize=profile == "short",
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
settings.load_profile("short")
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
"""Programs of tests start the Python of this environment, as if it were activated, and no slow wrapper of others."""


remember()


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # by a shell, for what it starts in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if mode := os.environ.get("TESTS_BUDGET"):
        config.pluginmanager.register(Budget(mode), "budget")


def pytest_collection_finish() -> None:
    """Leave what is loaded out of every search for garbage, so that forked processes share its memory; search less."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def pattern_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("patterns")


@pytest.fixture(autouse=True)
def _temporary_pattern_folder(pattern_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "cache_root", lambda: pattern_folder)
