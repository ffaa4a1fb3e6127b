"""The files of conf/ are generated from the registry and its options."""

from __future__ import annotations

from collections.abc import Iterator

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


def test_files_of_conf_equal_the_generated_ones() -> None:
    written = {file: file.read_text(encoding="utf-8") if file.exists() else "" for file in FILES}
    other = [f"{file.parent.name}/{file.stem}" for file in FILES if written[file] != FILES[file]]
    assert other == [], "run python -m docs.generate"


def test_every_option_has_a_meaning_and_a_valid_default() -> None:
    assert [f"{kind} {name}: {wrong}" for kind, domain, name in ENTRIES for wrong in mistakes(kind, domain, name)] == []


def mistakes(kind: str, domain: str | None, name: str) -> Iterator[str]:
    """Yield what is wrong with the options of an entry, or with its file in conf/."""
    entry = REGISTRIES[kind].find(name, domain=domain)
    if not options.summary_of(entry):
        yield "has no summary"
    yield from (
        f"{each.name} lacks a meaning" for each in options.options_of(entry) if not (each.meaning and each.kind)
    )
    content = yaml.safe_load((ROOT / "conf" / kind / f"{name}.yaml").read_text(encoding="utf-8"))
    if kind == "heuristic":
        stack, names = stack_of(str(domain), content), [*entry.builds_on, name]
        if [each.registered_name for each in stack.heuristics] != names:
            yield f"its file has other heuristics than {names}"
        elif stack.heuristics != tuple(HEURISTICS.build(each, {}, domain=domain) for each in names):
            yield "its file has other values than the defaults"
    elif "???" not in content.values():
        parameters = {key: value for key, value in content.items() if key != "name"}
        if convert(entry, parameters, where=kind) != entry():
            yield "its file has other values than the defaults"
