"""The files of conf/ are generated from the registry and its options."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from docs.generate import conf
from heuristics.interface.heuristic import HEURISTICS
from runner.base import own_packages
from runner.base.own_places import PACKAGES, ROOT
from runner.base.parameters import convert
from runner.config.cell.registries import REGISTRIES, entries
from runner.config.cell.sections import stack_of
from runner.config.doors import options
from tests.isolated import isolated

own_packages.load()
with isolated(PACKAGES):
    FILES = dict(conf.pages())
    ENTRIES = [(kind, domain, name) for kind, domain, name, _ in entries()]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_file_of_conf_equals_the_generated_one(file: Path) -> None:
    written = file.read_text(encoding="utf-8") if file.exists() else ""
    assert written == FILES[file], "run python -m docs.generate"


@pytest.mark.parametrize(("kind", "domain", "name"), ENTRIES)
def test_every_option_has_a_meaning_and_a_valid_default(kind: str, domain: str | None, name: str) -> None:
    entry = REGISTRIES[kind].find(name, domain=domain)
    assert options.summary_of(entry)
    for option in options.options_of(entry):
        assert option.meaning, option.name
        assert option.kind, option.name
    file = ROOT / "conf" / kind / f"{name}.yaml"
    assert file.exists(), "run python -m docs.generate"
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if kind == "heuristic":
        stack = stack_of(str(domain), content)
        assert [each.registered_name for each in stack.heuristics] == [*entry.builds_on, name]
        assert stack.heuristics == tuple(HEURISTICS.build(each, {}, domain=domain) for each in [*entry.builds_on, name])
    elif "???" not in content.values():
        parameters = {key: value for key, value in content.items() if key != "name"}
        assert convert(entry, parameters, where=kind) == entry()
