"""Run the tests that concern one domain: ``python -m tests.domain NAME``.

They are the tests with the domain, a source or a heuristic of it as a parameter, those of its folders and files, and
`OVER_ALL`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from heuristics.interface import HEURISTICS
from runner.base.errors import suggest
from tests.domains import DOMAINS
from tests.runner_cli import ROOT
from worlds.sources import WORLDS

TESTS = ROOT / "tests"
OVER_ALL = (
    "test_domains.py::", "test_site.py::test_reference_pages", "runner/base/test_registry.py::test_every_entry",
    "worlds/test_programs.py::test_every_format", "heuristics/test_helper_tables.py::test_every_domain",
    "runner/config/test_options.py::",
)  # fmt: skip
"""Tests over all domains that are no parameters, and files with parameters that are names of entries."""


class Selection:
    """Plug-in of pytest that leaves the tests of a domain."""

    def __init__(self, domain: str) -> None:
        self._files = re.compile(rf"tests/(worlds|heuristics)/(test_)?{domain}[/.]")
        self._over_all = tuple(f"tests/{name}" for name in OVER_ALL)
        sources = [name for name in WORLDS.names() if WORLDS.find(name).domain == domain]
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
    domains = {*DOMAINS, *(WORLDS.find(name).domain for name in WORLDS.names())}
    if not words or words[0] not in domains:
        name = words[0] if words else ""
        print(f"there is no domain {name!r}{suggest(name, sorted(domains))}" if words else __doc__, file=sys.stderr)
        return 2
    early = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # modules that registries have imported
    return pytest.main(["-q", *early, *words[1:], *map(str, files(words[0]))], plugins=[Selection(words[0])])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
