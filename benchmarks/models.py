"""A linear model on Korf's 15-puzzles, before and after batches: seconds, evaluations per second, expansions.

Run from the repository: ``python -m benchmarks.models`` (two minutes). It needs onnxruntime and the package `onnx`.

The model is a weight for each tile in each cell, fitted by least squares to the plans of 1,000 other boards, which
`weighted_astar` with linear conflicts finds. The boards are the 20 of Korf's hundred with the shortest optimal plans.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from runner.examples.train_network import one_hot, write

import runner
from benchmarks.tables import Row, parser_of, show
from runner.base import ROOT

WEIGHT, BATCHES = 3, (1, 100, 1_000)
BOARDS, TRAINED = 20, 1_000
LIMITS = {"nodes": 300_000}
TRAINING = (
    "world=npuzzle/random", "world.goal=blank_first", f"world.count={TRAINED}", "world.seed=1",
    "algorithm=weighted_astar", "algorithm.weight=2", "heuristic=linear_conflict", "progress=false",
)  # fmt: skip


def plans_in(folder: Path) -> Path:
    """Search the boards for training, and return the file with the states along their plans."""
    words = (
        (*TRAINING, f"hydra.run.dir={folder / 'plans'}"),
        ("dataset", str(folder / "plans"), "--out", "boards.npz"),
    )
    for each in words:
        subprocess.run([sys.executable, "-m", "runner", *each], cwd=folder, check=True, capture_output=True)
    return folder / "boards.npz"


def fit(file: Path, instance: runner.Instance, model: Path) -> float:
    """Write a linear model in the format ONNX, and return its mean error in the states of a file."""
    data = np.load(file, allow_pickle=False)
    inputs = one_hot(data["values"], instance.world.value_counts)
    weights = np.linalg.lstsq(np.insert(inputs, 0, 1, axis=1), data["h_star"], rcond=None)[0]
    constant, weights = weights[:1].astype(np.float32), weights[1:, np.newaxis].astype(np.float32)
    write(model, [weights, constant], "one_hot")
    return float(abs(inputs @ weights[:, 0] + constant - data["h_star"]).mean())


def easiest() -> list[runner.Instance]:
    """Return the boards of Korf with the shortest optimal plans."""
    with open(ROOT / "worlds" / "npuzzle" / "instances" / "korf100.csv", encoding="utf-8", newline="") as table:
        lengths = {int(row["id"]): int(row["optimal"]) for row in csv.DictReader(table)}
    return list(runner.load("npuzzle/korf100", instances=sorted(lengths, key=lengths.__getitem__)[:BOARDS]))


def searched(instances: Sequence[runner.Instance], algorithm: dict[str, Any], heuristic: Any) -> Row:
    """Return the sums of the searches of all boards."""
    found = [runner.solve(each, algorithm, heuristic, limits=LIMITS) for each in instances]
    solved = [each for each in found if each.status == "solved"]
    seconds = sum(each.search_seconds or 0.0 for each in found)
    evaluated = sum(each.evaluated or 0 for each in found)
    return {
        "solved": len(solved),
        "mean cost": sum(each.cost or 0 for each in solved) / max(1, len(solved)),
        "expanded": sum(each.expanded or 0 for each in found),
        "evaluated": evaluated,
        "seconds": seconds,
        "evaluations/s": evaluated / seconds,
    }


def main() -> None:
    """Train the model, search with it, and print a table."""
    parser_of(__doc__).parse_args()
    boards = easiest()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "linear.onnx")
        error = fit(plans_in(Path(folder)), boards[0], model)
        linear = [{"name": "onnx", "path": str(model), "round": "nearest"}]
        for name, more in (("weighted_astar", {"weight": WEIGHT}), ("greedy", {})):
            for batch in BATCHES:
                stop = {"stop": "first"} if batch > 1 and name != "greedy" else {}
                algorithm = {"name": name, "batch": batch, **more, **stop}
                searched(boards[:1], algorithm, linear)  # which loads the kernels
                rows.append({"algorithm": name, "batch": batch, **searched(boards, algorithm, linear)})
                before = next(row for row in rows if row["algorithm"] == name)
                rows[-1]["of one by one"] = rows[-1]["evaluations/s"] / before["evaluations/s"]
    show(f"{BOARDS} boards of Korf, a linear model that is wrong by {error:.2f} on average", rows)


if __name__ == "__main__":
    main()
