"""`Source.part`: instances chosen by number, without those before them."""

from __future__ import annotations

from itertools import islice

import pytest

from runner import registry
from runner.config import sections

WITHOUT_FILES = [
    name for name in registry.names("world") if "path" not in registry.parameters(registry.find("world", name))
]
MAX_INSTANCES = 40


@pytest.mark.parametrize("name", WITHOUT_FILES)
def test_a_part_equals_the_same_slice_of_all_instances(name: str) -> None:
    parameters = registry.parameters(registry.find("world", name))
    given = {"count": 11} | ({"size": [4, 5]} if name == "wumpus/random" else {}) if "count" in parameters else {}
    source = sections.source_of({"name": name, **given})
    every = [instance.key() for instance in islice(source.instances(), MAX_INSTANCES)]
    count = min(len(source), MAX_INSTANCES)
    assert len(every) == count
    for part in (range(count), range(count // 3, count // 2 + 1), range(count - 1, count), range(0)):
        assert [instance.key() for instance in source.part(part)] == [every[number] for number in part]
