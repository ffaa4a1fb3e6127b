"""Combinations of a sweep: products, zipped lists, exclusions."""

from __future__ import annotations

from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from runner.base.errors import UserError
from runner.base.overrides import override_text
from runner.config.compose.composer import Composer
from runner.config.grammar.parse_overrides import parse
from runner.config.space import Space, values_of

COMPOSER = Composer()
DEFAULTS: dict[str, Any] = {"limits.time": None, "weighting": "none", "world.seed": 0}


class Common:
    """Configuration that all cells share: the section `sweep`, and some values."""

    def __init__(self, section: dict[str, Any]) -> None:
        self.unresolved = {"sweep": section}
        self.chosen: dict[str, str] = {}

    def select(self, key: str) -> Any:
        return {**DEFAULTS, "sweep": self.unresolved["sweep"]}[key]


def space(
    product: dict[str, Any] | None = None,
    zipped: list[dict[str, Any]] | None = None,
    exclude: list[dict[str, Any]] | None = None,
    arguments: tuple[str, ...] = (),
    arms: list[Any] | None = None,
) -> Space:
    common: Any = Common({"product": product, "zip": zipped, "cells": arms, "exclude": exclude})
    return Space(COMPOSER, common, parse(arguments))


def jobs(*arguments: Any, **keywords: Any) -> list[str]:
    return [" ".join(choice.text for choice in cell) for cell in space(*arguments, **keywords).cells()]


def test_the_first_key_of_a_product_changes_slowest() -> None:
    assert jobs({"a": [1, 2], "b": "x,y"}) == ["a=1 b=x", "a=1 b=y", "a=2 b=x", "a=2 b=y"]
    assert jobs({"a": "range(1,4)"}) == ["a=1", "a=2", "a=3"]
    assert jobs({"a": 5, "b.c": "one"}) == ["a=5 b.c=one"]
    assert jobs(arguments=("a=1,2", "b=3")) == ["a=1 b=3", "a=2 b=3"]
    assert jobs() == [""]


def test_zipped_lists_change_together() -> None:
    both = [{"size": [4, 8], "count": [100, 10]}]
    assert jobs(zipped=both) == ["size=4 count=100", "size=8 count=10"]
    assert jobs({"a": [1, 2]}, both) == [
        f"a={a} {pair}" for a in (1, 2) for pair in ("size=4 count=100", "size=8 count=10")
    ]
    assert len(jobs(zipped=[*both, {"b": [1, 2, 3]}])) == 6


def test_the_command_line_replaces_values_of_the_section() -> None:
    assert jobs({"a": [1, 2], "b": [3]}, arguments=("a=7",)) == ["a=7 b=3"]
    assert jobs({"+a": [1, 2]}, arguments=("a=7,8",)) == ["a=7", "a=8"]
    assert jobs(zipped=[{"a": [1, 2], "b": [3, 4]}], arguments=("a=7",)) == ["b=3 a=7", "b=4 a=7"]
    assert jobs(zipped=[{"a": [1, 2]}], arguments=("a=7",)) == ["a=7"]


@pytest.mark.parametrize(
    "words",
    [
        ["limits={time: 5}", "limits={memory: 1GiB}"],
        ["limits={time: 5,nodes: 7}", "limits={time: 6}"],
        ["limits={time: 5}", "limits.time=7", "limits={time: 9}"],
        ["limits.time=7", "limits={time: 9}", "limits.time=8"],
        ["limits={nodes: 5}", "limits.nodes=6", "limits={time: 9}", "limits.time=null"],
        ["algorithm={weight: 3}", "algorithm=weighted_astar"],
        ["algorithm=weighted_astar", "algorithm={weight: 3}", "algorithm=weighted_astar", "algorithm={ties: fifo}"],
        ["world.seed=1", "world=npuzzle/random", "world.seed=2"],
    ],
)
def test_a_key_that_is_given_twice_means_the_same_in_a_run_and_in_a_sweep(words: list[str]) -> None:
    base = ["world=npuzzle/random", "algorithm=weighted_astar"]
    (cell,) = space(arguments=(*base, *words)).cells()
    swept = COMPOSER.compose([choice.override for choice in cell])
    assert swept.unresolved == COMPOSER.compose(parse([*base, *words])).unresolved


def test_a_mapping_on_the_command_line_is_merged_into_those_of_a_sweep() -> None:
    memory = "limits={memory:1GiB}"
    assert jobs({"limits": [{"time": 5}, {"time": 6}]}, arguments=(memory,)) == [
        f"limits={{time:{time}}} {memory}" for time in (5, 6)
    ]
    assert len(jobs(arms=[{"limits": {"time": 5}}], arguments=(memory,))[0].split()) == 2
    swept = space(arguments=("limits={time: 5},{time: 6}", memory))
    assert [values_of(cell)["limits"] for cell in swept.cells()] == [
        {"time": time, "memory": "1GiB"} for time in (5, 6)
    ]
    # several values replace those of the section, and other values those before
    assert jobs({"limits": [{"time": 5}]}, arguments=("limits={time:6},{time:7}",)) == [
        "limits={time:6}", "limits={time:7}"
    ]  # fmt: skip
    assert jobs(arguments=("a=1,2", "b=3", "a=4,5")) == ["a=4 b=3", "a=5 b=3"]


def test_exclusions_remove_matching_cells() -> None:
    product = {"a": ["one", "two"], "b": [1, 2]}
    assert jobs(product, exclude=[{"a": "one", "b": 2}]) == ["a=one b=1", "a=two b=1", "a=two b=2"]
    assert jobs(product, exclude=[{"a": "t*"}]) == ["a=one b=1", "a=one b=2"]
    assert jobs(product, exclude=[{"b": [1, 2]}]) == []
    assert jobs(product, exclude=[{"a": "one", "weighting": "none"}]) == ["a=two b=1", "a=two b=2"]
    assert len(jobs(product, exclude=[{"a": "one", "weighting": "constant"}])) == 4
    assert len(jobs(product, exclude=[{"b": "1"}])) == 4, "the text is not equal to the number"
    stacks = {"heuristic.stack": [["x"], ["x", "y"]]}
    assert jobs(stacks, exclude=[{"heuristic.stack": [["x"]]}]) == ["heuristic.stack=[x,y]"]
    counted = space(product, exclude=[{"a": "one"}, {"b": 2}, {"a": "three"}])
    assert len(list(counted.cells())) == 1
    assert counted.excluded == [2, 1, 0]


def test_mappings_with_different_keys_are_one_factor() -> None:
    arms = [{"algorithm": "jps"}, {"algorithm": "astar", "+h.stack": ["x", {"name": "y"}], "h.w": 1.2}, {}]
    of_arms = ["algorithm=jps", "algorithm=astar +h.stack=[x,{name:y}] h.w=1.2", ""]
    assert jobs(arms=arms) == of_arms
    assert jobs({"a": [1, 2]}, [{"b": [3, 4]}], arguments=("c=5,6",), arms=arms) == [
        " ".join(filter(None, (f"a={a} b={b}", arm, f"c={c}"))) for a in (1, 2) for b in (3, 4) for arm in of_arms
        for c in (5, 6)
    ]  # fmt: skip
    assert jobs(arms=arms, arguments=("algorithm=bfs", "h.stack=[]")) == [
        "algorithm=bfs h.stack=[]", "h.w=1.2 algorithm=bfs h.stack=[]", "algorithm=bfs h.stack=[]",
    ]  # fmt: skip
    assert space(arms=arms).swept == ["algorithm", "h.stack", "h.w"]
    assert space(arms=arms[:1]).swept == []
    assert jobs({"a": ["1,2"]}, arms=[{"b": "x,y"}]) == ["a='1,2' b='x,y'"], "a value of a list is no sweep of its own"


def test_lists_in_a_mapping_are_several_values_unless_the_key_has_lists() -> None:
    assert jobs(arms=[{"algorithm": ["a", "b"], "limits.time": [1, 2]}, {"label": [3]}]) == [
        "algorithm=a limits.time=1", "algorithm=a limits.time=2", "algorithm=b limits.time=1",
        "algorithm=b limits.time=2", "label=3",
    ]  # fmt: skip
    stacks = [{"heuristic.stack": ["x", {"name": "y"}]}, {"heuristic.stack": [["x"], []]}]
    assert jobs(arms=stacks) == [f"heuristic.stack={stack}" for stack in ("[x,{name:y}]", "[x]", "[]")]
    assert jobs(arms=[{"heuristic.pivots": [4, [[1, 2]]]}]) == ["heuristic.pivots=4", "heuristic.pivots=[[1,2]]"]
    assert jobs(arms=[{"heuristic.pivots": [[1, 2]]}]) == ["heuristic.pivots=[[1,2]]"], "one value: two corners"
    assert len(jobs(arms=[{"world": "npuzzle/random", "world.size": [3, 4]}])) == 1, "3 x 4"
    assert len(jobs(arms=[{"world": ["pancake/random", "topspin"], "world.size": [3, 4]}])) == 4, "without rectangles"
    assert jobs(arms=[{"label": ["a", "b"], "repeat": 2}], arguments=("label=c",)) == ["repeat=2 label=c"]


def test_several_lists_of_mappings_are_combined() -> None:
    arms = [[{"algorithm": ["a", "b"]}, {"label": "c"}], [{"world.seed": 1}, {"world.sample": 2}]]
    assert jobs(arms=arms) == [
        f"{search} world.{world}" for search in ("algorithm=a", "algorithm=b", "label=c")
        for world in ("seed=1", "sample=2")
    ]  # fmt: skip
    assert len(jobs(arms=arms, exclude=[{"algorithm": "b", "world.seed": 1}])) == 5
    assert len(jobs(arms=arms, exclude=[{"label": "c", "world.seed": 0}])) == 5, "the default beside a sample"
    assert space(arms=arms).swept == ["algorithm", "label", "world.seed", "world.sample"]


def test_exclusions_see_the_default_of_a_key_that_a_mapping_does_not_set() -> None:
    arms = [{"weighting": "linear"}, {"other": 3}, {"weighting": "none"}]
    assert jobs(arms=arms, exclude=[{"weighting": "none"}]) == ["weighting=linear"]
    assert len(jobs(arms=arms, exclude=[{"other": None}])) == 3, "a key without a default"


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"product": {"a": []}}, r"sweep.product.a: the list is empty"),
        ({"zipped": [{"a": [1, 2], "b": [1]}]}, r"zip\[0\]: expected lists of the same length, got a 2, b 1"),
        ({"product": {"a": [1]}, "zipped": [{"+a": [1]}]}, r"zip\[0\].a: has values in two places"),
        ({"product": {"world.übung": [1]}}, r"product: 'world.übung' cannot be the name of a key"),
        ({"zipped": [{"": [1]}]}, r"zip\[0\]: '' cannot be the name of a key"),
        ({"product": {"size": [1]}, "exclude": [{"siz": 1}]}, r"exclude\[0\].siz: unknown key; did you mean 'size'"),
        ({"product": {"a": [1]}, "exclude": [3]}, r"exclude\[0\]: expected a mapping"),
        ({"product": {"a": "interval(0,1)"}}, "cannot be swept"),
        ({"product": {"a": [1]}, "arms": [{}, {"+a": 1}]}, r"cells\[1\].a: has values in two places"),
        ({"arms": [{}, "astar"]}, r"cells\[1\]: expected a mapping of keys to values, got 'astar'"),
        ({"arms": [[{}], {"a": 1}]}, r"cells\[1\]: expected a list, as sweep.cells\[0\] is one, got {'a': 1}"),
        ({"arms": [[{"a": 1}], []]}, r"cells\[1\]: the list is empty; give at least one mapping"),
        ({"arms": [[{"a": 1}], [{}, {"a": 2}]]}, r"cells\[1\]\[1\].a: has values in two places"),
        ({"arms": [{"label": []}]}, r"cells\[0\].label: the list is empty; give at least one value"),
        ({"arms": [{f"limits.{n}": 9 * [1] for n in range(9)}]}, r"a sweep of 387,420,489 cells; at most 100,000"),
        ({"arms": [{"": 1}]}, r"cells\[0\]: '' cannot be the name of a key"),
    ],
)
def test_invalid_sections_are_user_errors(keywords: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        list(space(**keywords).cells())


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -3, 2.5, 1e30, "plain", "a/b", "with space", "a,b", "it's", "back\\slash", "null", "True",
        "3", "", "${x}", "[a]", "é", [], ["a", 1, None], {"name": "x", "b": [1, {"c": "d e"}]},
    ],
)  # fmt: skip
def test_a_value_written_as_an_override_is_read_back(value: Any) -> None:
    read = OverridesParser.create().parse_override(f"key={override_text(value)}").value()
    assert plain(read) == value
    assert type(plain(read)) is type(value)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return getattr(value, "text", value).replace("\\'", "'") if hasattr(value, "text") else value
