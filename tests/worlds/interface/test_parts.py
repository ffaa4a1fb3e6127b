"""Parts of a source: instances chosen by number, without those before them, and random samples."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from runner.base.errors import Incompatible
from runner.base.own_places import ROOT
from runner.base.parameters import parameters_of
from runner.config.cell import sections
from worlds.interface.sources import SOURCES

WITHOUT_FILES = [name for name in SOURCES.names() if "path" not in parameters_of(SOURCES.find(name))]
MAX_INSTANCES = 40


@pytest.mark.parametrize("name", WITHOUT_FILES)
def test_a_part_equals_the_same_slice_of_all_instances(name: str) -> None:
    parameters = parameters_of(SOURCES.find(name))
    given = {"count": 11} | ({"size": [4, 5]} if name == "wumpus/random" else {}) if "count" in parameters else {}
    first = {"size": 4} if name == "wumpus/random" else {}
    source = sections.source_of({"name": name, **given})
    every = [instance.key() for instance in islice(source.instances(), MAX_INSTANCES)]
    count = min(len(source), MAX_INSTANCES)
    assert len(every) == count
    for part in (range(count), range(count // 3, count // 2 + 1), range(count - 1, count), range(0)):
        assert [instance.key() for instance in source.series.part(part)] == [every[number] for number in part]
    if {"count", "seed"} <= parameters.keys():
        (alone,) = sections.source_of({"name": name, **given, "count": 1, "seed": 3, **first}).instances()
        assert alone.key() == every[3], "an instance depends on its own seed alone"


SAMPLED = [
    *({"name": name} for name in WITHOUT_FILES if "sample" in parameters_of(SOURCES.find(name))),
    {"name": "gridmap/scenario", "path": "worlds/gridmap/suites/small"},
    {"name": "wumpus/file", "path": "worlds/wumpus/suites/unibz", "formulation": "primitive"},
    {"name": "npuzzle/korf100", "instances": ["7-90", 3]},
]


@pytest.mark.parametrize("section", SAMPLED, ids=lambda section: str(section["name"]))
def test_a_sample_is_a_subset_in_the_order_of_the_source(
    section: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    every = [instance.key() for instance in sections.source_of(section).instances()]
    half = len(every) // 2

    def sample(size: int, seed: int) -> list[int]:
        source = sections.source_of({**section, "sample": size, "seed": seed})
        found = [instance.key() for instance in source.instances()]
        assert len(source) == len(found) == min(size, len(every))
        assert [instance.key() for instance in source.series.part(range(1, 3))] == found[1:3]
        assert next(iter(source.samples())).seed is None
        return [every.index(key) for key in found]

    assert sample(half, 5) == sorted(sample(half, 5))
    assert set(sample(half - 1, 5)) < set(sample(half, 5)), "a larger sample contains the smaller one"
    assert len({tuple(sample(half, seed)) for seed in range(5)}) > 1
    assert sample(len(every) + 1, 3) == list(range(len(every)))
    with pytest.raises(Incompatible, match=r"world\.seed: has an effect only with"):
        sections.source_of({**section, "seed": 1}).check()


def test_samples_are_stable_across_versions_and_platforms() -> None:
    found = list(sections.source_of({"name": "npuzzle/korf100", "sample": 4, "seed": 3}).instances())
    assert [instance.id for instance in found] == ["korf100_21", "korf100_29", "korf100_75", "korf100_90"]
