"""Registration of entries, and conversion of their parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from msgspec import Meta

from algorithms.agents.interface import Agent
from algorithms.interface.algorithm import SearchAlgorithm
from heuristics.interface.heuristic import HEURISTICS
from heuristics.interface.weighting import WEIGHTINGS, Constant, Weighting
from runner import (
    Looks,
    Metric,
    PythonHeuristic,
    PythonWorld,
    compiled_heuristic,
    helper,
    kernel,
    plugin,
    priority,
    python_algorithm,
    python_heuristic,
    register,
    source,
)
from runner.base import own_packages
from runner.base.errors import Incompatible, UserError
from runner.base.own_places import PACKAGES
from runner.base.parameters import convert, parameters_of
from runner.base.registry import Registry
from runner.config.cell.keys import SECTIONS
from runner.config.cell.registries import REGISTRIES
from runner.config.doors.commands import COMMANDS, ArgumentParser, command
from tests.isolated import isolated
from worlds.interface.sources import SOURCES


@pytest.mark.parametrize("name", ["nan", "Inf", "true", "null", "007", "1e3"])
def test_a_name_that_yaml_does_not_read_as_text_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"heuristic '{name}': YAML reads '{name}' as a number"):
        python_heuristic(name, domain="wumpus")(lambda world, state: 0)


@dataclass(frozen=True)
class Part:
    name: str


@dataclass(frozen=True)
class Refusing:
    name: str

    def __post_init__(self) -> None:
        if not self.name.isalpha():
            raise ValueError("names begin with a letter")


@dataclass(frozen=True)
class Parameters:
    count: Annotated[int, Meta(ge=1)] = 1
    mode: Literal["fast", "slow"] = "fast"
    sizes: list[int] = field(default_factory=list)
    ratio: float = 0.5
    limit: Annotated[int, Meta(ge=1)] | None = None
    sides: Annotated[tuple[int, ...], Meta(min_length=1)] = (1,)
    pair: tuple[int, int] = (1, 2)
    either: str | list[int] = ""
    part: Part | None = None
    weights: dict[str, Annotated[float, Meta(gt=0)]] | None = None
    class_: bool = False
    is_shown: bool | None = None


def test_valid_values_are_converted() -> None:
    made = convert(Parameters, {"count": 3, "ratio": 1, "sizes": [1, 2]}, where="x")
    assert made == Parameters(3, "fast", [1, 2], 1.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 0}, "x.count: expected int >= 1, got 0"),
        ({"weights": {"a": 1, "b": 0}}, "x.weights.b: expected float > 0.0, got 0"),
        ({"weights": {5: 1}}, "x.weights: key: expected str, got int"),
        ({"weights": [1]}, r"x.weights: expected mapping \| null, got list"),
        ({"count": "3"}, "x.count: expected int, got str"),
        ({"count": True}, "x.count: expected int, got bool"),
        ({"mode": "fats"}, "x.mode: expected one of fast, slow, got 'fats'; did you mean 'fast'?"),
        ({"sizes": [1, "a"]}, r"x.sizes\[1\]: expected int, got str"),
        ({"sizes": 1}, "x.sizes: expected list, got int"),
        ({"limit": 0}, "x.limit: expected int >= 1, got 0"),
        ({"limit": "3"}, r"x.limit: expected int \| null, got str"),
        ({"sides": []}, "x.sides: expected list of length >= 1, got \\[\\]"),
        ({"sides": (1, "a")}, r"x.sides\[1\]: expected int, got str"),
        ({"pair": [1, 2, 3]}, r"x.pair: expected list of length 2, got 3"),
        ({"part": {"name": 3}}, r"x.part.name: expected str, got int"),
        ({"part": {}}, r"x.part.name: missing"),
        ({"part": 3}, r"x.part: expected mapping \| null, got int"),
        ({"either": [1, "a"]}, r"x.either\[1\]: expected int, got str"),
        ({"either": 1.5}, r"x.either: expected str \| list, got float"),
        ({"ratio": 0, "class": 2}, r"x.class: expected true or false, got int"),
        ({"is_shown": 3}, r"x.is_shown: expected true \| false \| null, got int"),
        ({"cuont": 1}, "x.cuont: unknown parameter; did you mean 'count'\\? choose from: count, mode, sizes, ratio, "),
    ],
)
def test_a_message_names_the_key_and_the_allowed_values(values: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        convert(Parameters, values, where="x")
    assert "\n" not in str(caught.value)


def test_missing_fields_and_errors_of_the_dataclass_are_user_errors() -> None:
    with pytest.raises(UserError, match=r"^x\.name: missing$"):
        convert(Part, {}, where="x")
    with pytest.raises(UserError, match=r"^x: names begin with a letter$"):
        convert(Refusing, {"name": "3"}, where="x")


def test_two_classes_cannot_have_the_same_name() -> None:
    @dataclass(frozen=True)
    class One(Constant):
        pass

    @dataclass(frozen=True)
    class Two(Constant):
        pass

    with isolated(PACKAGES):
        WEIGHTINGS.register("test_only")(One)
        WEIGHTINGS.register("test_only")(One)
        assert One.registered_name == "test_only"
        with pytest.raises(ValueError, match="registered already"):
            WEIGHTINGS.register("test_only")(Two)


def test_a_plugin_cannot_replace_a_command() -> None:
    COMMANDS.find("audit")
    with isolated(PACKAGES), pytest.raises(ValueError, match="command 'audit' is registered already, by runner"):
        command("audit", "what it does", parser=ArgumentParser)(lambda _: 0)


def test_only_dataclasses_of_known_kinds_can_be_registered() -> None:
    with pytest.raises(ValueError, match="must be a dataclass"):
        SOURCES.register("x")(type("Plain", (), {}))
    kind: Any = "wrold"
    with pytest.raises(ValueError, match="kind must be one of"):
        register(kind, "x")


@pytest.mark.parametrize(
    ("kind", "base", "name", "problem"),
    [
        ("world", PythonWorld, "unit_costs", "a name of PythonWorld; choose another, or write 'unit_costs_'"),
        ("world", PythonWorld, "name_", "a key of every world; choose another"),
        ("algorithm", SearchAlgorithm, "start", "a name of SearchAlgorithm"),
        ("algorithm", Agent, "player", "a name of Agent"),
        ("heuristic", PythonHeuristic, "value", "a name of PythonHeuristic"),
        ("heuristic", PythonHeuristic, "stack", "a key of every heuristic"),
        ("weighting", Weighting, "changes", "a name of Weighting"),
    ],
)
def test_a_parameter_cannot_have_a_name_of_its_base_class(kind: Any, base: type, name: str, problem: str) -> None:
    entry = make_dataclass("Mine", [(name, int, 3)], bases=(base,), frozen=True)
    with pytest.raises(ValueError, match=f"{kind} 'mine': the parameter '{name}' is {problem}"):
        register(kind, "mine")(entry)


def test_a_parameter_with_an_underscore_has_the_name_without_it() -> None:
    entry: Any = make_dataclass("Mine", [("columns_", int, 3)], bases=(PythonWorld,), namespace=METHODS, frozen=True)
    with isolated(PACKAGES):
        SOURCES.register("mine")(entry)
        assert parameters_of(entry) == {"columns": 3}


METHODS = dict.fromkeys(("initial", "successors", "is_goal"), lambda *_: None)


@pytest.mark.parametrize(
    ("own", "problem"),
    [
        ("succesors", "Mine needs the method successors; is 'succesors' misspelt?"),
        ("walk", "Mine needs the method successors$"),
    ],
)
def test_missing_methods_are_named(own: str, problem: str) -> None:
    methods = {own if name == "successors" else name: method for name, method in METHODS.items()}
    entry: Any = make_dataclass("Mine", [], bases=(PythonWorld,), namespace=methods, frozen=True)
    with isolated(PACKAGES), pytest.raises(TypeError, match=problem):
        SOURCES.register("mine")(entry)


def test_a_world_without_a_source_and_the_name_none_are_refused() -> None:
    alone: Any = make_dataclass("Alone", [], bases=(Looks,), namespace=METHODS, frozen=True)
    with pytest.raises(TypeError, match="world 'mine': Alone is a world without a source; derive it from PythonWorld"):
        register("world", "mine")(alone)
    with pytest.raises(ValueError, match="heuristic 'none': 'none' chooses no heuristic; choose another name"):
        python_heuristic("none", domain="wumpus")(lambda world, state: 0)


@pytest.mark.parametrize("name", ["instances", "__len__"])
def test_a_world_in_plain_python_defines_no_methods_of_sources(name: str) -> None:
    with pytest.raises(
        TypeError, match=f"Mine must not define {name}, .* instances come from the fields count and seed"
    ):
        make_dataclass("Mine", [], bases=(PythonWorld,), namespace={**METHODS, name: lambda self: []}, frozen=True)


@pytest.mark.parametrize("kind", ["world", "algorithm", "heuristic"])
def test_metrics_are_a_tuple(kind: Any) -> None:
    base = {"world": PythonWorld, "algorithm": Agent, "heuristic": PythonHeuristic}[kind]
    for metrics, problem in ((Metric("x"), "is a comma missing"), (("x",), r"got \('x',\)")):
        entry: Any = make_dataclass("Mine", [], bases=(base,), namespace={"metrics": metrics})
        with pytest.raises(TypeError, match=f"{kind} 'mine': metrics: expected a tuple of Metric.*{problem}"):
            register(kind, "mine")(entry)


def test_decorators_need_parentheses() -> None:
    decorators: tuple[Any, ...] = (python_algorithm, python_heuristic, compiled_heuristic, kernel, register)
    for decorator in decorators:
        with pytest.raises(TypeError, match=decorator.__name__):
            decorator(lambda problem: None)


def test_a_heuristic_of_another_domain_is_incompatible_and_not_unknown() -> None:
    own_packages.load()
    with pytest.raises(Incompatible, match="puzzle has no heuristic 'pivots' \\(it belongs to wumpus\\)"):
        HEURISTICS.find("pivots", domain="puzzle")
    with pytest.raises(UserError) as caught:
        HEURISTICS.find("pivts", domain="wumpus")
    assert not isinstance(caught.value, Incompatible)


@pytest.mark.parametrize("kind", ["world", "algorithm", "weighting"])
def test_every_entry_has_a_yaml_file_with_all_its_parameters(kind: str) -> None:
    own_packages.load()
    conf = Path(__file__).parents[3] / "conf" / kind
    ours = [
        name for name in REGISTRIES[kind].names() if REGISTRIES[kind].find(name).__module__.split(".")[0] in PACKAGES
    ]
    for name in ours:
        file = conf / f"{name}.yaml"
        assert file.exists(), "run python -m docs.generate"
        written = yaml.safe_load(file.read_text(encoding="utf-8"))
        assert written.pop("name") == name
        fields = parameters_of(REGISTRIES[kind].find(name))
        fields = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        assert set(written) == set(fields), name
        optional = {k: v for k, v in written.items() if v != "???"}
        assert optional == {k: fields[k] for k in optional}


@pytest.mark.parametrize("door", [COMMANDS, SECTIONS], ids=lambda door: door.kind)
def test_every_entry_of_ours_is_listed_with_the_module_that_registers_it(door: Registry[Any]) -> None:
    registered = [door.find(name) for name in door.own]
    assert len(registered) == len(door.names()) > 0
    assert Registry("door", own=door.own).names() == sorted(door.own)


class NoFunction:
    """Object that cannot be called."""


DOORS: dict[str, Callable[[str], Callable[[Any], Any]]] = {
    "table": plugin.table,
    "chart": plugin.chart,
    "report_format": plugin.report_format,
    "platform": plugin.platform,
    "criterion": plugin.criterion,
    "check": partial(plugin.check, "heuristic"),
    "command": partial(command, description="", parser=ArgumentParser),
    "source": source,
    "priority": priority,
    "python_heuristic": partial(python_heuristic, domain="wumpus"),
    "compiled_heuristic": partial(compiled_heuristic, domain="wumpus"),
    "python_algorithm": python_algorithm,
    **{kind: partial(register, kind) for kind in ("world", "algorithm", "weighting")},
    **{kind: partial(register, kind, domain="wumpus") for kind in ("heuristic", "combination")},
    "section": SECTIONS.register,
    "helper": lambda _: helper,
    "kernel": lambda _: kernel("int64(int64)"),
}


@pytest.mark.parametrize("door", DOORS)
def test_a_door_refuses_what_is_no_function_or_class(door: str) -> None:
    for entry in (5, "text", None, NoFunction()):
        with pytest.raises((TypeError, ValueError), match=r"^[\w' ]+: expected a [^\n]+, got [^\n]+$"):
            DOORS[door]("of_a_number")(entry)


@pytest.mark.parametrize("door", [each for each in DOORS if each not in ("helper", "kernel")])
def test_a_door_refuses_a_name_that_is_no_text(door: str) -> None:
    """A decorator without parentheses takes the function for the name."""
    for name in (lambda runs: None, 5):
        with pytest.raises((TypeError, ValueError), match="name"):
            DOORS[door](name)  # type: ignore[arg-type]
