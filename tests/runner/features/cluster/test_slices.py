"""Division of a plan among the tasks of a job array. `tests/runner/features/cluster` submits them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from runner.features.cluster import slurm
from runner.features.cluster.slices import PlanPiece


def split(cells: int, instances: int, tasks: int, seed: int) -> list[tuple[PlanPiece, ...]]:
    planned: list[Any] = [
        SimpleNamespace(folder=Path("out", str(n)), number=n, missing=[range(instances)], missing_count=instances)
        for n in range(cells)
    ]
    return PlanPiece.of_tasks(planned, Path("out"), tasks, seed)


def test_tasks_have_all_pieces_in_an_order_that_the_seed_decides() -> None:
    for cells, instances in ((100, 5), (2, 50)):
        one, same, other = (split(cells, instances, 4, seed) for seed in (1, 1, 2))
        assert one == same != other
        assert any([piece.cell for piece in task] != sorted(piece.cell for piece in task) for task in one)
        assert {len(task) for task in one} == {sum(map(len, one)) // 4}
        found = [(piece.cell, number) for task in one for piece in task for number in range(piece.first, piece.last)]
        assert sorted(found) == [(cell, number) for cell in range(cells) for number in range(instances)]


def test_no_two_pieces_write_to_one_folder() -> None:
    """A cell may lack several ranges, each as long as a piece."""
    for missing in ([range(3), range(5, 8)], [range(1), range(2, 6)], [range(6)]):
        cell: Any = SimpleNamespace(
            folder=Path("out", "0"), number=0, missing=missing, missing_count=sum(map(len, missing))
        )
        for tasks in (1, 2, 4):
            pieces = [piece for task in PlanPiece.of_tasks([cell] * 9, Path("out"), tasks, 0) for piece in task]
            folders = {(piece.first, piece.subfolder) for piece in pieces}
            assert len({subfolder for _, subfolder in folders}) == len(folders), (missing, tasks)


def test_options_of_sbatch_that_are_0_or_empty_are_given() -> None:
    options = {"nice": 0, "requeue": True, "account": None, "comment": ""}
    assert slurm.header(options) == "#SBATCH --nice=0\n#SBATCH --requeue\n#SBATCH --comment=''\n"
