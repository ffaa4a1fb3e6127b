"""Heuristics in files for Pyperplan."""

from __future__ import annotations

import csv
import heapq
import math
import random
import shutil
from pathlib import Path
from typing import cast

import pytest

import runner
from runner.base.errors import Incompatible, UserError
from tests import runner_cli
from tests.naive import strips as naive
from tests.planning import COLLECTION, DATA, SMALL, needs_collection, needs_translator
from worlds.pddl import rules
from worlds.pddl.packing import Packing
from worlds.pddl.reader import read_domain, read_problem
from worlds.pddl.strips import Facts, StripsTask, ground
from worlds.pddl.world import PlanningInstance

STRIPS = [
    path for name in ("blocks", "gripper", "logistics", "sokoban") for path in sorted((SMALL / name).glob("[!d]*.pddl"))
]
IDS = [f"{path.parent.name}-{path.stem}" for path in STRIPS]
GOALS = """
from __future__ import annotations

from dataclasses import dataclass

from .heuristic_base import Heuristic as Base  # as the files of Pyperplan itself do
from heuristics.heuristic_base import Heuristic


@dataclass
class Memory:
    goals: frozenset
    calls: int = 0


class Common(Heuristic):
    def __init__(self, task):
        self.memory = Memory(task.goals)


class GoalCountHeuristic(Common):
    def __call__(self, node):
        self.memory.calls += 1
        assert isinstance(self, Base) and isinstance(node.state, frozenset)
        return len(self.memory.goals - node.state)
"""
OWN = """
from heuristics.heuristic_base import Heuristic

class Own(Heuristic):
    def __init__(self, task):
        self.task = task

    def __call__(self, node):
        return """


def strips(problem: Path) -> StripsTask:
    domain = read_domain(problem, (problem.parent / "domain.pddl").read_text())
    return ground(domain, read_problem(problem, problem.read_text(), domain))


def load(problem: Path) -> PlanningInstance:
    (instance,) = runner.load("pddl/file", path=str(problem))
    return cast(PlanningInstance, instance)


def written(folder: Path, body: str, name: str = "own.py") -> dict[str, str]:
    """Write a file with a heuristic whose call returns an expression, or a whole file; return its entry."""
    whole = body if "\n" in body else f"{OWN}{body}\n"
    (folder / name).write_text(whole)
    return {"name": "file", "path": str(folder / name)}


@pytest.mark.parametrize("problem", STRIPS, ids=IDS)
def test_tasks_are_grounded_as_an_enumeration_does(problem: Path) -> None:
    domain = read_domain(problem, (problem.parent / "domain.pddl").read_text())
    facts, initial, goals, rows = naive.ground(domain, read_problem(problem, problem.read_text(), domain))
    task = strips(problem)
    assert (frozenset(task.facts), task.initial_state, task.goals) == (facts, initial, goals)
    parts = ("name", "preconditions", "negative_preconditions", "add_effects", "del_effects")
    found = [tuple(getattr(each, part) for part in parts) for each in task.operators]
    assert sorted(found) == sorted(rows)
    assert len(task.operators) > 10
    assert not task.static & task.facts


def walk(task: StripsTask, source: random.Random, steps: int) -> list[tuple[Facts, list[str]]]:
    """Return states of a random walk, each with the names of the operators that lead to it."""
    state, names = task.initial_state, list[str]()
    found = [(state, names)]
    for _ in range(steps):
        following = task.get_successor_states(state)
        if not following:
            break
        operator, state = source.choice(following)
        names = [*names, operator.name.strip("()")]
        found.append((state, names))
    return found


@needs_translator
@pytest.mark.parametrize("problem", [path for path in STRIPS if path.stem != "corner"])
def test_a_heuristic_sees_the_states_and_static_facts_of_the_task(problem: Path, tmp_path: Path) -> None:
    instance, task, source = load(problem), strips(problem), random.Random(problem.stem)
    entry = written(tmp_path, "hash((node.state, self.task.static, self.task.name)) % 1_000_000")
    h, packing = runner.heuristic(instance, [entry]), Packing(instance.world.task)
    for _ in range(5):
        for state, names in walk(task, source, 20):
            values = [instance.world.task.initial, *(values for values, _ in rules.play(instance.world.task, names))]
            if len(values) <= len(names):
                break  # the translator has removed an operator, because it is of no use
            assert h(packing.pack(values[-1])) == hash((state, task.static, task.name)) % 1_000_000


@needs_translator
@pytest.mark.parametrize("algorithm", ["astar", "greedy", "idastar"])
def test_a_search_is_that_with_the_same_compiled_heuristic(algorithm: str, tmp_path: Path) -> None:
    entry, instance = written(tmp_path, GOALS), load(SMALL / "gripper" / "two_balls.pddl")
    found, expected = (runner.solve(instance, algorithm, [each]) for each in (entry, "goal_count"))
    assert (found.plan, found.expanded, found.evaluated) == (expected.plan, expected.expanded, expected.evaluated)


IN_OTHER_WORDS = {
    "pyperplan": "from pyperplan.heuristics.heuristic_base import Heuristic\nfrom pyperplan.task import Operator, Task",
    "module": "import pyperplan.heuristics.heuristic_base\nHeuristic = pyperplan.heuristics.heuristic_base.Heuristic",
    "task": "from heuristics.heuristic_base import Heuristic\nfrom task import Operator, Task",
    "relative": "from .heuristic_base import Heuristic\nfrom ..task import Operator, Task",
    "search": "from heuristics.heuristic_base import Heuristic\nfrom search import searchspace, make_root_node",
    "nodes": "from heuristics import heuristic_base\nfrom pyperplan.search.searchspace import SearchNode\n"
    "class Heuristic(heuristic_base.Heuristic):\n    root = SearchNode(frozenset(), None, None, 0)",
}


@needs_translator
@pytest.mark.parametrize("imports", IN_OTHER_WORDS.values(), ids=IN_OTHER_WORDS)
def test_files_import_modules_of_pyperplan_that_are_not_installed(imports: str, tmp_path: Path) -> None:
    body = OWN.partition("\n\n")[2] + "len(self.task.goals - node.state)\n"
    entry = written(tmp_path, f"{imports}\n{body}")
    instance = load(SMALL / "gripper" / "two_balls.pddl")
    assert runner.heuristic(instance, [entry])(instance.problem().initial) == 2


PATHS = f"""{OWN}self.checked(node)

    def checked(self, node):
        steps = node.extract_solution()
        assert node.g == len(steps) and (node.parent is None) == (node.g == 0)
        state = self.task.initial_state
        for step in steps:
            assert step in self.task.operators and step.applicable(state)
            state = step.apply(state)
        assert state == node.state and (node.action in steps or not steps)
        return len(self.task.goals - node.state) + node.g
"""


@needs_translator
@pytest.mark.parametrize("algorithm", ["astar", "greedy", "idastar", "beam"])
def test_nodes_have_the_path_of_the_search(algorithm: str, tmp_path: Path) -> None:
    result = runner.solve(load(SMALL / "gripper" / "two_balls.pddl"), algorithm, [written(tmp_path, PATHS)])
    assert (result.status, result.valid) == ("solved", True), result.error


@needs_translator
def test_greedy_search_orders_by_a_value_with_g(tmp_path: Path) -> None:
    instance = load(SMALL / "blocks" / "sussman.pddl")
    entry = written(tmp_path, "len(self.task.goals - node.state) + node.g")
    world = instance.world
    start = world.initial()
    waiting, seen, expanded = [(0, 0, 0, start)], {start}, 0
    while not world.is_goal(waiting[0][-1]):
        _, _, g, state = heapq.heappop(waiting)
        expanded += 1
        for _, after, _ in world.successors(state):
            if after not in seen:
                seen.add(after)
                value = g + 1 + len(world.goal_facts - after.facts)
                heapq.heappush(waiting, (value, len(seen), g + 1, after))
    assert runner.solve(instance, {"name": "greedy", "ties": "fifo"}, [entry]).expanded == expanded


@needs_translator
def test_a_function_may_make_the_heuristic_and_a_name_choose_among_classes(tmp_path: Path) -> None:
    instance = load(SMALL / "gripper" / "two_balls.pddl")
    classes = "".join(
        f"class {name}(Heuristic):\n    def __init__(self, task): ...\n    def __call__(self, node): return {value}\n"
        for name, value in (("Three", 3), ("Four", 4))
    )
    whole = f"from heuristics.heuristic_base import Heuristic\n{classes}"
    made = f"{whole}def generate_heuristic(task):\n    return lambda node: len(task.goals - node.state)\n"
    for text, cls, expected in [(whole, "Three", 3), (whole, "Four", 4), (made, "", 2), (made, "Three", 3)]:
        h = runner.heuristic(instance, [{**written(tmp_path, text), "cls": cls}])
        assert h(instance.problem().initial) == expected
    with pytest.raises(UserError, match=r"heuristic\.cls=Thre: .*; did you mean 'Three'\?.* Four, Three"):
        runner.heuristic(instance, [{**written(tmp_path, whole), "cls": "Thre"}])


@needs_translator
def test_values_may_be_floats_or_infinite_and_are_rounded_down_after_scaling(tmp_path: Path) -> None:
    instance = load(SMALL / "gripper" / "two_balls.pddl")
    start = instance.problem().initial
    for body, scale, expected in [("1.75", 1, 1), ("1.75", 100, 175), ("float('inf')", 1, math.inf), ("3", 10, 30)]:
        assert runner.heuristic(instance, [{**written(tmp_path, body), "scale": scale}])(start) == expected


@needs_translator
@pytest.mark.parametrize("penalty", ["10**9", "10**12", "__import__('sys').maxsize", "1e300"])
@pytest.mark.parametrize("scale", [1, 1000])
def test_a_large_penalty_is_no_dead_end(penalty: str, scale: int, tmp_path: Path) -> None:
    """As in Pyperplan, the states with a penalty come last; the start is one of them."""
    entry = written(tmp_path, f"0 if self.task.goals <= node.state else {penalty}")
    result = runner.solve(load(SMALL / "gripper" / "two_balls.pddl"), "greedy", [{**entry, "scale": scale}])
    assert (result.status, result.valid) == ("solved", True)


@needs_translator
def test_a_value_is_computed_once_for_each_state(tmp_path: Path) -> None:
    instance = load(SMALL / "gripper" / "two_balls.pddl")
    seen = tmp_path / "seen.txt"
    entry = written(tmp_path, f"print(id(self), sorted(node.state), file=open({str(seen)!r}, 'a')) or 1")
    assert runner.solve(instance, "idastar", [entry]).status == "solved"
    lines = seen.read_text().splitlines()
    assert len(lines) == len(set(lines)) > 10


@needs_translator
def test_the_content_of_the_file_counts_not_its_path(tmp_path: Path) -> None:
    instance = load(SMALL / "gripper" / "two_balls.pddl")
    first, same, other = (
        runner.solve(instance, "greedy", [written(tmp_path, body, name)]).run_id
        for name, body in [("a.py", "1"), ("b.py", "1"), ("a.py", "2")]
    )
    assert first == same != other


MISTAKES = {
    "None": ("error", "gave None for the state {(ball-in blu"),
    "float('nan')": ("error", "gave nan"),
    "-1": ("error", "gave -1"),
    "{}['x']": ("error", "KeyError: 'x'"),
    "exit()": ("error", "SystemExit"),
    "self(node)": ("error", "RecursionError"),
    "any(iter(int, 1))": ("cpu_limit", ""),  # in compiled code, which only the system can end
    f"{OWN}self.run()\n    def run(self):\n        while True: pass\n": (
        "error",
        "TimeoutError: a call of the heuristic took more than limits.call=0.3 seconds",
    ),
    "[bytearray(1 << 24) for _ in iter(int, 1)]": ("memory_limit", ""),
    "__import__('os')._exit(3)": ("crashed", "the process ended with exit code 3"),
    "import no_such_module\n": ("error", "no_such_module"),
    "from pyperplan.heuristics.relaxation import hFFHeuristic\n": ("error", "of Pyperplan there are heuristics."),
    "def x(:\n": ("error", "SyntaxError: "),
    "x = 1\n": ("error", "expected one class derived from heuristics.heuristic_base.Heuristic; the file has none"),
    "from heuristics.heuristic_base import *\nclass A(Heuristic): 0\nclass B(Heuristic): 0\n": (
        "error",
        "the file has 2: A, B; choose one by heuristic.cls",
    ),
}
FILES = [*MISTAKES, "0", "1"]


def swept(folder: Path) -> list[dict[str, str]]:
    """Sweep over all files in the folder `own`, and return the rows."""
    runner_cli.run(
        folder, "-m", "world=pddl/file", "world.path=gripper/two_balls.pddl", "heuristic=file", "algorithm=greedy",
        "heuristic.path=own/*.py", "limits.call=0.3s", "limits.cpu=0.5s", "limits.memory=50MB", "hydra.sweep.dir=out",
    )  # fmt: skip
    return list(csv.DictReader((folder / "out/results.csv").open()))


@needs_translator
def test_a_sweep_over_files_goes_on_after_all_that_fails_and_knows_what_has_changed(tmp_path: Path) -> None:
    shutil.copytree(SMALL / "gripper", tmp_path / "gripper")
    own = tmp_path / "own"
    own.mkdir()
    for number, body in enumerate(FILES):
        written(own, body, f"h{number}.py")
    rows = swept(tmp_path)
    assert [row["heuristic.path"] for row in rows] == [f"own/h{number}.py" for number in range(len(FILES))]
    for row, body in zip(rows, FILES, strict=True):
        status, message = MISTAKES.get(body, ("solved", ""))
        assert row["status"] == status, body
        assert message in row["error"], body

    for number in range(len(MISTAKES)):
        (own / f"h{number}.py").unlink()
    written(own, "7", f"h{len(MISTAKES)}.py")
    old, new = ({row["heuristic.path"]: row["run_id"] for row in each} for each in (rows, swept(tmp_path)))
    assert {path for path, run_id in new.items() if old[path] != run_id} == {f"own/h{len(MISTAKES)}.py"}


PRINTS = f"""{OWN}len(self.task.goals - node.state)

import os, subprocess, sys, threading
print("the file runs\\nat the top")
print("a warning", file=sys.stderr)
subprocess.run(["true"], stdout=sys.stdout, check=True)
threading.Thread(target=print, args=("from a thread",)).run()
other = threading.Thread(target=print, args=("from another thread",))
other.start()
other.join()
if not os.fork():
    print("from another process")
    os._exit(0)
os.wait()
print("no end of the line", end="")
"""


@needs_translator
def test_what_a_file_prints_is_in_the_log_of_the_cell(tmp_path: Path) -> None:
    shutil.copytree(SMALL / "gripper", tmp_path / "gripper")
    written(tmp_path, PRINTS, "prints.py")
    written(tmp_path, "print('*' * 300_000) or 1", "much.py")
    done = runner_cli.run(
        tmp_path, "-m", "world=pddl/file", "world.path=gripper/two_balls.pddl", "heuristic=file",
        "heuristic.path=prints.py,much.py", "hydra.sweep.dir=out",
    )  # fmt: skip
    assert "solved" in done.stdout
    # the file is run twice, because kernels are prepared before the search; the second run may go on in the last line
    lines = ["the file runs", "at the top", "a warning", "from a thread", "from another thread", "no end of the line"]
    log = (tmp_path / "out/0/runner.log").read_text()
    assert log.startswith("\n".join(lines))
    assert log.replace("\n", "") == "".join(lines * 2)
    much = (tmp_path / "out/1/runner.log").read_text()
    assert much.splitlines()[:3] == ["*" * 300_000] * 3
    assert much.splitlines()[3:] == ["(more than 1,048,576 characters; the rest is left out)"]


@needs_translator
def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Incompatible, match=r"heuristic\.path: missing"):
        runner.solve(load(STRIPS[0]), "greedy", "file")
    with pytest.raises(UserError, match=r"none\.py"):
        runner.solve(load(STRIPS[0]), "greedy", [{"name": "file", "path": str(tmp_path / "none.py")}])
    entry = written(tmp_path, "1")
    with pytest.raises(Incompatible, match=r"STRIPS: .*domain\.pddl: line 10: derived predicates are not supported in"):
        runner.solve(load(DATA / "circuit" / "two_lamps.pddl"), "greedy", [written(tmp_path, "0")])
    with pytest.raises(Incompatible, match=r"STRIPS: .*domain\.pddl: line 22: \(when \.\.\.\) is not supported here"):
        runner.solve(load(SMALL / "kitchen" / "dinner.pddl"), "greedy", [entry])
    (instance,) = runner.load("pddl/sas", path=str(DATA / "two_balls.sas"))
    with pytest.raises(Incompatible, match="a SAS\\+ file has no PDDL"):
        runner.solve(instance, "greedy", [entry])


@needs_translator
def test_heuristics_in_python_see_static_facts_and_objects() -> None:
    instance = load(SMALL / "logistics" / "one_parcel.pddl")
    assert "part-of(depot, north)" in instance.world.static_facts
    assert not any(fact.startswith("at(") for fact in instance.world.static_facts)
    assert instance.world.objects["truck"] == ("van", "cart")
    assert set(instance.world.objects["vehicle"]) == {"van", "cart", "glider"}
    kitchen = load(SMALL / "kitchen" / "dinner.pddl")
    assert "stove" in kitchen.world.objects


@pytest.mark.long
@needs_collection
def test_tasks_are_those_of_pyperplan() -> None:
    """Pyperplan has no costs and no negative preconditions, and takes very long for some tasks."""
    grounding, parsing = pytest.importorskip("pyperplan.grounding"), pytest.importorskip("pyperplan.pddl.parser")
    compared = 0
    for row in csv.DictReader((COLLECTION / "expected.csv").open()):
        domain, problem = (COLLECTION / row["domain"] / row[key] for key in ("domain_file", "task"))
        model = read_domain(domain, domain.read_text())
        try:
            task = ground(model, read_problem(problem, problem.read_text(), model))
            if len(task.operators) > 3_000:
                continue
            parser = parsing.Parser(str(domain), str(problem))
            expected = grounding.ground(parser.parse_problem(parser.parse_domain()))
        except Exception:
            continue
        for name in ("name", "facts", "initial_state", "goals"):
            assert getattr(task, name) == getattr(expected, name), problem
        parts = ("name", "preconditions", "add_effects", "del_effects")
        found, wanted = ({tuple(getattr(o, part) for part in parts) for o in t.operators} for t in (task, expected))
        assert found == wanted, problem
        compared += 1
    assert compared >= 30


@needs_translator
def test_an_audit_tells_where_a_heuristic_does_not_guide(tmp_path: Path) -> None:
    """The counts are those of an enumeration of the states by the rules of STRIPS."""
    body = "2 * len(self.task.goals - node.state) - 2 * ('(on-table a)' in node.state and '(clear b)' in node.state)"
    expected: dict[str, int] = {"states": 0, "zero_elsewhere": 0, "plateaus": 0}
    for task in (strips(path) for path in STRIPS if path.parent.name == "blocks"):

        def value(state: Facts, task: StripsTask = task) -> int:
            away = "(on-table a)" in state and "(clear b)" in state
            return max(0, 2 * len(task.goals - state) - 2 * away)

        found, waiting = {task.initial_state}, [task.initial_state]
        while waiting:
            state = waiting.pop()
            after = [each for _, each in task.get_successor_states(state)]
            waiting += {*after} - found
            found.update(after)
            if not task.goal_reached(state):
                expected["zero_elsewhere"] += value(state) == 0
                expected["plateaus"] += all(value(each) >= value(state) for each in after)
        expected["states"] += len(found)
    audit = runner.audit("pddl/file", path=str(SMALL / "blocks"), heuristic=[written(tmp_path, f"max(0, {body})")])
    findings = {each.check: each for each in audit.findings}
    assert findings["plateaus"].states == expected["states"]
    assert {name: findings[name].violations for name in ("zero_elsewhere", "plateaus")} == {
        name: expected[name] for name in ("zero_elsewhere", "plateaus")
    }
    assert min(expected.values()) > 0
    example = findings["zero_elsewhere"].counterexample
    assert example is not None
    assert "state: (clear a) (clear b) (on b c) (on-table a) (on-table c)" in example.text
    assert "h = 0, h* = 1\noptimal path: stack a b" in example.text
