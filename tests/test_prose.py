"""Docstrings and pages are ordinary technical English: imperative verbs or nouns, and none of some phrases."""

from __future__ import annotations

import ast
import re
from functools import cache

from tests.runner_cli import ROOT

PACKAGES = ("runner", "worlds", "heuristics", "algorithms", "examples", "benchmarks", "docs/generate", "tests")
BEGINS_BADLY = re.compile(r"(?:What|Who|Whose|Whom|Which|That|How|Why|Where|When)\b")
PHRASES = re.compile(r"\b(?:of\s+which|is\s+said|are\s+said|anew|somebody|is\s+told)\b", re.IGNORECASE)
Documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def docstrings() -> list[tuple[str, str]]:
    """Return the place and the text of each docstring."""
    found = []
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, Documented) and (text := ast.get_docstring(node)):
                    line = getattr(node, "lineno", 1)
                    found.append((f"{file.relative_to(ROOT)}:{line}", text))
    return found


def test_docstrings_begin_with_a_verb_or_a_noun() -> None:
    assert [f"{place}: {text[:60]}" for place, text in docstrings() if BEGINS_BADLY.match(text)] == []


def test_docstrings_pages_and_options_have_none_of_some_phrases() -> None:
    files = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("conf/**/*.yaml")]
    pages = [(str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")) for file in files]
    found = [(place, match[0]) for place, text in [*docstrings(), *pages] for match in PHRASES.finditer(text)]
    assert found == []
