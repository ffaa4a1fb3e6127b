"""The helpers and layouts that docs/plugins/heuristics.md lists exist, with these arguments."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

from tests.runner_cli import ROOT

PAGE = (ROOT / "docs" / "plugins" / "heuristics.md").read_text(encoding="utf-8")
MODULE = re.compile(r"^`from (\S+) import \.\.\.`", re.MULTILINE)
_parts = MODULE.split(PAGE.split("\n## Helpers and layouts\n")[1].split("\n## ")[0])
TABLES = list(zip(_parts[1::2], _parts[2::2], strict=True))


@pytest.mark.parametrize(("module", "text"), TABLES, ids=[module for module, _ in TABLES])
def test_listed_helpers_exist(module: str, text: str) -> None:
    found = import_module(module)
    helpers = re.findall(r"`(\w+)\(([\w, *]*)\)`", text)
    assert helpers or "`constants[" in text
    for name, arguments in helpers:
        assert list(inspect.signature(getattr(found, name)).parameters) == arguments.replace("*", "").split(", "), name
    for name in set(re.findall(r"\b[A-Z_]{2,}\b", "".join(re.findall(r"`[^`]+`", text)))) - {"UNREACHABLE"}:
        assert isinstance(getattr(found, name), int), name


def test_every_domain_with_compiled_states_has_a_section() -> None:
    folders = {file.parent.name for file in (ROOT / "worlds").glob("*/search.py")}
    files = {file.stem for file in (ROOT / "worlds").glob("*.py") if "\n@source(" in file.read_text(encoding="utf-8")}
    headings = re.findall(r"^### (.*):", PAGE.split("\n## Helpers and layouts\n")[1], re.MULTILINE)
    assert folders | files <= {name for heading in headings for name in heading.split(" and ")}
