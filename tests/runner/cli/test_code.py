"""Column `code`: rows that were made by other code of a plug-in are made again."""

from __future__ import annotations

import json
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

from runner.records import provenance
from runner.records.code import code_of
from tests.runner.tables import run_ids
from tests.runner_cli import rows, run

# The tests change these sources between two runs, so they are no files in tests/plugins.
HELPER = "FACTOR = %d\n"
PLUGIN = """
import runner
from mine.helper import FACTOR

@runner.python_heuristic("mine", domain="wumpus", admissible=True)
def mine(state):
    return 0 * FACTOR
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "__init__.py").write_text(PLUGIN)
    (folder / "helper.py").write_text(HELPER % 1)
    return folder


def test_rows_of_other_code_are_made_again(tmp_path: Path, plugin: Path) -> None:
    sweep = ("-m", "plugins=[mine]", "heuristic=mine,pivots", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    before = rows(tmp_path / "out" / "results.csv")
    codes = {row["heuristic"]: row["code"] for row in before}
    assert codes["mine"].split("+")[0] == codes["pivots"]
    (plugin / "helper.py").write_text(HELPER % 2)
    planned = run(tmp_path, *sweep, "dry_run=true")
    assert "note: 7 rows made by other code" in planned.stderr
    kept = run(tmp_path, "resume", "out", "retry=none")
    assert "note: 7 rows made by other code: retry=none keeps them" in kept.stderr
    assert rows(tmp_path / "out" / "results.csv") == before
    done = run(tmp_path, "resume", "out")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("note:") == 1
    assert "note: 7 rows made by other code: made again" in done.stderr
    after = rows(tmp_path / "out" / "results.csv")
    assert [row["run_id"] for row in after] == [row["run_id"] for row in before]
    assert after[7:] == before[7:], "these rows use no plug-in"
    assert not {row["code"] for row in after[:7]} & {row["code"] for row in before}
    assert run_ids(tmp_path / "out" / "0" / "metrics.csv") == [row["run_id"] for row in before[:7]]


def test_rows_of_former_code_count_again_with_that_code(tmp_path: Path, plugin: Path) -> None:
    """A sweep of other code that is not complete has lost nothing."""
    sweep = ("-m", "plugins=[mine]", "heuristic=mine,pivots", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    before = (tmp_path / "out" / "results.csv").read_bytes()
    metrics = tmp_path / "out" / "0" / "metrics.csv"
    former = metrics.read_bytes()
    (plugin / "helper.py").write_text(HELPER % 2)
    assert run(tmp_path, *sweep).returncode == 0
    newer = metrics.read_bytes().splitlines(keepends=True)
    metrics.write_bytes(former + b"".join(newer[1:4]))  # as if it had been killed
    assert run(tmp_path, "status", "out").stdout.startswith("2 cells, 10 of 14 instances done")
    (plugin / "helper.py").write_text(HELPER % 1)
    again = run(tmp_path, *sweep)
    assert (again.returncode, again.stderr.count("7 done before"), again.stderr.count("note")) == (0, 2, 0)
    assert (tmp_path / "out" / "results.csv").read_bytes() == before
    assert metrics.read_bytes() == former


IMPORT = "from late_helper import FACTOR"
"""An import inside a function counts, too."""
LATE = """
import runner

@runner.python_heuristic("%s", domain="wumpus", admissible=True)
def late(state):
    from late_helper import FACTOR
    return 0 * FACTOR
"""


def test_a_change_of_what_a_plugin_imports_affects_only_this_plugin(tmp_path: Path) -> None:
    """The other plug-in is in a folder without `__init__.py`; its own change counts, too."""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "other.py").write_text((LATE % "other").replace(IMPORT, "FACTOR = 1"))
    (tmp_path / "late.py").write_text(LATE % "late")
    (tmp_path / "late_helper.py").write_text(HELPER % 1)
    sweep = ("-m", "plugins=[late,bare.other]", "heuristic=late,other", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep).returncode == 0
    assert "note:" not in run(tmp_path, *sweep, "dry_run=true").stderr
    (tmp_path / "late_helper.py").write_text(HELPER % 2)
    done = run(tmp_path, *sweep)
    assert "note: 7 rows made by other code" in done.stderr
    assert "heuristic=other: 7 done before" in done.stderr
    (tmp_path / "bare" / "other.py").write_text((LATE % "other").replace(IMPORT, "FACTOR = 2"))
    assert "note: 7 rows made by other code" in run(tmp_path, *sweep, "dry_run=true").stderr


def test_rows_under_other_limits_are_kept(tmp_path: Path, plugin: Path) -> None:
    sweep = ("-m", "plugins=[mine]", "heuristic=mine", "hydra.sweep.dir=out")
    assert run(tmp_path, *sweep, "limits.nodes=100,1000").returncode == 0
    (plugin / "helper.py").write_text(HELPER % 2)
    done = run(tmp_path, *sweep, "limits.nodes=100")
    assert "note: 7 rows made by other code" in done.stderr
    found = rows(tmp_path / "out" / "results.csv")
    assert [row["limits"] for row in found] == ["nodes=100"] * 7 + ["nodes=1000"] * 7
    assert len({row["code"] for row in found}) == 2


def test_the_git_state_of_a_plugin_is_recorded(tmp_path: Path, plugin: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    for number, dirty in enumerate((False, True)):
        provenance._git.cache_clear()
        done = run(tmp_path, "plugins=[mine]", "heuristic=mine", f"hydra.run.dir={number}")
        assert done.returncode == 0, done.stderr
        recorded = json.loads((tmp_path / str(number) / "environment.json").read_text())
        assert recorded["plugin_files"] == [str(plugin)]
        assert recorded["plugins"] == [{"folder": str(plugin), "git": {"commit": head, "dirty": dirty}}]
        assert recorded["code"] == rows(tmp_path / str(number) / "metrics.csv")[0]["code"]
        (plugin / "helper.py").write_text(HELPER % 9)


def test_code_changes_with_a_module_that_is_edited_in_a_running_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "edited_plugin.py").write_text("import edited_helper\n\nclass Part:\n    pass\n")
    (tmp_path / "edited_helper.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    part = import_module("edited_plugin").Part()
    before = code_of([part])
    assert code_of([part]) == before
    (tmp_path / "edited_helper.py").write_text("VALUE = 20\n")
    assert code_of([part]) != before
    (tmp_path / "edited_helper.py").write_text("VALUE = 1\n")
    assert code_of([part]) == before
