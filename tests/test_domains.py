"""Each registered domain has what tests and documented commands need of it. The message lists what to add."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.domain import Selection, main, missing
from tests.domains import DOMAINS, Domain
from worlds.interface.sources import SOURCES, Source


def test_every_registered_domain_has_what_tests_need() -> None:
    found = missing()
    assert not found, "\n".join(["add these; the docstring of worlds/__init__.py says how", *found])


def test_what_a_new_domain_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Chess(Source):
        domain = "chess"

    monkeypatch.setattr(SOURCES, "names", lambda: ["chess/random"])
    monkeypatch.setattr(SOURCES, "find", lambda name: Chess)
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


def test_what_is_too_small_misjudged_or_undocumented_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for page in ("programs.md", "plugins/heuristics.md"):
        (tmp_path / "docs" / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / page).write_text("# Empty\n")
    monkeypatch.setattr("tests.domain.ROOT", tmp_path)
    few = replace(
        DOMAINS["pancake"], families=[{"world": "pancake/random", "count": 99}], is_invertible=False, searches=[]
    )
    monkeypatch.setitem(DOMAINS, "pancake", few)
    assert missing("pancake") == [
        "tests/domains.py: DOMAINS['pancake'].families: 6 instances, with {'count': 2, 'pits': 1}, of those for one "
        "heuristic; it has 2",
        "tests/domains.py: DOMAINS['pancake'].is_invertible: True",
        "tests/domains.py: DOMAINS['pancake'].searches: with 'frontier'",
        "tests/domains.py: DOMAINS['pancake'].searches: with 'iw'",
        "python -m docs.generate conf reference metrics",
        "docs/programs.md: a row of `pancake`, with {stack}, {size}, {costs}",
        "docs/plugins/heuristics.md: a section '### pancake: ...' with the layout of its constants",
    ]


def test_the_usage_lists_the_domains(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert ", hanoi, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("node", "concerns"),
    [
        ("tests/worlds/interface/test_instances.py::test_saved_instances_load_again[hanoi]", True),
        ("tests/runner/test_api.py::test_every_combination_is_accepted_or_refused[hanoi/file]", True),
        ("tests/runner/features/audits/test_declared.py::test_algorithms_keep_their_promises[hanoi-astar-12]", True),
        ("tests/worlds/hanoi/test_hanoi.py::test_files", True),
        ("tests/test_domains.py::test_every_registered_domain_has_what_tests_need", True),
        ("tests/worlds/interface/test_instances.py::test_saved_instances_load_again[topspin]", False),
        ("tests/worlds/topspin/test_topspin.py::test_files", False),
        ("tests/runner/test_api.py::test_a_result_is_immutable_and_its_row_is_json", False),
    ],
)
def test_the_tests_of_a_domain_are_selected(node: str, concerns: bool) -> None:
    assert Selection("hanoi").concerns(node) == concerns
