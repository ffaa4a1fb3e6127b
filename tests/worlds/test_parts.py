"""A part of a source is that part of all its instances."""

from __future__ import annotations

from itertools import islice

import pytest

from runner import registry, schema

WITHOUT_FILES = [
    name for name in registry.names("world") if "path" not in registry.parameters(registry.find("world", name))
]
MOST = 40


@pytest.mark.parametrize("name", WITHOUT_FILES)
def test_a_part_is_made_alone(name: str) -> None:
    parameters = registry.parameters(registry.find("world", name))
    given = {"count": 11} | ({"size": [4, 5]} if name == "wumpus/random" else {}) if "count" in parameters else {}
    source = schema.source_of({"name": name, **given})
    every = [instance.key() for instance in islice(source.instances(), MOST)]
    count = min(len(source), MOST)
    assert len(every) == count
    for part in (range(count), range(count // 3, count // 2 + 1), range(count - 1, count), range(0)):
        assert [instance.key() for instance in source.part(part)] == [every[number] for number in part]


@pytest.mark.parametrize("count", [1, 2, 5, 8, 100])
def test_shards_are_all_instances_once(count: int) -> None:
    section = {"name": "wumpus/random", "size": [3, 4], "count": 4}
    configuration = {
        "world": section, "algorithm": {"name": "ucs"}, "heuristic": {}, "weighting": {"name": "none"}, "limits": {},
    }  # fmt: skip
    cells = []
    for shard in range(count):
        part = {**configuration, "shards": count, "shard": shard}
        if 8 * shard // count == 8 * (shard + 1) // count:
            with pytest.raises(registry.Unsuitable, match="is empty"):
                schema.parse(part)
        else:
            cells.append(schema.parse(part))
    assert [number for cell in cells for number in cell.part] == list(range(8))
    every = [instance.id for instance in cells[0].source.instances()]
    assert [instance.id for cell in cells for instance in cell.instances()] == every
