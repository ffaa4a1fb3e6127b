"""Lines that a domain lacks, and its tests: ``python -m tests.domain NAME`` runs them, and prints what is missing.

Its tests are those with the domain, a source or a heuristic of it as a parameter, those in its folders and files, and
`OVER_ALL`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import runner
from algorithms.interface.algorithm import ALGORITHMS
from heuristics.interface.heuristic import HEURISTICS
from runner.base import own_packages
from runner.base.errors import Incompatible, suggest
from runner.base.own_places import PACKAGES
from runner.config.cell import sections
from runner.config.cell.schema import SearchParts
from tests.domains import DOMAINS, FEWER, MIN_SOLVED, SAMPLE, Domain, Family
from tests.isolated import isolated
from tests.registered import ONLY_IN, heuristics_without_files
from tests.runner_cli import ROOT
from worlds.interface.instance import Instance
from worlds.interface.sources import SOURCES

own_packages.load()

TESTS = ROOT / "tests"
OVER_ALL = (
    "test_domains.py::", "test_site.py::test_reference_pages", "runner/base/test_registry.py::test_every_entry",
    "worlds/test_programs.py::test_every_format", "heuristics/test_helper_tables.py::test_every_domain",
    "runner/config/doors/test_options.py::", "test_prose.py::",
)  # fmt: skip
"""Tests over all domains that are no parameters, and files with parameters that are names of entries."""


def missing(only: str | None = None) -> list[str]:
    """Return what each registered domain of ours lacks, or one of them."""
    found: list[str] = []
    with isolated(PACKAGES):
        names = [(str(SOURCES.find(name).domain), name) for name in SOURCES.names() if "/" in name]
        for domain in sorted({domain for domain, _ in names if only in (None, domain)}):
            sources = [name for each, name in names if each == domain]
            if domain not in DOMAINS:
                found.append(f"tests/domains.py: an entry {domain!r} of DOMAINS, for the sources {', '.join(sources)}")
            else:
                found += _missing_in(domain, DOMAINS[domain], sources)
            if all(SOURCES.find(name).small_space is None for name in sources):
                found.append(f"worlds/{domain}: `small_space` of a source")
    return found


def _missing_in(domain: str, has: Domain, sources: list[str]) -> list[str]:
    entry = f"tests/domains.py: DOMAINS[{domain!r}]"
    lacks = [f"{entry}.small: parameters of the source {name!r}" for name in sources if name not in has.small]
    lacks += [f"{entry}.{name}: at least one" for name in ("families", "heuristics") if not getattr(has, name)]
    if has.start not in has.small:
        lacks.append(f"{entry}.start: one of {', '.join(has.small)}")
    registered = heuristics_without_files(domain)
    lacks += [f"a heuristic {name!r} of {domain}" for name in has.heuristics if name not in registered]
    if lacks:
        return lacks
    (instance, *_) = runner.load(has.start, **has.small[has.start])
    return [
        *_too_small_in(domain, has, entry),
        *_misjudged_in(domain, has, entry, instance),
        *_without_backward_in(domain, registered, instance),
        *_undocumented_in(domain, sources, instance),
    ]


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


def _misjudged_in(domain: str, has: Domain, entry: str, instance: Instance) -> Iterator[str]:
    """Yield what the first instance of `start` shows to be otherwise."""
    if instance.world.is_invertible != has.is_invertible:
        yield f"{entry}.is_invertible: {instance.world.is_invertible}"
    for name in ONLY_IN if has.start not in has.unnumbered else ():
        heuristic = "none" if ALGORITHMS.find(name).heuristic == "ignored" else has.heuristics[0]
        try:
            SearchParts.of(domain, name, heuristic, None, "sum").fitted([instance])
        except Incompatible:
            accepts = False
        else:
            accepts = True
        if accepts != (name in has.searches):
            yield f"{entry}.searches: {'with' if accepts else 'without'} {name!r}"


def _without_backward_in(domain: str, registered: Sequence[str], instance: Instance) -> Iterator[str]:
    """Yield the heuristics that need an estimate from the start, because the worlds have predecessors."""
    for name in registered if instance.world.is_invertible and domain != "graph" else ():  # its file has one direction
        if not HEURISTICS.find(name, domain=domain)().has_backward:
            yield f"heuristics/{domain}: an estimate from the start (`backward`) of {name!r}"


def _undocumented_in(domain: str, sources: list[str], instance: Instance) -> Iterator[str]:
    """Yield the files and places of the documentation that have nothing of the domain."""
    if not all((ROOT / "conf" / "world" / f"{name}.yaml").exists() for name in sources):
        yield "python -m docs.generate conf reference metrics"
    if f"\n| `{domain}` |" not in (ROOT / "docs" / "programs.md").read_text(encoding="utf-8"):
        yield f"docs/programs.md: a row of `{domain}`, with {{{'}, {'.join(instance.world.inputs())}}}"
    page = (ROOT / "docs" / "plugins" / "heuristics.md").read_text(encoding="utf-8")
    if instance.world.kernels is not None and not re.search(rf"^### (.* and )?{domain}\b", page, re.MULTILINE):
        yield f"docs/plugins/heuristics.md: a section '### {domain}: ...' with the layout of its constants"


class Selection:
    """Plug-in of pytest that leaves the tests of a domain."""

    def __init__(self, domain: str) -> None:
        self._files = re.compile(rf"tests/(worlds|heuristics)/(test_)?{domain}[/.]")
        self._over_all = tuple(f"tests/{name}" for name in OVER_ALL)
        sources = [name for name in SOURCES.names() if str(SOURCES.find(name).domain) == domain]
        own = [name for each, name, _ in HEURISTICS.entries() if each == domain]
        self._names = {domain, *sources, *(f"heuristic/{name}" for name in own)}

    def concerns(self, node: str) -> bool:
        """Return whether a test concerns the domain."""
        test, _, parameters = node.removesuffix("]").partition("[")
        if self._files.match(test) or not self._names.isdisjoint(parameters.split("-")):
            return True
        return test.startswith(self._over_all) and not parameters

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if self.concerns(item.nodeid)]


def files(domain: str) -> list[Path]:
    """Return the files that may have tests of a domain."""
    using = [
        file
        for file in TESTS.rglob("test_*.py")
        if re.search(r"^from tests\.(domains|registered) ", file.read_text(encoding="utf-8"), re.M)
    ]
    own = [TESTS / part / name for part in ("worlds", "heuristics") for name in (domain, f"test_{domain}.py")]
    named = [TESTS / name.partition("::")[0] for name in OVER_ALL]
    return sorted({*using, *(path for path in own if path.exists()), *named})


def main(words: list[str]) -> int:
    """Run the tests; further words are options of pytest."""
    domains = {*DOMAINS, *(str(SOURCES.find(name).domain) for name in SOURCES.names())}
    if words[:1] in (["-h"], ["--help"]):
        print(f"{__doc__}\nDomains: {', '.join(sorted(domains))}. Further words are options of pytest.")
        return 0
    if not words or words[0] not in domains:
        name = words[0] if words else ""
        print(f"there is no domain {name!r}{suggest(name, sorted(domains))}" if words else __doc__, file=sys.stderr)
        return 2
    early = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # modules that registries have imported
    code = pytest.main(["-q", *early, *words[1:], *map(str, files(words[0]))], plugins=[Selection(words[0])])
    if lacks := missing(words[0]):
        print("Add these first; other failures may follow from them:", *lacks, sep="\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
