"""Names, parameters, and messages about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from runner import packages, registry
from runner.registry import Incompatible, UserError, register

PACKAGES = ("worlds", "heuristics", "algorithms")


@dataclass(frozen=True)
class Parameters:
    count: Annotated[int, Meta(ge=1)] = 1
    mode: Literal["fast", "slow"] = "fast"
    sizes: list[int] = field(default_factory=list)
    ratio: float = 0.5


def test_values_are_checked_and_converted() -> None:
    made = registry.convert(Parameters, {"count": 3, "ratio": 1, "sizes": [1, 2]}, where="x")
    assert made == Parameters(3, "fast", [1, 2], 1.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 0}, "x.count: expected int >= 1, got 0"),
        ({"count": "3"}, "x.count: expected int, got '3'"),
        ({"count": True}, "x.count: expected int, got True"),
        ({"mode": "fats"}, "x.mode: expected one of fast, slow, got 'fats'; did you mean 'fast'?"),
        ({"sizes": [1, "a"]}, r"x.sizes\[1\]: expected int, got 'a'"),
        ({"sizes": 1}, "x.sizes: expected list, got 1"),
        ({"cuont": 1}, "x.cuont: unknown parameter; did you mean 'count'\\? choose from: count, mode, sizes, ratio"),
    ],
)
def test_messages(values: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        registry.convert(Parameters, values, where="x")
    assert "\n" not in str(caught.value)


def test_a_name_is_registered_once() -> None:
    @dataclass(frozen=True)
    class One:
        pass

    @dataclass(frozen=True)
    class Two:
        pass

    register("weighting", "test_only")(One)
    register("weighting", "test_only")(One)
    with pytest.raises(ValueError, match="registered already"):
        register("weighting", "test_only")(Two)
    registry._entries.pop(("weighting", None, "test_only"))


def test_only_dataclasses_of_known_kinds() -> None:
    with pytest.raises(ValueError, match="must be a dataclass"):
        register("world", "x")(type("Plain", (), {}))
    with pytest.raises(ValueError, match="kind must be one of"):
        register("wrold", "x")


def test_names_of_other_domains_are_unsuitable_not_unknown() -> None:
    packages.load()
    with pytest.raises(Incompatible, match="puzzle has no heuristic 'pivots' \\(it belongs to wumpus\\)"):
        registry.find("heuristic", "pivots", domain="puzzle")
    with pytest.raises(UserError) as caught:
        registry.find("heuristic", "pivts", domain="wumpus")
    assert not isinstance(caught.value, Incompatible)


@pytest.mark.parametrize("kind", ["world", "algorithm", "weighting"])
def test_every_entry_has_yaml_with_all_its_parameters(kind: str) -> None:
    from pathlib import Path

    import yaml

    packages.load()
    conf = Path(__file__).parents[2] / "conf" / kind
    ours = [name for name in registry.names(kind) if registry.find(kind, name).__module__.split(".")[0] in PACKAGES]
    for name in ours:
        written = yaml.safe_load((conf / f"{name}.yaml").read_text(encoding="utf-8"))
        assert written.pop("name") == name
        fields = registry.parameters(registry.find(kind, name))
        fields = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        assert set(written) == set(fields), name
        assert {k: v for k, v in written.items() if v != "???"} == {
            k: fields[k] for k in written if written[k] != "???"
        }
