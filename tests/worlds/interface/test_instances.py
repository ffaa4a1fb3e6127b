"""Properties of instances in every domain: saving and loading, simpler instances, and other starts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from runner.examples.pancake import Pancake

import runner
from algorithms.spaces.state_space import StateSpace
from runner.config.cell import sections
from tests.domains import DOMAINS, too_few
from tests.loaded import family_of
from worlds.interface.instance import Instance, Unsolvable, looks_of

RANDOM = {name: domain.any_instance for name, domain in DOMAINS.items() if domain.any_instance}


def instances(domain: str, count: int, largest: int = 6) -> Iterator[Instance]:
    source = random.Random(domain)
    for _ in range(count):
        yield RANDOM[domain](source, largest)


@pytest.mark.parametrize("domain", RANDOM)
def test_saved_instances_load_again(domain: str, tmp_path: Path) -> None:
    for number, instance in enumerate(instances(domain, 40)):
        document = family_of(instance.world).document(instance.id)
        assert document is not None
        file = tmp_path / f"{instance.id}{document.suffix}"
        file.write_text(document.text, encoding="utf-8")
        (again,) = runner.load(document.source, path=str(file), **document.parameters)
        assert again.key() == instance.key(), number
        assert again.world.variant() == instance.world.variant()


@pytest.mark.parametrize("domain", RANDOM)
def test_every_sequence_of_simpler_instances_is_valid_and_finite(domain: str) -> None:
    source = random.Random(f"smaller {domain}")
    ends = set()
    for instance in instances(domain, 25):
        seen = {repr(instance.key())}
        for _ in range(400):
            steps = [instance.with_world(smaller) for smaller in family_of(instance.world).smaller()]
            if not steps:
                break
            instance = source.choice(steps)
            assert repr(instance.key()) not in seen
            seen.add(repr(instance.key()))
            assert instance.seed is None
            assert looks_of(instance.world).render()
            document = family_of(instance.world).document(instance.id)
            assert document is not None
        else:
            pytest.fail(f"400 steps, and still smaller: {instance}")
        ends.add(str(instance.key().get("size")))
    assert len(ends) < 8


@pytest.mark.parametrize("domain", RANDOM)
def test_an_instance_with_another_start_keeps_distances_and_state_space(domain: str) -> None:
    """Its initial state is the given state, and its reachable states are reachable in the original instance."""
    source = random.Random(f"starts {domain}")
    begun = 0
    for instance in instances(domain, 30, largest=2):
        try:
            problem = instance.problem()
        except Unsolvable:
            continue
        space = StateSpace(problem)
        for number in source.sample(range(space.count), min(4, space.count)):
            other = family_of(instance.world).starting_at(problem.unpack(space.state(number)))
            if other is None:
                continue
            begun += 1
            there = StateSpace(instance.with_world(other).problem())
            assert (there.problem.initial == space.state(number)).all()
            assert there.distance[0] == space.distance[number]
            assert (space.find(there.all_states()) >= 0).all()
    assert begun > 20, too_few("other starts", begun, domain, "any_instance")


def test_worlds_in_plain_python_have_no_files_simpler_instances_or_other_starts() -> None:
    instance = next(iter(Pancake(size=4).instances()))
    assert list(family_of(instance.world).smaller()) == []
    assert family_of(instance.world).starting_at(instance.world.initial()) is None
    assert family_of(instance.world).document(instance.id) is None
    assert sections.source_of({"name": "pancake", "size": 4}).exhaustive is None
