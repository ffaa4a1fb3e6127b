"""The public API: loading and solving instances, heuristics as functions, errors."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, fields
from typing import Any
from unittest.mock import Mock

import pytest

import runner
from algorithms.best_first.best_first import BestFirstSearch
from algorithms.interface.algorithm import ALGORITHMS, SearchAlgorithm
from heuristics.interface.heuristic import HEURISTICS
from runner.base import own_packages
from runner.base.errors import Incompatible
from runner.config.cell.schema import SearchParts
from runner.config.doors.plugins import load_plugins
from tests.domains import DOMAIN_OF, DOMAINS, SMALL, marks_of
from tests.gridmaps import refuses
from tests.registered import AGENTS, OF_FILES, ONLY_IN, SEARCHES
from tests.runner_cli import ROOT
from tests.sampling import covering
from worlds.compile import kernels
from worlds.compile.digest import kernel_digest
from worlds.interface.instance import Instance, Problem
from worlds.wumpus.online import unplayable_reason
from worlds.wumpus.sources import SUITES
from worlds.wumpus.world import CaveWorld

own_packages.load()
load_plugins(["runner.examples.pancake"])


def a_cave() -> Instance:
    return runner.load("wumpus/static")[0]


def test_documented_calls_return_the_documented_values() -> None:
    instances = runner.load("wumpus/file", path=str(SUITES / "unibz" / "unibz_w5.json"))
    result = runner.solve(instances[0], algorithm="astar", heuristic=["manhattan", "pivots"], weighting=1.0)
    assert runner.solve(instances[0], "astar", "manhattan", "constant").cost == 29
    assert result.plan is not None
    assert (result.cost, result.status, result.length) == (29, "solved", len(result.plan))
    assert result.expanded is not None
    assert result.expanded > 0
    assert result.row()["cost"] == 29
    h = runner.heuristic(instances[0], ["manhattan", "pivots"])
    assert h(instances[0].world.state(location=(2, 3), facing="N", gold=False, wumpus=True)) == 9
    entry = {"name": "obstacle", "as_published": True}
    assert runner.heuristic(instances[0], ["manhattan", entry])(instances[0].problem().initial) >= 12


def test_a_result_is_immutable_and_its_row_is_json() -> None:
    result = runner.solve(a_cave())
    for field in fields(result):
        with pytest.raises(AttributeError):
            setattr(result, field.name, 1)
    json.dumps(result.row())


def test_h_of_an_unsolvable_instance_is_infinite_if_the_heuristic_proves_it() -> None:
    w7 = runner.load("wumpus/static")[6]
    assert runner.heuristic(w7, "flood_fill")(w7.problem().initial) == math.inf
    assert runner.heuristic(w7, "manhattan")(w7.problem().initial) < math.inf


LOADED = [pytest.param(world, marks=marks_of(world)) for world in SMALL]


def heuristics_of(world: str) -> list[str]:
    """Return our heuristics for a world of `SMALL` that need no file, without those of other tests."""
    own = [(domain, name) for domain, name, each in HEURISTICS.entries() if each.__module__.startswith("heuristics.")]
    return sorted({"none", *(name for domain, name in own if domain == DOMAIN_OF[world])} - OF_FILES)


def suits(algorithm: str, world: str, heuristic: str, instance: Instance | None = None) -> bool:
    """Return whether an algorithm accepts a world of `SMALL`, or one of its instances, and a heuristic."""
    needs, domain = ALGORITHMS.find(algorithm), DOMAIN_OF[world]
    if instance is not None and getattr(needs, "needs_unit_costs", False) and not instance.world.unit_costs:
        return False
    if needs.heuristic == "needed" and heuristic == "none":
        return False
    if needs.needs_consistent and heuristic == "table":
        return False
    if domain not in ONLY_IN.get(algorithm, (domain,)):
        return False
    if algorithm == "frontier" and world in DOMAINS[domain].unnumbered:
        return False
    if domain == "gridmap":
        return not refuses(algorithm, SMALL[world]) and (
            needs.heuristic == "ignored" or not refuses(heuristic, SMALL[world])
        )
    needs_inverse = issubclass(needs, SearchAlgorithm) and needs.needs_inverse
    return not needs_inverse or DOMAINS[domain].is_invertible


def accepted(algorithm: str, world: str) -> list[str]:
    """Return the heuristics with which an algorithm searches a world of `SMALL`."""
    return [name for name in heuristics_of(world) if suits(algorithm, world, name)]


@pytest.mark.parametrize("world", LOADED)
def test_every_combination_is_accepted_or_refused(world: str) -> None:
    """New worlds, heuristics and algorithms are tested here as soon as they are registered.

    What is accepted is searched in `audits/test_declared.py`, and in every combination by the long tests.
    """
    instances = runner.load(world, **SMALL[world])[:3]
    unexpected = []
    for algorithm, name, instance in itertools.product(SEARCHES, heuristics_of(world), instances):
        try:
            SearchParts.of(instance.world.domain, algorithm, name, None, "sum").fitted([instance])
        except Incompatible as error:
            if suits(algorithm, world, name, instance):
                unexpected.append(f"{algorithm} with {name} refuses {instance.id}: {error}")
        else:
            if not suits(algorithm, world, name, instance):
                unexpected.append(f"{algorithm} with {name} accepts {instance.id}")
    assert unexpected == [], "see the fields of `Domain` in tests/domains.py"


@pytest.mark.long
@pytest.mark.parametrize(
    ("world", "algorithm"),
    [
        pytest.param(world, algorithm, marks=marks_of(world))
        for world, algorithm in itertools.product(SMALL, SEARCHES)
        if accepted(algorithm, world)
    ],
)
def test_every_accepted_combination_is_searched(world: str, algorithm: str) -> None:
    for name, instance in itertools.product(accepted(algorithm, world), runner.load(world, **SMALL[world])[:7]):
        if not suits(algorithm, world, name, instance):
            continue
        result = runner.solve(instance, algorithm=algorithm, heuristic=name, limits={"nodes": 2_000})
        assert result.status in ("solved", "unsolvable", "cutoff", "node_limit")
        assert result.valid is (True if result.status == "solved" else None)
        assert result.error is None


def short_searches() -> Iterator[Any]:
    """Yield a world of each domain, with each algorithm and a heuristic that is built at once."""
    for (row, domain), (column, algorithm) in itertools.product(enumerate(DOMAINS.values()), enumerate(SEARCHES)):
        quick = [name for name in accepted(algorithm, domain.start) if name != "table" and "pattern" not in name]
        if names := sorted(quick, key="none".__eq__):
            marks = [pytest.mark.long] if (row + column) % 4 else []
            yield pytest.param(domain.start, algorithm, names[0], marks=marks, id=f"{domain.start}-{algorithm}")


@pytest.mark.parametrize(("world", "algorithm", "heuristic"), list(short_searches()))
def test_the_digest_of_a_kernel_is_computed_once(
    world: str, algorithm: str, heuristic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not in each search, whose time would contain it: it takes longer than a short search."""
    instance = runner.load(world, **SMALL[world])[0]

    def search() -> None:
        runner.solve(instance, algorithm, heuristic, limits={"nodes": 1})

    search()
    digest = Mock(wraps=kernel_digest)
    monkeypatch.setattr(kernels, "kernel_digest", digest)
    for _ in range(3):
        search()
    digest.assert_not_called()


PLAYED = [*(domain.start for domain in DOMAINS.values()), "wumpus/all", "wumpus/random"]
"""A world of each domain; of caves, more sources."""


@covering({"algorithm": AGENTS, "world": PLAYED})
def test_every_agent_plays_a_cave_or_is_refused(world: str, algorithm: str) -> None:
    for instance in runner.load(world, **SMALL[world])[:2]:
        if not isinstance(instance.world, CaveWorld) or unplayable_reason(instance.world.cave):
            with pytest.raises(Incompatible, match=f"algorithm: {algorithm}: agents play"):
                runner.solve(instance, algorithm)
            continue
        result = runner.solve(instance, algorithm, heuristic="manhattan")
        assert result.status in ("escaped_with_gold", "escaped", "died", "action_limit")
        assert (result.valid, result.heuristic, result.error) == (True, "none", None)
        assert result.cost is not None
        assert result.actions is not None
        assert result.plan is not None
        assert result.cost == result.actions + 9 * result.arrow_used
        assert result.reward == {"escaped_with_gold": 1000, "died": -1000}.get(result.status, 0) - result.cost
        assert 1 <= result.rooms_explored <= instance.world.cave.size[0] ** 2
        assert (result.length, len(result.plan)) == (result.actions, result.actions)


def test_a_result_has_the_parameters_of_its_search() -> None:
    primitive = runner.load("wumpus/static", formulation="primitive", pruning="effective")[0]
    result = runner.solve(primitive, {"name": "astar", "ties": "fifo", "reopen": False}, ["manhattan"])
    assert (result.ties, result.parameters) == ("fifo", "formulation=primitive pruning=effective reopen=false")
    plain = runner.solve(a_cave(), "weighted_astar", ["manhattan"])
    assert (plain.ties, plain.parameters, plain.weighting) == ("low_h", None, "constant(1.5)")
    assert runner.solve(a_cave(), "unibz_astar").ties is None


def test_searches_that_differ_have_different_run_ids() -> None:
    first, second = runner.load("wumpus/static")[:2]
    ids = {
        runner.solve(instance, algorithm=algorithm, heuristic=stack, weighting=weight).run_id
        for instance in (first, second)
        for algorithm in ("astar", {"name": "astar", "ties": "fifo"})
        for stack in (["manhattan"], ["manhattan", "pivots"], [{"name": "obstacle", "as_published": True}])
        for weight in (None, 2.0)
    }
    assert len(ids) == 24
    again = runner.solve(first, heuristic=["manhattan"], limits={"nodes": 10**6}).run_id
    assert again == runner.solve(first, heuristic=["manhattan"]).run_id
    assert len(again) == 16
    assert int(again, 16) >= 0


def test_an_error_in_a_search_is_a_result(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("of the\nuser's")

    instance = a_cave()
    monkeypatch.setattr(Instance, "problem", broken)
    result = runner.solve(instance, "ucs")
    assert (result.status, result.error) == ("error", "RuntimeError: of the\nuser's")
    assert "in broken" in caplog.text


def test_a_plan_that_does_not_reach_the_goal_is_invalid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Problem, "plan", lambda *_: ("MOVE", "CLIMB"))
    result = runner.solve(a_cave(), "ucs")
    assert (result.status, result.valid) == ("solved", False)


def test_a_search_without_memory_ends_with_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def step(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(BestFirstSearch, "step", step)
    assert runner.solve(a_cave(), "ucs").status == "memory_limit"


@dataclass(frozen=True)
class Line(runner.PythonWorld):
    """World with one plan, which consists of given actions."""

    actions: tuple[str, ...] = ()

    def initial(self) -> int:
        return 0

    def successors(self, state: Hashable) -> list[tuple[str, Hashable, int]]:
        assert isinstance(state, int)
        return [(self.actions[state], state + 1, 1)]

    def is_goal(self, state: Hashable) -> bool:
        return state == len(self.actions)


@pytest.mark.parametrize(
    ("plan", "moves"),
    [
        (("L", "U"), "LU"),
        ((), ""),
        (("L",) * 1000, "L" * 1000),
        (("L",) * 1001, None),
        (("MOVE",), None),
        (("2", "2"), None),
        (("+",), None),
    ],
)
def test_moves_are_a_plan_of_at_most_1000_letters(plan: tuple[str, ...], moves: str | None) -> None:
    (instance,) = Line(plan).instances()
    result = runner.solve(instance, "ucs")
    assert (result.plan, result.moves) == (plan, moves)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algorithm": "astr"}, "did you mean 'astar'"),
        ({"algorithm": {"nam": "astar"}}, "algorithm.name: expected one of"),
        ({"heuristic": ["manhatan"]}, "did you mean 'manhattan'"),
        ({"heuristic": "manhatan"}, "did you mean 'manhattan'"),
        ({"heuristic": "manhatan", "algorithm": "bfs"}, "did you mean 'manhattan'"),
        ({"heuristic": [{"name": "obstacle", "published": True}]}, "did you mean 'as_published'"),
        ({"heuristic": [{"as_published": True}]}, r"heuristic.stack\[0\].name: expected one of"),
        ({"heuristic": ["manhattan"], "combine": "mean"}, "expected one of sum, max"),
        ({"weighting": -1.0}, "weighting.weight: expected float >= 0"),
        ({"algorithm": "greedy", "weighting": 2.0}, "greedy has no weight"),
        ({"limits": {"time": 0}}, "limits.time: expected seconds above 0"),
        ({"limits": {"tme": 1}}, "did you mean 'time'"),
        ({"limits": 5}, "limits: expected a mapping, got 5"),
        ({"heuristic": lambda _: 0}, r"heuristic: expected .*, got a function; register it with @runner.python_heuris"),
        ({"heuristic": [lambda _: 0]}, r"heuristic: expected .*, got a function; register it with @runner.python_heur"),
        ({"heuristic": None}, "heuristic: expected a name or a list of names, got None"),
        ({"algorithm": lambda _: 0}, r"algorithm: expected .*, got a function; register it with @runner.python_algor"),
        ({"algorithm": None}, "algorithm: expected a name, or a mapping with it, got None"),
    ],
)
def test_invalid_arguments_are_user_errors(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(runner.UserError, match=message):
        runner.solve(a_cave(), **arguments)


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "solve: a name": (
        lambda: runner.solve("wumpus/static"),  # type: ignore[arg-type]
        r"expected one instance, such as runner.load\('wumpus/static'\)\[0\], got 'wumpus/static'",
    ),
    "solve: a list": (
        lambda: runner.solve([a_cave()]),  # type: ignore[arg-type]
        r"expected one instance, such as runner.load\(...\)\[0\], got \[Instance",
    ),
    "explore: a name": (lambda: runner.explore("x"), "instance: expected one"),  # type: ignore[arg-type]
    "audit: a number": (lambda: runner.audit(5), "instance: expected one"),  # type: ignore[arg-type]
    "heuristic: a name": (lambda: runner.heuristic("x", "pivots"), "instance: expected one"),  # type: ignore[arg-type]
    "replay: a name": (lambda: runner.replay("x", []), "instance: expected one"),  # type: ignore[arg-type]
    "replay: another action": (lambda: runner.replay(a_cave(), ["FLY"]), r"got \['FLY'\]: there is no action 'FLY'"),
    "replay: a collision": (
        lambda: runner.replay(next(each for each in runner.load("mapf/static") if each.id == "swap"), ["rl"]),
        "plan: step 1: agents 1 and 2 are both in",
    ),
    "replay: no plan": (lambda: runner.replay(a_cave(), None), "plan: expected names"),  # type: ignore[arg-type]
    "h: a tuple": (
        lambda: runner.heuristic(runner.load("npuzzle/random", count=1, size=3)[0], "manhattan")((1, 2, 3)),
        r"\(1, 2, 3\) is no state of npuzzle: packed and unpacked it is",
    ),
    "h: a list": (
        lambda: runner.heuristic(runner.load("pancake", count=1)[0], "gap")([1, 2]),
        r"\[1, 2\] is no state of plain_pancake: use a tuple, \(1, 2\)",
    ),
    "h: not hashable": (
        lambda: runner.heuristic(runner.load("pancake", count=1)[0], "gap")({1: 2}),
        r"h: \{1: 2\} is no state of pancake_0: TypeError: .*unhashable",
    ),
}


@pytest.mark.parametrize(("call", "message"), CALLS.values(), ids=CALLS.keys())
def test_calls_with_other_values_are_user_errors(call: Callable[[], object], message: str) -> None:
    with pytest.raises(runner.UserError, match=message):
        call()


def test_the_code_of_a_result_includes_that_of_a_world_in_a_plug_in() -> None:
    own = runner.solve(runner.load("hanoi/tower", disks=2)[0], "ucs").code
    with_plugin = runner.solve(runner.load("pancake", size=4, count=1)[0], "ucs").code
    assert str(with_plugin).startswith(f"{own}+")


def test_public_names_are_documented() -> None:
    assert set(runner.__all__) <= set(dir(runner))
    for name in runner.__all__:
        assert getattr(runner, name).__doc__
    with pytest.raises(AttributeError):
        runner.no_such_name  # noqa: B018


def test_importing_the_registry_imports_no_other_package() -> None:
    others = {"worlds", "heuristics", "algorithms", "numba", "hydra"}
    code = f"import sys, runner.base.registry; print({others} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
