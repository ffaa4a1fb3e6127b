"""Agreement with Fast Downward: h of the start, cost and expansions, for each pair of configurations.

Run from the repository: ``python -m benchmarks.fast_downward FOLDER [--only NAME ...] [--seconds 10]``. FOLDER has
tasks of planning competitions. Both search the same translation. The columns say in how many tasks they agree, and the
median of the ratio of expansions, here to there. Needs the package up-fast-downward (extra `benchmarks`).

The pairs are those of the table in docs/pddl.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import runner
from benchmarks.tables import Row, show
from runner.base import UserError
from worlds.interface import Instance, Unsolvable
from worlds.pddl.definition import PddlDefinition
from worlds.pddl.translator import translation
from worlds.pddl.world import PlanningWorld


@dataclass(frozen=True)
class Pair:
    """A configuration here and the same of Fast Downward.

    Attributes
    ----------
    algorithm : dict
        As in YAML, with the key ``name``.
    stack : list of dict
        Heuristics, likewise.
    search : str
        Argument ``--search`` of Fast Downward.
    """

    algorithm: dict[str, Any]
    stack: list[dict[str, Any]]
    search: str


ASTAR = {"name": "astar", "ties": "low_h_fifo"}
GREEDY = {"name": "greedy", "ties": "fifo"}
LAMA = {**GREEDY, "open": "alternating", "lazy": True, "preferred": "helpful"}
FF = {"name": "ff", "cost_type": "one"}
LANDMARKS = {"name": "landmark_count", "cost_type": "one", "prefers": False}
THEIR_FF = "eval_modify_costs(ff(),cost_type=one)"
THEIR_LANDMARKS = "landmark_sum(lm_factory=lm_reasonable_orders_hps(lm_rhw()),pref=false)"
THEIR_LAMA = f"""let(landmarks,eval_modify_costs({THEIR_LANDMARKS},cost_type=one),let(ff,{THEIR_FF},
lazy_greedy([ff,landmarks],preferred=[ff,landmarks],cost_type=one,reopen_closed=false)))"""
PAIRS = {
    "blind": Pair(ASTAR, [{"name": "blind"}], "astar(blind())"),
    "hmax": Pair(ASTAR, [{"name": "hmax"}], "astar(hmax())"),
    "lmcut": Pair(ASTAR, [{"name": "lmcut"}], "astar(lmcut())"),
    "goal_count": Pair(GREEDY, [{"name": "goal_count"}], "eager_greedy([goalcount()])"),
    "hadd": Pair(GREEDY, [{"name": "hadd"}], "eager_greedy([add()])"),
    "ff": Pair(GREEDY, [{"name": "ff"}], "eager_greedy([ff()])"),
    "lazy": Pair({**GREEDY, "lazy": True}, [{"name": "ff"}], "lazy_greedy([ff()])"),
    "preferred": Pair(
        {**GREEDY, "preferred": "helpful"}, [{"name": "ff"}], "let(ff,ff(),eager_greedy([ff],preferred=[ff]))"
    ),
    "lazy_preferred": Pair(LAMA, [{"name": "ff"}], "let(ff,ff(),lazy_greedy([ff],preferred=[ff],reopen_closed=false))"),
    "lama_first": Pair(LAMA, [FF, LANDMARKS], THEIR_LAMA.replace("\n", "")),
}


@dataclass(frozen=True)
class Found:
    """Findings of a search.

    Attributes
    ----------
    initial : float or None
        h of the start; None for a dead end.
    cost : int or None
        Cost of the plan; None without a plan.
    expanded : int or None
        Expansions of the finished search.
    before_last_layer : int or None
        Those with f below the f of the solution.
    """

    initial: float | None
    cost: int | None
    expanded: int | None
    before_last_layer: int | None


def agreement(folder: Path, names: Sequence[str], seconds: float) -> list[Row]:
    """Return a row for each pair."""
    problems = runner.load("pddl/file", path=str(folder), unsupported="skip")
    tasks = [(instance, text) for instance in problems if (text := _translated(instance)) is not None]
    rows: list[Row] = []
    for name in names:
        pair = PAIRS[name]
        both = [(_here(pair, instance, seconds), _there(pair, text, seconds)) for instance, text in tasks]
        compared = [(here, there) for here, there in both if here is not None and there is not None]
        solved = [(here, there) for here, there in compared if here.cost is not None and there.cost is not None]
        same_h = [here.initial == there.initial for here, there in compared]
        layers = [here.before_last_layer == there.before_last_layer for here, there in solved]
        ratios = [here.expanded / there.expanded for here, there in solved if here.expanded and there.expanded]
        rows.append(
            {
                "pair": name,
                "tasks": len(compared),
                "h of the start": sum(same_h) if len(pair.stack) == 1 else None,
                "solved by both": len(solved),
                "only here": sum(here.cost is not None and there.cost is None for here, there in compared),
                "only there": sum(here.cost is None and there.cost is not None for here, there in compared),
                "mean cost": mean(here.cost or 0 for here, _ in solved) if solved else None,
                "there": mean(there.cost or 0 for _, there in solved) if solved else None,
                "equal cost": sum(here.cost == there.cost for here, there in solved),
                "before last layer": sum(layers) if pair.algorithm == ASTAR else None,
                "ratio of expanded": median(ratios) if ratios else None,
            }
        )
    return rows


def _translated(instance: Instance[Any]) -> str | None:
    """Return the SAS+ file of a task; None if there is none."""
    world = instance.world
    assert isinstance(world, PlanningWorld)
    definition = world.definition
    assert isinstance(definition, PddlDefinition)
    try:
        return translation(*definition.texts, instance.id)
    except (UserError, Unsolvable):
        return None


def _here(pair: Pair, instance: Instance[Any], seconds: float) -> Found | None:
    """Search with a configuration of this package; None if it does not support the task."""
    try:
        result = runner.solve(instance, pair.algorithm, pair.stack, limits={"time": seconds})
    except UserError:
        return None
    if result.status == "unsupported":
        return None
    cost = None if result.cost is None else int(result.cost)
    h = result.initial_h
    return Found(h, cost, result.expanded, result.expanded_before_last_layer)


def _there(pair: Pair, sas: str, seconds: float) -> Found | None:
    """Search with Fast Downward; None if it does not support the task."""
    package = importlib.util.find_spec("up_fast_downward")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("Fast Downward is missing: pip install up-fast-downward")
    program = Path(package.submodule_search_locations[0]) / "downward/builds/release/bin/downward"
    with tempfile.TemporaryDirectory() as place:
        command = [str(program), "--search", pair.search, "--internal-plan-file", f"{place}/plan"]
        try:
            done = subprocess.run(command, input=sas, capture_output=True, text=True, check=False, timeout=seconds + 1)
        except subprocess.TimeoutExpired as ended:
            return _read((ended.stdout or b"").decode())
    return _read(done.stdout)


def _read(printed: str) -> Found | None:
    """Return what Fast Downward has printed; None if it refused the task."""
    initial = re.search(r"Initial heuristic value for [^:]*: (\d+|infinity)", printed)
    if initial is None:
        return None
    cost = _number(r"Plan cost: (\d+)", printed)
    expanded = _number(r"Expanded (\d+) state", printed)
    last = _number(r"Expanded until last jump: (\d+)", printed)
    return Found(None if initial[1] == "infinity" else int(initial[1]), cost, expanded, last)


def _number(pattern: str, printed: str) -> int | None:
    match = re.search(pattern, printed)
    return None if match is None else int(match[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--only", nargs="+", choices=list(PAIRS), default=list(PAIRS), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=10, help="limit of the time of a search")
    options = parser.parse_args()
    show("What agrees with Fast Downward", agreement(options.folder, options.only, options.seconds))
