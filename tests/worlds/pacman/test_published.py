"""Figures of the Pacman search project, on its layouts, which do not come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import runner
from tests.runner_cli import ROOT, rows, run

DATA = next(
    (Path(p, "shared", "data", "pacman") for p in ROOT.parents if Path(p, "shared", "data", "pacman").is_dir()), None
)
pytestmark = pytest.mark.skipif(DATA is None, reason="needs the layouts of the Pacman project in ../shared/data/pacman")
FIGURES = [
    ("mediumMaze", "position", "bfs", "", 269, 68),
    ("mediumMaze", "position", "ucs", "", 269, 68),
    ("mediumMaze", "position", "astar", "manhattan", 221, 68),
    ("bigMaze", "position", "bfs", "", 620, 210),
    ("bigMaze", "position", "astar", "manhattan", 549, 210),
    ("tinyCorners", "corners", "bfs", "", 252, 28),
    ("mediumCorners", "corners", "bfs", "", 1966, 106),
    ("tinyCorners", "corners", "astar", "corners_tour", 159, 28),
    ("mediumCorners", "corners", "astar", "corners_tour", 741, 106),
    ("testSearch", "food", "ucs", "", 14, 7),
    ("tinySearch", "food", "ucs", "", 5057, 27),
    ("trickySearch", "food", "ucs", "", 16688, 60),
    ("tinySearch", "food", "astar", "food_farthest", 2372, 27),
    ("trickySearch", "food", "astar", "food_farthest", 4137, 60),
]


@pytest.mark.parametrize(("layout", "problem", "algorithm", "heuristic", "expanded", "cost"), FIGURES)
def test_expansions_and_costs(
    layout: str, problem: str, algorithm: str, heuristic: str, expanded: int, cost: int
) -> None:
    (instance,) = runner.load("pacman/layout", path=f"{DATA}/{layout}.lay", problem=problem)
    search = algorithm if algorithm == "bfs" else {"name": algorithm, "ties": "fifo"}
    found = runner.solve(instance, search, [heuristic] if heuristic else [])
    assert (found.status, found.expanded, found.cost, found.valid) == ("solved", expanded, cost, True)


def test_all_layouts_are_read() -> None:
    assert len(runner.load("pacman/layout", path=str(DATA))) == len([*Path(str(DATA)).glob("*.lay")]) > 20


def test_the_entry_of_the_atlas_agrees(tmp_path: Path) -> None:
    (tmp_path / "layouts").symlink_to(str(DATA))
    done = run(tmp_path, "reproduce", "berkeley_pacman", "--data", "layouts", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "outputs" / "reproduce" / "berkeley_pacman"
    assert sum(len(rows(file)) for file in folder.glob("run_*/results.csv")) == len(FIGURES)
    page = (folder / "report.md").read_text(encoding="utf-8")
    assert page == (ROOT / "docs" / "atlas" / "berkeley_pacman.md").read_text(encoding="utf-8")
