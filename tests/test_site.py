"""The documentation site: generated pages are up to date, every page is in its contents, and no link is broken."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import runner
from algorithms.programs.commands import COMMON
from algorithms.programs.outcome import STATUSES
from algorithms.programs.output import COST, COUNTS
from algorithms.programs.program import Program
from docs.generate import algorithms, reference, summary
from runner.base.own_places import PACKAGES
from runner.base.parameters import fields_of
from tests.domains import DOMAINS
from tests.isolated import isolated
from tests.runner.waiting import HANGING
from tests.runner_cli import ROOT, run
from worlds.interface.world import World

PROGRAMS = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")


def test_reference_pages_are_generated_from_the_registry() -> None:
    with isolated(PACKAGES):
        written = {path: path.read_text(encoding="utf-8") for path in reference.FOLDER.glob("*.md")}
        assert dict(reference.pages()) == written, "run python -m docs.generate"


def test_the_summaries_are_generated_from_what_exists() -> None:
    with isolated(PACKAGES):
        for path, content in summary.pages():
            assert path.read_text(encoding="utf-8") == content, "run python -m docs.generate summary"


def test_the_map_of_algorithms_has_all_with_their_declarations() -> None:
    """The expansions of every fifth row on the first instances are those from which its line was measured."""
    with isolated(PACKAGES):
        text = algorithms.PAGE.read_text(encoding="utf-8")
        assert algorithms._with_map() == text, "run python -m docs.generate algorithms"
        samples = algorithms.recorded_samples()
        rows = algorithms._rows(text)
        assert samples.keys() == rows.keys()
        for name in [*rows][::5]:
            assert algorithms.sample(rows[name]) == samples[name], "run python -m docs.generate algorithms"


@pytest.mark.long
def test_the_map_of_algorithms_has_the_expansions_of_all() -> None:
    with isolated(PACKAGES):
        text = algorithms.PAGE.read_text(encoding="utf-8")
        assert dict(algorithms.pages()) == {algorithms.PAGE: text}, "run python -m docs.generate algorithms --again"


def test_the_contents_have_every_page() -> None:
    contents = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if f'"{page}"' not in contents] == []


@pytest.mark.skipif(sys.version_info < (3, 11), reason="zensical needs Python 3.11")
def test_the_site_has_no_broken_links_or_fences_and_needs_no_other_server(tmp_path: Path) -> None:
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANGING, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "outputs" / "site").rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text
        assert '<link rel="stylesheet" href="http' not in text
        assert "```" not in text, f"{page.name} shows a fence as text"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Matplotlib for Python 3.10 closes lines otherwise")
def test_the_page_of_the_gallery_is_what_its_command_writes(tmp_path: Path) -> None:
    command = "explore heuristic=pivots --instance unibz_w5 --against heuristic=none --out cave.html"
    assert f"python -m runner {command}\n" in (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    assert run(tmp_path, *command.split()).returncode == 0
    assert (tmp_path / "cave.html").read_bytes() == (ROOT / "docs" / "gallery" / "cave.html").read_bytes()


@pytest.mark.parametrize("domain", [name for name in DOMAINS if name != "plain_pancake"])  # a plug-in
def test_the_page_of_programs_has_the_placeholders_and_formats_of_a_domain(domain: str) -> None:
    worlds = [runner.load(source, **parameters)[0].world for source, parameters in DOMAINS[domain].small.items()]
    inputs = {name for world in worlds for name in world.inputs()}
    (row,) = re.findall(rf"^\| `{domain}` \|.*$", PROGRAMS, re.MULTILINE)
    _, _, placeholders, formats, _ = row.split("|")
    assert placeholders_in(placeholders) - set(COMMON) == inputs - set(COMMON)
    assert set(re.findall(r"`(\w+)`:", formats)) == set(worlds[0].plan_formats) - set(World.plan_formats)


def test_the_page_of_programs_has_all_keys_columns_and_statuses() -> None:
    keys, placeholders = section("Keys"), section("Placeholders")
    rows = dict(re.findall(r"^\| (`.*?) \| (.*) \|$", keys, re.MULTILINE))
    assert {name for cell in rows for name in words_in(cell)} == {name for name in fields_of(Program) if name != "name"}
    assert set(STATUSES) <= words_in(rows["`exit_codes`"])
    assert {COST, *COUNTS} <= words_in(keys)
    assert set(COMMON) <= placeholders_in(placeholders)


def section(title: str) -> str:
    """Return a section of the page of programs."""
    return PROGRAMS.split(f"\n## {title}\n")[1].split("\n## ")[0]


def words_in(text: str) -> set[str]:
    return set(re.findall(r"`(\w+)`", text))


def placeholders_in(text: str) -> set[str]:
    return set(re.findall(r"`\{(\w+)\}`", text))
