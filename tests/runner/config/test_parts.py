"""Choices that are composed once each: their sections, put together, equal one composition by Hydra for each cell."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hydra import compose
from omegaconf import OmegaConf

from runner.base.errors import UserError
from runner.config.compose.composer import CONF, Composer
from runner.config.grammar import versions
from runner.config.grammar.explain import FOREIGN
from runner.config.grammar.parse_overrides import parse
from runner.config.request.request import Request
from tests.sampling import covering

PRIMARY = """\
defaults:
  - gamma: x
  - alpha: x
  - beta: x
  {entry}
  - _self_
  - override hydra/job_logging: none
  - override hydra/hydra_logging: none
top: 0
{values}
"""
FILES = {
    "alpha/x": "value: 1\ninner: {p: 1}\n",
    "alpha/y": "value: 2\ninner: {p: 2, q: 3}\n",
    "beta/x": "value: 3\ninner: {p: 3, s: 3}\nitems: [1, 2]\n",
    "beta/y": "value: 4\ninner: {p: 4}\n",
    "gamma/x": "value: 5\ninner: {p: 5}\n",
    "gamma/y": "value: 6\n",
    "both/y_y": "# @package _global_\ngamma: {value: 7}\n",
    "alpha/base": "# @package _global_\nbeta: {more: 8}\n",
    "experiment/e": "# @package _global_\nalpha: {inner: {r: 9}}\n",
}
TOUCHING = (
    "# @package _global_\nbeta: {value: 10}\n",
    "# @package beta\nvalue: 11\n",
    "# @package _global_\ndefaults:\n  - override /gamma: y\nalpha: {value: 12}\n",
    "defaults:\n  - base\n  - _self_\nvalue: 13\n",
    "value: ${beta.value}\n",
    "inner: ${beta.inner}\n",
)
"""Files of choices that touch other sections. Some only show that if the experiment merges a mapping into them."""
ENTRIES = ("- optional both: ${alpha}_${beta}", "- beta@second: y", "- optional experiment: e")
VALUES = ("alpha: {inner: '${beta.inner}'}", "beta: {inner: '${gamma}'}", "other: ${alpha.value}")
WORDS = (
    "+experiment=e", "alpha.inner=${beta.inner}", "++gamma.value=17", "~beta.value", "gamma=y", "~gamma", "+top=18",
    "beta.value=20 ~beta.value", "alpha={value:19}", "+gamma@third=y", "top=${hydra.job.name}",
)  # fmt: skip
MORE_WORDS = (
    "alpha.value=14",
    "alpha.inner={p:15}",
    "beta.inner={p:'${gamma}'}",
    "+beta.more=16",
    "gamma=nothing",
    "top=18",
    "beta.value=[1,2]",
    "beta.inner.p=${gamma.value}",
)
"""Further overrides of these kinds."""


def composed_by_hydra(folder: Path, words: list[str]) -> Any:
    """Return the whole configuration that Hydra composes; None if Hydra refuses."""
    try:
        with versions.initialized(folder):
            config = compose("mine", [f"hydra.searchpath=['file://{CONF}']", *words], return_hydra_config=True)
    except (*FOREIGN, ValueError):
        return None
    return OmegaConf.to_container(config, resolve=False, enum_to_str=True)


Compare = Callable[[dict[str, str], Iterable[str]], None]


@pytest.fixture(params=[("yx",), pytest.param(("xx", "xy", "yx", "yy"), marks=pytest.mark.long)], ids="-".join)
def compare(request: pytest.FixtureRequest, tmp_path: Path) -> Compare:
    """Return what compares the compositions of pairs of choices. Both of a pair are composed on their own."""

    def compared(files: dict[str, str], further: Iterable[str]) -> None:
        compare_pairs(tmp_path, files, further, request.param)

    return compared


def compare_pairs(folder: Path, files: dict[str, str], further: Iterable[str], pairs: Iterable[str]) -> None:
    for path, text in files.items():
        file = folder / f"{path}.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    composer = Composer("mine", [folder])
    with contextlib.suppress(UserError):  # as Hydra composes it; others are put together from its parts
        composer.compose(parse(["alpha=x", "beta=y", *further]))
    for pair in pairs:
        words = [f"alpha={pair[0]}", f"beta={pair[1]}", *further]
        expected = composed_by_hydra(folder, words)
        try:
            composition = composer.compose(parse(words))
        except UserError:
            assert expected is None, words
            continue
        assert OmegaConf.to_container(composition.config, resolve=False, enum_to_str=True) == expected, words
        del expected["hydra"]
        assert composition.unresolved == expected, words


@covering({"text": TOUCHING, "words": [(), ("+experiment=e",)]})
def test_a_choice_may_touch_other_sections(compare: Compare, text: str, words: tuple[str, ...]) -> None:
    compare({**FILES, "mine": PRIMARY.format(entry="", values=""), "alpha/y": text}, words)


@pytest.mark.parametrize(
    ("entry", "values", "word"),
    [*((entry, "", "top=21") for entry in ENTRIES),
     *(("", values, "+experiment=e") for values in VALUES),
     *(pytest.param("", values, "alpha={inner:{p:22}}", marks=pytest.mark.long) for values in VALUES)],
)  # fmt: skip
def test_files_around_choices_may_refer_to_them(compare: Compare, entry: str, values: str, word: str) -> None:
    compare({**FILES, "mine": PRIMARY.format(entry=entry, values=values)}, [word])


@pytest.mark.parametrize("words", [*WORDS, *(pytest.param(words, marks=pytest.mark.long) for words in MORE_WORDS)])
def test_values_are_set_as_hydra_sets_them(compare: Compare, words: str) -> None:
    compare({**FILES, "mine": PRIMARY.format(entry="", values="")}, words.split())


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 400))])
def test_random_cells_equal_those_of_hydra(compare: Compare, seed: int) -> None:
    source = random.Random(seed)
    entry = source.choice([*ENTRIES, *[""] * 9])
    values = source.choice([*VALUES, *[""] * 9])
    files = {**FILES, "mine": PRIMARY.format(entry=entry, values=values)}
    if source.random() < 0.3:
        files[source.choice(["alpha/x", "alpha/y", "beta/y", "gamma/x"])] = source.choice(TOUCHING)
    words = source.sample(WORDS + MORE_WORDS, source.choice([0, 1, 2]))
    compare(files, " ".join(words).split())


def test_hydra_composes_once_for_all_choices(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def counted(*arguments: Any, **keywords: Any) -> Any:
        nonlocal count
        count += 1
        return compose(*arguments, **keywords)

    composer = Request(()).composer
    monkeypatch.setattr("runner.config.compose.composer.compose", counted)
    algorithms = composer.groups.names("algorithm")[:3]
    heuristics = composer.groups.names("heuristic")[:3]
    for algorithm, heuristic in itertools.product(algorithms, heuristics):
        words = ["world=npuzzle/random", f"algorithm={algorithm}", f"heuristic={heuristic}", "world.seed=2"]
        composition = composer.compose(parse(words))
        assert composition.unresolved["algorithm"]["name"] == algorithm
        assert composition.chosen["heuristic"] == heuristic
    assert count == 1
