"""Table of the data of each domain that tests need. `tests/test_domains.py` names what a registered domain lacks."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

import runner
from tests import caves, gridmaps, puzzles, snakes, teams
from tests.planning import DATA, needs_translator
from tests.planning import SMALL as TASKS
from tests.roads import any_road
from tests.runner_cli import ROOT
from worlds.gridmap.scenario_sources import SUITES as MAPS
from worlds.interface.instance import Instance
from worlds.mapf.sources import SUITES as TEAMS
from worlds.npuzzle.sources import INSTANCES
from worlds.pacman.sources import LAYOUTS
from worlds.snake.sources import SUITES as SNAKES
from worlds.wumpus.sources import SUITES as CAVES

Family = dict[str, Any]
MIN_STATES = 501
"""States of all families of a domain together, for audits of heuristics."""
MIN_SOLVED = 6
"""Instances of a domain that each algorithm solves in audits, and for which it keeps its promises."""
SAMPLE = 12
"""Largest number of instances of a family in audits of algorithms."""
FEWER = {"count": 2, "pits": 1}
"""Parameters of families in audits of algorithms."""
AnyInstance = Callable[[random.Random, int], Instance]
ATLAS = ROOT / "runner" / "features" / "atlas"


@dataclass(frozen=True, kw_only=True)
class Domain:
    """Data of a domain that tests need. `tests/test_domains.py` names all that is missing, or too few.

    Attributes
    ----------
    small : dict
        Parameters with which each source has only small instances: at most some thousand states each.
    start : str
        The source whose first instance stands for the domain where one is enough.
    families : sequence of dict
        Audits of heuristics: the key `world` and parameters of sources. Together they have `MIN_STATES` states that
        can be reached, and more than 200 in a sample of 40 instances of each.
    families_for_algorithms : sequence of dict, optional
        Audits of algorithms, which also search without a heuristic. By default `families`. Of each family they take
        at most `SAMPLE` instances, with the parameters in `FEWER` instead of its own. `MIN_SOLVED` of them have a
        solution; of every second family if there are several heuristics, or of the part of each if there is one family.
        A family with a `count` then has two instances, so six small families with solutions are enough.
    heuristics : sequence of str
        Heuristics of these audits: consistent, only admissible, and neither, as far as the domain has them.
    any_instance : callable, optional
        Returns a random instance of a size up to the given one. None if instances cannot be saved and made simpler.
        More than 20 states of 30 instances of size 2 must be possible starts.
    is_invertible : bool
        Whether all its worlds have predecessors. All its heuristics then have an estimate from the start (`backward`).
    searches : sequence of str
        Searches that accept some domains only, this one among them: `frontier` takes a perfect index, `iw` variables.
    unnumbered : sequence of str
        Sources whose instances in `small` `frontier` refuses: they have too many states, or no numbers.
    needed : sequence of str
        Sources that need the translator.
    """

    small: dict[str, dict[str, Any]]
    start: str
    families: Sequence[Family]
    families_for_algorithms: Sequence[Family] = ()
    heuristics: Sequence[str]
    any_instance: AnyInstance | None = None
    is_invertible: bool = True
    searches: Sequence[str] = ()
    unnumbered: Sequence[str] = ()
    needed: Sequence[str] = ()


def _any_of(world: str, parameters: Callable[[random.Random, int], dict[str, Any]]) -> AnyInstance:
    """Return a function that loads an instance of a source with random parameters."""
    return lambda source, largest: runner.load(world, **parameters(source, largest))[0]


def _seeded(source: random.Random, **parameters: Any) -> dict[str, Any]:
    return {**parameters, "seed": source.randrange(999), "count": 1}


def _any_cave(source: random.Random, largest: int) -> Instance:
    cave = caves.any_cave(source, source.randint(1, largest), source.randint(2, largest))
    return caves.instance(cave, source.choice(["cardinal", "primitive"]), source.choice(["best", "none"]))


def _any_team(source: random.Random, largest: int) -> Instance:
    return teams.any_instance(source, source.randint(1, min(largest, 3)), largest)


def _any_board(source: random.Random, largest: int) -> Instance:
    sizes = [(2, 2), (2, 3), (3, 3), (4, 4), (3, 5)][: 5 if largest > 2 else 2]
    return puzzles.instance(puzzles.any_puzzle(source, *source.choice(sizes)))


def _any_ring(source: random.Random, largest: int) -> dict[str, Any]:
    tokens = source.randint(3, largest + 1)
    return _seeded(source, tokens=tokens, turnstile=source.randint(2, tokens), shuffle="walk")


def _any_snake(source: random.Random, largest: int) -> Instance:
    return snakes.instance(snakes.any_board(source, source.randint(1, largest), source.randint(2, largest + 1)))


_MAPS: list[Family] = [
    {"world": "gridmap/all", "width": 2, "height": 2, "terrains": ".S@T", "weights": {"S": 1.5, "T": 0.3},
     "diagonal": 1.25},
    {"world": "gridmap/all", "width": 3, "height": 2, "directions": 4},
    {"world": "gridmap/random", "size": "12x9", "count": 3, "diagonal": 1.5},
    {"world": "gridmap/random", "size": 25, "kind": "open", "count": 1, "weights": {".": 1.5}},
    {"world": "gridmap/random", "size": "12x9", "kind": "rooms", "count": 3, "directions": 4},
]  # fmt: skip

DOMAINS: dict[str, Domain] = {
    "graph": Domain(
        small={
            "graph/file": {"path": str(ROOT / "tests" / "data" / "graph" / "textbook.txt")},
            "graph/martelli": {"n": 4},
        },
        start="graph/file",
        families=[{"world": "graph/martelli", "n": n} for n in range(2, 14)],
        heuristics=["table"],
        any_instance=_any_of("graph/martelli", lambda source, largest: {"n": source.randint(2, largest + 1)}),
    ),
    "gridmap": Domain(
        small={
            "gridmap/all": {"width": 3, "height": 2, "terrains": ".@W"},
            "gridmap/map": {"path": str(MAPS / "small" / "7_wood.map"), "weights": {"S": 2}, "count": 3},
            "gridmap/random": {"count": 3, "size": "9x7", "directions": 4},
            "gridmap/scenario": {"path": str(MAPS / "small"), "buckets": ["0-3"]},
            "gridmap/static": {"problems": [1, 2]},
        },
        start="gridmap/scenario",
        families=[{"world": "gridmap/all", "width": 3, "height": 2, "terrains": ".@W"}, *_MAPS],
        families_for_algorithms=[
            {"world": "gridmap/all", "width": 3, "height": 2},
            {"world": "gridmap/all", "width": 2, "height": 2, "terrains": ".@W"},
            *_MAPS,
        ],
        heuristics=["octile", "differential"],
        any_instance=gridmaps.any_instance,
        searches=["jps"],
    ),
    "hanoi": Domain(
        small={
            "hanoi/file": {"path": str(ATLAS / "siag2025_hanoi" / "towers.txt"), "sample": 1},
            "hanoi/random": {"count": 2, "disks": 4},
            "hanoi/tower": {"disks": 4},
        },
        start="hanoi/tower",
        families=[
            {"world": "hanoi/random", "disks": n, "pegs": pegs, "count": 2} for n in range(2, 6) for pegs in (3, 4)
        ],
        heuristics=["pattern_database"],
        any_instance=_any_of(
            "hanoi/random",
            lambda source, largest: _seeded(source, disks=source.randint(1, largest), pegs=source.randint(3, 5)),
        ),
        searches=["frontier", "iw"],
    ),
    "mapf": Domain(
        small={
            "mapf/all": {"width": 2, "height": 2},
            "mapf/map": {"path": str(TEAMS / "benchmark" / "empty-8-8.map"), "agents": 2, "count": 2},
            "mapf/random": {"count": 2, "size": "5x4", "agents": 2},
            "mapf/scenario": {"path": str(TEAMS / "tiny"), "agents": 2},
            "mapf/static": {},
        },
        start="mapf/scenario",
        families=[
            {"world": "mapf/all", "width": 3, "height": 2},
            {"world": "mapf/all", "width": 2, "height": 2, "agents": 3, "objective": "makespan"},
            {"world": "mapf/static"},
            {"world": "mapf/random", "size": 3, "agents": 3, "count": 2},
        ],
        heuristics=["distances"],
        any_instance=_any_team,
        is_invertible=False,
    ),
    "npuzzle": Domain(
        small={
            "npuzzle/all": {"size": 2},
            "npuzzle/file": {"path": str(INSTANCES / "korf100.csv"), "goal": [*range(16)]},
            "npuzzle/korf100": {"instances": [79]},
            "npuzzle/korf50_24": {"instances": [40]},
            "npuzzle/random": {"count": 2, "size": "2x3"},
        },
        start="npuzzle/korf100",
        families=[
            {"world": "npuzzle/all", "size": 2},
            {"world": "npuzzle/all", "size": [2, 3], "goal": "blank_first"},
            {"world": "npuzzle/random", "size": 3, "count": 2},
        ],
        families_for_algorithms=[  # without a heuristic, some take long in the second
            {"world": "npuzzle/all", "size": 2},
            {"world": "npuzzle/random", "size": [2, 4], "count": 2},
            {"world": "npuzzle/all", "size": [2, 3], "goal": "blank_first"},
        ],
        heuristics=["linear_conflict"],
        any_instance=_any_board,
        searches=["frontier"],
        unnumbered=["npuzzle/file", "npuzzle/korf100", "npuzzle/korf50_24"],
    ),
    "pacman": Domain(
        small={
            "pacman/layout": {"path": str(LAYOUTS / "four_towers.lay"), "problem": "corners"},
            "pacman/random": {"count": 2, "size": 6, "food": 3},
            "pacman/static": {"layouts": ["keyhole", "snail", "tempting"]},
        },
        start="pacman/static",
        families=[
            {"world": "pacman/random", "size": "7x6", "food": 4, "count": 3},
            {"world": "pacman/random", "size": 7, "kind": "maze", "problem": "corners", "count": 3},
            {"world": "pacman/random", "size": "9x5", "problem": "position", "count": 3},
            {"world": "pacman/random", "size": "7x5", "food": 3, "cost": "west", "count": 3},
            {"world": "pacman/random", "size": 6, "kind": "open", "food": 3, "cost": "east", "count": 3},
            {"world": "pacman/random", "size": "8x5", "walls": 0.6, "problem": "corners", "count": 3},
        ],
        heuristics=["food_tree", "corners_tour"],
        any_instance=_any_of(
            "pacman/random",
            lambda source, largest: _seeded(
                source,
                size=[source.randint(4, largest + 3), source.randint(4, largest + 3)],
                food=source.randint(1, 3),
                problem=source.choice(["food", "corners", "position"]),
            ),
        ),
        is_invertible=False,
        searches=["iw"],
    ),
    "pancake": Domain(
        small={
            "pancake/all": {"size": 3},
            "pancake/file": {"path": str(ATLAS / "siag2025_pancakes" / "stacks.txt"), "sample": 2},
            "pancake/random": {"count": 2, "size": 5},
        },
        start="pancake/random",
        families=[
            {"world": "pancake/all", "size": 5},
            {"world": "pancake/all", "size": 5, "costs": "heavy"},
            {"world": "pancake/all", "size": 4, "costs": "length"},
            {"world": "pancake/random", "size": 6, "count": 3},
        ],
        heuristics=["gap"],
        any_instance=_any_of(
            "pancake/random", lambda source, largest: _seeded(source, size=source.randint(2, largest))
        ),
        searches=["frontier", "iw"],
        unnumbered=["pancake/file"],
    ),
    "pddl": Domain(
        small={
            "pddl/file": {"path": str(TASKS / "gripper" / "two_balls.pddl")},
            "pddl/sas": {"path": str(DATA / "two_balls.sas")},
            "pddl/static": {},
        },
        start="pddl/sas",
        families=[{"world": "pddl/static"}],
        heuristics=["hmax", "lmcut", "goal_count"],
        is_invertible=False,
        searches=["iw", "bfws"],
        needed=["pddl/file", "pddl/static"],
    ),
    "plain_pancake": Domain(  # of `runner.examples.pancake`
        small={"pancake": {"count": 2, "size": 5}},
        start="pancake",
        families=[{"world": "pancake", "size": 6}],
        families_for_algorithms=[{"world": "pancake", "size": 5}],
        heuristics=["gap"],
    ),
    "road": Domain(
        small={
            "road/file": {"path": str(ROOT / "tests" / "data" / "road" / "crossing.txt"), "start": 1, "goal": 6},
            "road/grid": {
                "path": str(ROOT / "tests" / "data" / "road" / "grid.txt"),
                "start": [0, 0],
                "goal": [2, 1],
                "objectives": [1, 2],
            },
            "road/random": {"count": 2, "nodes": 40},
        },
        start="road/random",
        families=[
            {"world": "road/random", "nodes": nodes, "count": 4, "correlation": correlation}
            for nodes, correlation in ((2, 0), (5, 1), (12, -1), (30, 0), (50, 0.5), (80, -0.5))
        ],
        heuristics=["great_circle", "differential"],
        any_instance=lambda source, largest: Instance(any_road(source, largest), "any"),
        searches=["boa", "namoadr", "bod"],
    ),
    "rubik": Domain(
        small={
            "rubik/file": {"path": str(ROOT / "tests" / "data" / "rubik" / "cubes.txt"), "sample": 1},
            "rubik/random": {"count": 2, "depth": 3},
        },
        start="rubik/file",
        families=[
            {"world": "rubik/random", "depth": 5, "count": 12, "turns": turns}
            for turns in (["U2", "F2"], ["U2", "D2", "F2", "B2"], ["U", "U-", "D2"], ["U2", "F2", "R2"])
        ],
        heuristics=["pattern_database"],
        any_instance=_any_of(
            "rubik/random",
            lambda source, largest: _seeded(
                source, depth=largest, turns=source.choice([["U2", "F2"], ["U2", "D2", "F2"]])
            ),
        ),
    ),
    "snake": Domain(
        small={
            "snake/all": {"rows": 2, "columns": 2, "max_capacity": 1},
            "snake/file": {"path": str(SNAKES / "graded" / "0*.txt")},
            "snake/random": {"count": 2, "rows": 4, "columns": 3, "candies": 3},
            "snake/static": {},
        },
        start="snake/static",
        families=[
            {"world": "snake/all", "rows": 3, "columns": 3, "candies": 2, "max_capacity": 2},
            {"world": "snake/random", "rows": 4, "columns": 5, "candies": 3, "max_capacity": 2, "count": 4},
        ],
        heuristics=["route", "nearest"],
        any_instance=_any_snake,
        is_invertible=False,
    ),
    "topspin": Domain(
        small={
            "topspin/file": {"path": str(ROOT / "tests" / "data" / "topspin" / "rings.txt")},
            "topspin/random": {"count": 2, "tokens": 6},
        },
        start="topspin/file",
        families=[
            {"world": "topspin/random", "tokens": n, "turnstile": 3, "count": 4, "shuffle": "walk"} for n in range(3, 8)
        ],
        families_for_algorithms=[  # without a heuristic, `ana` takes seconds for 7 tokens
            {"world": "topspin/random", "tokens": n, "turnstile": 3, "count": 4, "shuffle": "walk"} for n in range(3, 7)
        ],
        heuristics=["pattern_database"],
        any_instance=_any_of("topspin/random", _any_ring),
        searches=["frontier", "iw"],
    ),
    "wumpus": Domain(
        small={
            "wumpus/all": {"size": 2, "pits": 1},
            "wumpus/static": {},
            "wumpus/random": {"count": 3, "size": 6},
            "wumpus/file": {"path": str(CAVES / "unibz")},
        },
        start="wumpus/static",
        families=[
            {"world": "wumpus/all", "size": [3, 2], "pits": 3},
            {"world": "wumpus/all", "size": [3, 2], "pits": 2, "formulation": "primitive"},
            {"world": "wumpus/random", "size": [5, 8], "count": 25},
            {"world": "wumpus/static"},
        ],
        heuristics=["pivots", "obstacle", "iterative_shift", "area_pruning"],
        any_instance=_any_cave,
        is_invertible=False,
        searches=["unibz_astar"],
    ),
}

DOMAIN_OF = {source: name for name, domain in DOMAINS.items() for source in domain.small}
SMALL = {source: parameters for domain in DOMAINS.values() for source, parameters in domain.small.items()}


def marks_of(source: str) -> list[pytest.MarkDecorator]:
    """Return the marks of tests that load a source."""
    return [needs_translator] if source in DOMAINS[DOMAIN_OF[source]].needed else []


def too_few(what: str, count: int, domain: str, field: str) -> str:
    """Return the message that a test of something has too few instances or states of a domain."""
    return f"{what}: only {count}: extend `{field}` of DOMAINS[{domain!r}] in tests/domains.py"
