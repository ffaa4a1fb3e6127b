"""Stacks: declared properties, combination and names."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

import runner
from heuristics.interface.heuristic import HEURISTICS
from runner.base.errors import UserError
from runner.base.own_places import PACKAGES
from tests.caves import instance, published_kind
from tests.isolated import isolated
from tests.stacks import DOCUMENTED, WUMPUS, by_hand, documented


def test_labels_name_heuristics_combination_and_changed_parameters() -> None:
    assert str(by_hand([])) == "none"
    assert str(by_hand(["manhattan", "pivots"])) == "manhattan+pivots"
    assert str(by_hand(["manhattan", "pivots"], "max")) == "max(manhattan+pivots)"
    assert str(by_hand(["manhattan"], "max")) == "manhattan"
    assert str(by_hand(["obstacle"], as_published=True)) == "obstacle(as_published=true)"


def test_stacks_derive_their_properties_from_their_heuristics() -> None:
    assert by_hand(["manhattan", "pivots"]).consistent is True
    assert by_hand(["manhattan", "pivots", "obstacle"]).admissible is True
    assert by_hand(["manhattan", "pivots", "obstacle"]).consistent is False
    assert by_hand(["manhattan", "pivots", "flood_fill"]).admissible is True
    assert documented("iterative_shift").admissible is False
    assert documented("flood_fill").admissible is False
    assert documented("obstacle", as_published=True).admissible is False
    assert by_hand(["manhattan", "iterative_shift"]).admissible is None
    assert by_hand([]).admissible is by_hand([]).consistent is True


def test_values_are_added_or_maximised() -> None:
    where = instance(published_kind(random.Random(6), 6))
    state = where.problem().initial
    parts = [runner.heuristic(where, [name])(state) for name in ("manhattan", "pivots")]
    assert runner.heuristic(where, ["manhattan", "pivots"])(state) == sum(parts)
    assert runner.heuristic(where, ["manhattan", "pivots"], combine="max")(state) == max(parts)


def test_a_heuristic_listed_twice_is_refused() -> None:
    with pytest.raises(UserError, match="listed twice"):
        by_hand(["manhattan", "manhattan"])


@pytest.mark.parametrize("name", WUMPUS)
def test_every_heuristic_is_documented_and_declares_its_properties(name: str) -> None:
    heuristic = documented(name).heuristics[-1]
    assert heuristic.registered_name == name
    assert heuristic.admissible in (True, False, None)
    assert heuristic.consistent in (True, False, None)
    assert len(type(heuristic).__doc__ or "") > 80
    assert set(heuristic.builds_on) <= set(WUMPUS)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_yaml_of_a_heuristic_is_its_documented_stack(name: str) -> None:
    conf = Path(__file__).parents[3] / "conf" / "heuristic" / f"{name}.yaml"
    assert conf.exists(), "run python -m docs.generate"
    stack = yaml.safe_load(conf.read_text(encoding="utf-8"))["stack"]
    assert stack == [heuristic.registered_name for heuristic in documented(name).heuristics]


def test_heuristics_of_the_package_are_safe() -> None:
    with isolated(PACKAGES):
        for _, name, entry in HEURISTICS.entries():
            assert name in ("file", "onnx", "program", "table") or entry().safe, (
                name
            )  # their values are those of the user
