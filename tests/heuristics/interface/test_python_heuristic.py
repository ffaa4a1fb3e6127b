"""The door of heuristics in plain Python: what can be registered, what values may be, and what messages say."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runner
from algorithms.interface.algorithm import ALGORITHMS
from heuristics.interface.heuristic import HEURISTICS
from runner.base.parameters import defaults_in_yaml, parameters_of
from runner.records.code import code_of
from tests import runner_cli

_NUMBERS = count()
INSTANCE: Any = runner.load("npuzzle/random", size=3, count=1)[0]


def misplaced(state: tuple[int, ...], weight: int = 1) -> int:
    """Number of misplaced tiles, times a weight."""
    return weight * sum(tile not in (0, place + 1) for place, tile in enumerate(state))


@dataclasses.dataclass  # equal objects have no hash
class Network:
    """Estimator with a weight."""

    weight: int

    def __call__(self, state: Any, world: Any, factor: int = 1) -> int:
        return factor * misplaced(state, self.weight)


class Batch:
    def __call__(self, states: list[tuple[int, ...]]) -> list[int]:
        """Values of several states."""
        return [misplaced(state) for state in states]


def registered(function: Callable[..., Any], **declared: Any) -> str:
    name = f"test_door_{next(_NUMBERS)}"
    runner.python_heuristic(name, domain="npuzzle", **declared)(function)
    return name


def error_of(function: Callable[..., Any], **declared: Any) -> str:
    result = runner.solve(INSTANCE, "greedy", [registered(function, **declared)])
    assert result.status == "error"
    return str(result.error)


@pytest.mark.parametrize(
    ("function", "declared", "parameters", "title", "text"),
    [
        (partial(misplaced, weight=3), {}, {"weight": 3}, "misplaced", "Number of misplaced tiles"),
        (partial(partial(misplaced), weight=3), {}, {"weight": 3}, "misplaced", "Number of misplaced tiles"),
        (Network(3), {}, {"factor": 1}, "Network", "Estimator with a weight"),
        (partial(Network(1), factor=3), {}, {"factor": 3}, "Network", "Estimator with a weight"),
        (Batch(), {"batch": True}, {}, "Batch", "Values of several states"),
    ],
    ids=["partial", "partial of a partial", "object", "partial of an object", "batch"],
)
def test_objects_and_partials_are_functions(
    function: Callable[..., Any], declared: dict[str, Any], parameters: dict[str, Any], title: str, text: str
) -> None:
    name = registered(function, **declared)
    cls = HEURISTICS.find(name, domain="npuzzle")
    assert parameters_of(cls) == {**parameters, "scale": None}
    assert (cls.__name__, cls.__module__) == (title, __name__)
    assert str(cls.__doc__).startswith(text)
    factor = 1 if declared else 3
    weighted = registered(lambda state: factor * misplaced(state))
    found, expected = (runner.solve(INSTANCE, "greedy", [each]) for each in (name, weighted))
    assert (found.status, found.expanded, found.initial_h) == ("solved", expected.expanded, expected.initial_h)


def test_a_type_hint_of_what_a_partial_calls_holds() -> None:
    name = registered(partial(misplaced, weight=3))
    with pytest.raises(runner.UserError, match=r"heuristic.stack\[0\].weight: expected int, got str"):
        runner.solve(INSTANCE, "greedy", [{"name": name, "weight": "x"}])


@pytest.mark.parametrize(
    "weights", [[3, 1], np.array([3, 1]), {0: 3}, Network(3)], ids=["list", "array", "dict", "object"]
)
def test_what_a_partial_binds_and_yaml_cannot_have_is_no_parameter(weights: Any) -> None:
    def weighted(state: Any, weights: Any, factor: int = 1) -> int:
        return factor * misplaced(state, weights.weight if isinstance(weights, Network) else int(weights[0]))

    name = registered(partial(weighted, weights=weights))
    assert parameters_of(HEURISTICS.find(name, domain="npuzzle")) == {"factor": 1, "scale": None}
    defaults_in_yaml(HEURISTICS.find(name, domain="npuzzle"), name)
    h = runner.heuristic(INSTANCE, [{"name": name, "factor": 2}])
    assert h(INSTANCE.puzzle.board) == 6 * misplaced(INSTANCE.puzzle.board)
    with pytest.raises(TypeError, match=r"takes \(state\) or"):
        registered(partial(lambda weights, state: 0, weights=weights))


def test_objects_and_partials_are_algorithms() -> None:
    class Nothing:
        """Find nothing."""

        def __call__(self, problem: Any, limit: int = 5) -> None:
            return None

    functions: list[Callable[..., Any]] = [Nothing(), partial(Nothing(), limit=7)]
    for number, function in enumerate(functions):
        runner.python_algorithm(f"test_door_{number}")(function)
        cls = ALGORITHMS.find(f"test_door_{number}")
        assert (parameters_of(cls), cls.__name__, cls.__doc__) == (
            {"limit": 5 + 2 * number},
            "Nothing",
            "Find nothing.",
        )
        assert runner.solve(INSTANCE, f"test_door_{number}").status == "cutoff"


def test_the_content_of_objects_and_partials_in_no_file_is_part_of_the_code() -> None:
    """Their classes are those of the module that registers them: what they call may be in a file."""

    def code(make: str) -> str:
        name = f"test_door_{next(_NUMBERS)}"
        names = {
            "__name__": "in_no_file",
            "runner": runner,
            "misplaced": misplaced,
            "Network": Network,
            "partial": partial,
        }
        exec(f"runner.python_heuristic({name!r}, domain='npuzzle')({make})", names)
        return code_of([HEURISTICS.find(name, domain="npuzzle")()]).replace(name, "")

    for make in ("partial(misplaced, weight={})", "partial(misplaced, weight=[{}])", "Network({})"):
        codes = [code(make.format(weight)) for weight in (2, 3)]
        assert len({*codes, code_of([])}) == 3


def test_values_are_multiplied_by_the_scale_and_rounded_down() -> None:
    third = registered(lambda state: misplaced(state) / 3)
    start = misplaced(INSTANCE.puzzle.board)
    for scale in (1, 10, 1000):
        h = runner.heuristic(INSTANCE, [{"name": third, "scale": scale}])
        assert h(INSTANCE.puzzle.board) == scale * start // 3
    assert runner.heuristic(INSTANCE, [registered(lambda state: 0.25, scale=100)])(INSTANCE.puzzle.board) == 25

    def scaled(state: tuple[int, ...], scale: int = 5) -> int:
        return scale * misplaced(state)

    assert runner.heuristic(INSTANCE, [registered(scaled)])(INSTANCE.puzzle.board) == 5 * start
    with pytest.raises(TypeError, match="scale is a parameter of the function; leave it out in the decorator"):
        registered(lambda state, scale=5: 0, scale=2)


@pytest.mark.parametrize("scale", [0, -5, 2.5, 2.0, True, "abc", 1_000_001])
def test_a_wrong_scale_is_refused_where_it_is_declared(scale: Any) -> None:
    with pytest.raises(TypeError, match=rf": scale is an integer from 1 to 1,000,000, not {scale!r}$"):
        registered(misplaced, scale=scale)


def test_an_admissible_function_has_no_scale() -> None:
    declared = registered(misplaced, admissible=True)
    assert runner.solve(INSTANCE, "greedy", [{"name": declared, "scale": 1}]).status == "solved"
    with pytest.raises(runner.UserError, match="is declared admissible, which is true of scale=1 only"):
        runner.solve(INSTANCE, "greedy", [{"name": declared, "scale": 2}])


@pytest.mark.parametrize("declared", ["admissible", "consistent"])
def test_a_fraction_of_a_declared_function_gets_no_advice_that_is_refused(declared: str) -> None:
    h = registered(lambda state: 0.5, **{declared: True})
    error = str(runner.solve(INSTANCE, "greedy", h).error)
    assert error.endswith("or math.inf for a dead end; heuristic.scale=1 rounds values down"), error


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (0.5, "; heuristic.scale=1 rounds values down, scale=1000 keeps three decimals"),
        (np.float32(0.5), "; heuristic.scale=1 rounds values down, scale=1000 keeps three decimals"),
        (-1e-9, "; clip it: max(0, value)"),
        (-3, "; clip it: max(0, value)"),
        (None, "; is a return missing?"),
        (float("nan"), ""),
    ],
)
def test_a_wrong_value_says_what_to_do(value: Any, advice: str) -> None:
    for function, declared in ((lambda state: value, {}), (lambda states: [value] * len(states), {"batch": True})):
        error = error_of(function, **declared)
        assert f"gave {value!r} for the state" in error
        assert error.endswith(f"; expected an integer of at least 0, or math.inf for a dead end{advice}")


@pytest.mark.parametrize(
    ("values", "given"),
    [
        (lambda states: 3, "3"),
        (lambda states: np.float64(3), repr(np.float64(3))),
        (lambda states: (3 for _ in states), "an object of type generator"),
        (lambda states: map(misplaced, states), "an object of type map"),
        (lambda states: dict.fromkeys(states, 3), "an object of type dict"),
        (lambda states: {3}, "an object of type set"),
        (lambda states: "3" * len(states), "an object of type str"),
        (lambda states: np.zeros((len(states), 1)), "an array of shape (1, 1)"),
        (lambda states: np.array(3), "an object of type ndarray"),
        (lambda states: None, "None"),
    ],
)
def test_what_is_no_list_of_values_is_named(values: Callable[[Any], Any], given: str) -> None:
    advice = "; is a return missing?" if given == "None" else ""
    assert error_of(values, batch=True).endswith(
        f" gave {given} for 1 state; expected a list or an array with a value for each state, in their order{advice}"
    )


def test_a_decorator_without_brackets_says_what_to_write() -> None:
    message = (
        r'runner.python_heuristic takes a name and a domain: write @runner.python_heuristic\("misplaced", '
        r'domain="npuzzle"\) above the function'
    )
    for wrong in (lambda: runner.python_heuristic(misplaced), lambda: runner.python_heuristic("misplaced")):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=message):
            wrong()
    with pytest.raises(TypeError, match=r'write @runner.python_heuristic\("my_name", domain="pancake"\) above'):
        runner.python_heuristic(domain="pancake")
    with pytest.raises(TypeError, match=r'write @runner.python_algorithm\("misplaced", ...\) above the function'):
        runner.python_algorithm(misplaced)  # type: ignore[arg-type]


@pytest.mark.parametrize("default", [[], {}, {3}])
def test_a_default_that_can_change_is_refused(default: Any) -> None:
    with pytest.raises(TypeError) as error:
        registered(lambda state, memory=default: 0)
    assert str(error.value).endswith(
        f"the default of the parameter memory={default!r} can change: put 'memory = {default!r}' before the function, "
        "and leave the parameter out (or write a tuple)"
    )


def test_mistakes_with_plugins_say_what_to_write(tmp_path: Path) -> None:
    plugins = {
        "noreg": "def noreg(state):\n    return 0\n",
        "rows": "import runner\n@runner.python_heuristic('count_rows', domain='npuzzle')\n"
        "def count_rows(state, world):\n    return len(world.goal)\n",
        "typo": 'import runner\n@runner.python_heuristic("typo", domain="npuzle")\ndef typo(state):\n    return 0\n',
        "tabled": "import runner.plugin\n@runner.plugin.table('t')\ndef of(runs):\n    return []\n",
        "facade": "import rows\n",
        "other": "x = print('manhatan')\n",
        "odd": "import runner\n@runner.source('other/name', domain='odd')\ndef odd():\n    yield 'a', None\n"
        "@runner.python_heuristic('h_odd', domain='odd')\ndef h_odd(state):\n    return 0\n",
    }
    for name, text in plugins.items():
        (tmp_path / f"{name}.py").write_text(text)
    puzzle = ("world=npuzzle/random", "world.size=3", "world.count=1")
    for arguments, says in {
        (*puzzle, "plugins=[noreg]", "heuristic=noreg"): (
            "error: heuristic: there is no 'noreg'; noreg.py registers nothing: "
            "write @runner.python_heuristic(...) above the function\n"
        ),
        (*puzzle, "heuristic=rows"): "error: heuristic: there is no 'rows'; 'plugins=[rows]' imports rows.py\n",
        (*puzzle, "heuristic=count_rows"): (
            "error: heuristic: there is no 'count_rows'; 'plugins=[rows]' imports rows.py\n"
        ),
        (*puzzle, "plugins=[tabled]", "heuristic=zzqx"): "there is no 'zzqx'; choose from: ",
        (*puzzle, "plugins=[facade]", "heuristic=zzqx"): "there is no 'zzqx'; choose from: ",
        (*puzzle, "plugins=[other]", "heuristic=manhatan"): "there is no 'manhatan'; did you mean 'manhattan'?",
        (*puzzle, "heuristic=manhatan"): "there is no 'manhatan'; did you mean 'manhattan'?",
        (*puzzle, "heuristic=zzqx"): (
            "error: heuristic: there is no 'zzqx'; a heuristic of your own needs 'plugins=[FILE]'; choose from: "
        ),
        ("plugins=[rows]", "heuristic=count_rows"): "; add world=npuzzle/random\n",
        (*puzzle, "plugins=[odd]", "heuristic.stack=[manhattan,h_odd]"): "; add world=other/name\n",
        (*puzzle, "plugins=[typo]", "heuristic=typo"): "; there is no domain npuzle; did you mean 'npuzzle'?\n",
    }.items():
        done = runner_cli.run(tmp_path, *arguments)
        assert done.returncode == 2
        assert says in done.stderr
    with pytest.raises(runner.UserError) as error:
        runner.solve(INSTANCE, "astar", "pivots")
    assert "add world" not in str(error.value)


def test_a_missing_attribute_of_a_world_is_named_with_its_place() -> None:
    parts = ", ".join(f"world.puzzle.{name}" for name in ("rows", "columns", "board", "goal"))
    for name, meant in (("goal", " did you mean world.puzzle.goal?"), ("other", "")):
        with pytest.raises(AttributeError) as error:
            getattr(INSTANCE, name)
        assert str(error.value) == f"an instance of npuzzle has no attribute '{name}';{meant} it has {parts}"


def test_what_is_no_state_is_refused_by_a_heuristic() -> None:
    h = runner.heuristic(INSTANCE, ["manhattan"])
    board = (1, 2, 3, 4, 5, 6, 7, 8, 0)
    assert h(board) == 0
    with pytest.raises(runner.UserError) as error:
        h(list(board))
    assert str(error.value) == f"{list(board)} is no state of npuzzle: use a tuple, {board}"
    for wrong in ([[1, 2, 3], [4, 5, 6], [7, 8, 0]], "123456780", 123456780, ((1, 2, 3), (4, 5, 6), (7, 8, 0))):
        with pytest.raises(runner.UserError) as error:
            h(wrong)
        assert str(error.value) == f"{wrong!r} is no state of npuzzle: write it like {INSTANCE.puzzle.board}"
    with pytest.raises(runner.UserError, match="state: board is not a permutation of 0 to 8"):
        h((1, 2, 3, 4, 5, 6, 7, 8, 9))


@pytest.mark.parametrize("milliseconds", [0, 2])
def test_the_time_inside_of_a_function_is_measured(milliseconds: int) -> None:
    """Short calls are sampled, others are measured one by one; compiled heuristics have no time."""
    name = f"waiting_{milliseconds}"

    @runner.python_heuristic(name, domain="npuzzle", admissible=True)
    def waiting(board: Any) -> int:
        time.sleep(milliseconds / 1000)
        return 0

    (board,) = runner.load("npuzzle/random", size=3, count=1)
    limits = {"nodes": 50 if milliseconds else 5000}
    result = runner.solve(board, algorithm="astar", heuristic=name, limits=limits)
    assert result.heuristic_seconds is not None
    assert result.evaluated is not None
    assert 0 < result.heuristic_seconds <= (result.search_seconds or 0)
    assert result.heuristic_seconds >= result.evaluated * milliseconds / 1000
    assert 0 < result.heuristic_share <= 1
    assert runner.solve(board, algorithm="astar", heuristic="manhattan").heuristic_seconds is None
