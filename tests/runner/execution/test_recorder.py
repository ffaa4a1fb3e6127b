"""What the recorder writes beside the rows of a cell: what may have changed their times."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plugins import install
from tests.runner_cli import rows, run


@pytest.mark.parametrize("damage", ["", "{", "[1]"])
def test_a_cell_is_complete_without_a_readable_environment(tmp_path: Path, damage: str) -> None:
    """It is removed or damaged while the cell is searched; what cannot be read stays as it is."""
    install(tmp_path, "damaging")
    (tmp_path / "damage").write_text(damage)
    done = run(tmp_path, "plugins=[damaging]", "heuristic=damaging", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert len(rows(tmp_path / "out" / "metrics.csv")) == 7
    file = tmp_path / "out" / "environment.json"
    assert file.read_text() == damage if damage else not file.exists()
