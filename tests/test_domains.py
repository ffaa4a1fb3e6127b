"""Each registered domain has what tests and documented commands need of it. The message lists what to add."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import runner
from heuristics.interface import HEURISTICS
from runner.base.errors import PACKAGES
from runner.config import packages, sections
from tests.domains import DOMAINS, FEWER, MIN_SOLVED, SAMPLE, Domain, Family
from tests.isolated import isolated
from worlds.sources import WORLDS, Source

packages.load()


def missing() -> list[str]:
    """Return what each registered domain of ours lacks."""
    found: list[str] = []
    with isolated(PACKAGES):
        names = [(str(WORLDS.find(name).domain), name) for name in WORLDS.names() if "/" in name]
        for domain in sorted({domain for domain, _ in names}):
            sources = [name for each, name in names if each == domain]
            if domain not in DOMAINS:
                found.append(f"tests/domains.py: an entry {domain!r} of DOMAINS, for the sources {', '.join(sources)}")
            else:
                found += _missing_in(domain, DOMAINS[domain], sources)
            if all(WORLDS.find(name).small_space is None for name in sources):
                found.append(f"worlds/{domain}: `small_space` of a source")
    return found


def _missing_in(domain: str, has: Domain, sources: list[str]) -> list[str]:
    entry = f"tests/domains.py: DOMAINS[{domain!r}]"
    lacks = [f"{entry}.small: parameters of the source {name!r}" for name in sources if name not in has.small]
    lacks += [f"{entry}.{name}: at least one" for name in ("families", "heuristics") if not getattr(has, name)]
    if has.start not in has.small:
        lacks.append(f"{entry}.start: one of {', '.join(has.small)}")
    registered = HEURISTICS.names(domain=domain)
    lacks += [f"a heuristic {name!r} of {domain}" for name in has.heuristics if name not in registered]
    return lacks or [*_too_small_in(domain, has, entry), *_without_backward_in(domain, has, registered)]


def _too_small_in(domain: str, has: Domain, entry: str) -> Iterator[str]:
    """Yield the families of a domain in which algorithms cannot solve enough instances."""
    field = "families_for_algorithms" if has.families_for_algorithms else "families"
    families: Sequence[Family] = getattr(has, field)
    if domain == "pddl":  # its families need the translator
        return
    few = [
        {"name" if key == "world" else key: FEWER.get(key, value) for key, value in each.items()} for each in families
    ]
    counts = [min(SAMPLE, len(sections.source_of(each))) for each in few]
    step = len(has.heuristics) if len(counts) == 1 else min(len(has.heuristics), 2)
    count = counts[0] // step if len(counts) == 1 else sum(counts[::step])
    if count < MIN_SOLVED:
        yield f"{entry}.{field}: {MIN_SOLVED} instances, with {FEWER}, of those for one heuristic; it has {count}"


def _without_backward_in(domain: str, has: Domain, registered: Sequence[str]) -> Iterator[str]:
    """Yield the heuristics that need an estimate from the start, because the worlds have predecessors."""
    world = runner.load(has.start, **has.small[has.start])[0].world
    if world.is_invertible != has.is_invertible:
        yield f"tests/domains.py: DOMAINS[{domain!r}].is_invertible: its worlds have {world.is_invertible}"
    elif has.is_invertible and domain != "graph":  # its heuristic is given in a file, for one direction
        for name in registered:
            if not HEURISTICS.find(name, domain=domain)().has_backward:
                yield f"heuristics/{domain}: an estimate from the start (`backward`) of {name!r}"


def test_every_registered_domain_has_what_tests_need() -> None:
    assert missing() == [], "add these lines; the docstring of worlds/__init__.py says how"


def test_what_a_new_domain_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Chess(Source):
        domain = "chess"

    monkeypatch.setattr(WORLDS, "names", lambda: ["chess/random"])
    monkeypatch.setattr(WORLDS, "find", lambda name: Chess)
    assert missing() == [
        "tests/domains.py: an entry 'chess' of DOMAINS, for the sources chess/random",
        "worlds/chess: `small_space` of a source",
    ]
    monkeypatch.setitem(DOMAINS, "chess", Domain(small={}, start="chess/all", families=[], heuristics=["mate"]))
    assert missing() == [
        "tests/domains.py: DOMAINS['chess'].small: parameters of the source 'chess/random'",
        "tests/domains.py: DOMAINS['chess'].families: at least one",
        "tests/domains.py: DOMAINS['chess'].start: one of ",
        "a heuristic 'mate' of chess",
        "worlds/chess: `small_space` of a source",
    ]
