"""Compare figures and outputs of pages and docstrings with what commands and calls give.

Comments in the pages, which readers do not see, say where it comes from:

- ``<!-- figures: EXPRESSION -->``: the figures after it are the values of the expression in Python, in order. Above a
  table, they are all figures of its body without the first column, which has the names of the rows. Words with digits
  (8-puzzle), code (unless the comment is directly before it) and addresses are no figures. An expression uses the names
  of `NAMES`, such as `rows`, and `here`, a folder with the files of the page. Its values are numbers, tables, texts
  with numbers, and ``...`` for a figure that is not compared.
- ``<!-- output: COMMAND -->`` above a block: what the command prints; ``...`` stands for anything. Times may differ.
- ``<!-- measured: COMMAND -->`` above a block or a table: figures that depend on the machine.
- ``<!-- not run by the tests: REASON -->``, ``<!-- no output -->``: as they say.

``figures, long:`` and ``output, long:`` take many seconds, and are left to ``pytest -m long``. Blocks and tables of
figures without a comment are mistakes. In a text, a comment is directly before its figures, not at the beginning of a
line. ``python -m tests.test_figures [--long] [PAGE ...]`` writes the right figures.
"""

from __future__ import annotations

import argparse
import atexit
import doctest
import math
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pandas as pd
import pytest

import runner
from runner.base.own_places import PACKAGES
from tests.runner_cli import ROOT, run
from tests.test_documentation import BLOCK, FILE, PAGES, build, name_of, write_file

FIGURES = re.compile(r"<!-- figures(, long)?: (.*?) -->", re.DOTALL)
OUTPUT = re.compile(r"^( *)<!-- output(, long)?: (.*?) -->\n *```text\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!-- ((?:(?!-->).)*?) -->\Z", re.DOTALL)
KNOWN = (
    r"figures|output|measured: python -m ([\w.]+)|not run by the tests: |no output|expansions|.*(?:columns|statuses)"
)
"""Beginnings of the comments that a block or a table may have; `docs.generate` writes those without a colon."""
NUMBER = re.compile(r"(?<![\w.,^])(?<![\w)]-)-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w^]|-[a-z]|,\d{3}|\.\d)")
HIDDEN = re.compile(r"`[^`\n]*`|(?<=\])\([^)\s]*\)|<!--.*?-->", re.DOTALL)
"""Code, the addresses of links, and comments."""
TIME = re.compile(r" *\d[\d.]* (?:us|ms|s|min)\b")
GENERATED = ("reference", "atlas")
"""Folders whose pages commands write. tests/test_site.py and the tests of the atlas compare them."""
EXAMPLES = [
    file
    for package in ("runner", *PACKAGES)
    for file in sorted((ROOT / package).rglob("*.py"))
    if ">>> " in file.read_text(encoding="utf-8")
]
"""Modules with calls and their results in docstrings."""
PROVEN_ELSEWHERE = {
    "programs.md": "tests/runner/features/audits/test_programs.py",
    "snake.md": "tests/runner/cli/test_snake_cli.py",
    "wumpus.md": "tests/runner/cli/test_wumpus_cli.py",
}
"""Pages whose experiments another test runs, too; their figures are long."""
INPUT = {"sh", "python", "yaml", "json", "toml", "lisp", "tex", "bibtex"}
"""Languages of blocks that users write."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name_of(page), marks=[pytest.mark.long] if page.name in PROVEN_ELSEWHERE else [])
        for page in PAGES
    ],
)
def test_pages_show_what_commands_give(page: Path, tmp_path: Path) -> None:
    assert Page.read(page).checked(tmp_path, long=False).mistakes == []


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_show_what_long_commands_give(page: Path, tmp_path: Path) -> None:
    assert Page.read(page).checked(tmp_path, long=True).mistakes == []


def test_output_and_tables_are_checked() -> None:
    written = [page for page in PAGES if page.parent.name not in GENERATED]
    assert [mistake for page in written for mistake in Page.read(page).unchecked()] == []


def test_comments_of_the_readme_name_figures_without_python() -> None:
    """Readers see them, too, where a page of a package is shown as text."""
    comments = re.findall(r"<!-- (.*?) -->", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert [comment for comment in comments if not re.fullmatch(r"[\w .:-]+(\(\))?", comment)] == []


@pytest.mark.parametrize("file", EXAMPLES, ids=name_of)
def test_docstrings_show_what_calls_give(file: Path) -> None:
    module = import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))
    assert doctest.testmod(module).failed == 0


PAGE = """A\\* expands <!-- figures: rows("heuristic=pivots,none").expanded["unibz_w5"] --> 85 states of 1,083.

<!-- figures: [[1, 1234.56], [2, ...]] -->

| | f | g |
|---|---|---|
| row 1 | 1 | 1,234.5 |
| row 2 | 2 | 5 s |

<!-- output: python -m runner --help world=snake/static -->
```text
...
  world.seed: whole number from 2 (default 0)
...
```

<!-- output: python -m runner world.count=2 -->
```text
other words
```

| | h |
|---|---|
| row | 4 |

    5
"""
RIGHT = PAGE.replace(" 85 states", " 111 states").replace("1,234.5 ", "1,234.6 ").replace("from 2 ", "from 0 ")


def test_mistakes_are_named_and_mended(tmp_path: Path) -> None:
    page = Page(ROOT / "README.md", PAGE).checked(tmp_path, long=False)
    places = [mistake.partition(": ")[::2] for mistake in page.mistakes]
    assert [(place, text.partition(" by ")[0].partition(":")[0]) for place, text in places] == [
        ("README.md:1", "shows 85, but it is 111"),
        ("README.md:7", "shows 1,234.5, but it is 1,234.6"),
        ("README.md:13", "shows world.seed"),
        ("README.md:17", "python -m runner world.count=2 prints other lines"),
    ]
    assert page.right() == RIGHT
    assert [*page.unchecked()] == [
        "README.md:22: name the command above it (see tests/test_figures.py)",
        "README.md:26: name the command above it (see tests/test_figures.py)",
    ]


# Values of expressions.


@cache
def folder() -> Path:
    """Make the folder of the results that all pages share; it is removed at the end of the process."""
    made = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, made)
    return made


@cache
def rows(words: str) -> pd.DataFrame:
    """Return the rows of a run or a sweep, by instance."""
    made = folder() / f"rows_{len(list(folder().iterdir()))}"
    done = run(ROOT, "-m", *shlex.split(words), "workers=0", "progress=false", f"hydra.sweep.dir={made}")
    assert done.returncode == 0, f"{words}\n{done.stderr}"
    return runner.read(made).set_index("instance")


@cache
def audit(words: str) -> pd.DataFrame:
    """Return the table of an audit, by check."""
    made = folder() / f"audit_{len(list(folder().iterdir()))}"
    done = run(ROOT, "audit", *shlex.split(words), "audit.shrink=false", f"hydra.run.dir={made}")
    assert done.returncode < 2, f"{words}\n{done.stderr}"
    return pd.read_csv(made / "audit.csv").set_index("check")


@cache
def benchmark(name: str, *arguments: Any) -> Any:
    """Return what a function of benchmarks/ returns, such as ``agents.exact``."""
    module, function = name.split(".")
    return getattr(import_module(f"benchmarks.{module}"), function)(*arguments)


@cache
def korf1985() -> list[int]:
    """Return how many boards of Korf have his number of nodes, how many there are, and their nodes in all."""
    counts = runner.read("atlas:korf1985").groupby("instance")["generated"].agg(["nunique", "first"])
    return [int((counts["nunique"] == 1).sum()), len(counts), int((counts["first"] + 1).sum())]


def numbers(value: Any) -> Iterator[Any]:
    """Yield the numbers of a value, and ``...``; what is missing has no figure."""
    if isinstance(value, str):
        yield from (float(number.replace(",", "")) for number in NUMBER.findall(value))
    elif isinstance(value, (pd.DataFrame, pd.Series, np.ndarray)):
        yield from numbers(np.asarray(value).ravel().tolist())
    elif isinstance(value, Iterable):
        for each in value:
            yield from numbers(each)
    elif value is ... or (value is not None and not pd.isna(value)):
        yield value


NAMES = {each.__name__: each for each in (rows, audit, benchmark, korf1985, numbers, run)} | {
    "runner": runner,
    "np": np,
    "pd": pd,
}


# Pages.


@dataclass
class Page:
    """A page, the right text of it, and what is wrong."""

    path: Path
    text: str
    mistakes: list[str] = field(default_factory=list)
    _right: list[tuple[int, int, str]] = field(default_factory=list)

    @staticmethod
    def read(path: Path) -> Page:
        return Page(path, path.read_text(encoding="utf-8"))

    def checked(self, here: Path, long: bool) -> Page:
        """Compare all that is fast, or all that is long, in a folder that gets the files of the page up to there."""
        figures = [comment for comment in FIGURES.finditer(self.text) if bool(comment[1]) == long]
        outputs = [block for block in OUTPUT.finditer(self.text) if bool(block[2]) == long]
        last = max((comment.start() for comment in (*figures, *outputs)), default=0)
        for reason, language, content in BLOCK.findall(self.text, 0, last):
            if (name := FILE.match(content)) is not None:
                write_file(here, name[1], content)
            elif language == "sh" and not reason:
                build(here, content)
        for comment in figures:
            self._figures(comment, here)
        for block in outputs:
            self._output(block, here)
        return self

    def right(self) -> str:
        """Return the text with the right figures."""
        text = self.text
        for start, end, new in sorted(self._right, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def unchecked(self) -> Iterator[str]:
        """Yield the places of blocks and tables that nothing compares."""
        lines, number = self.text.splitlines(), 0
        while number < len(lines):
            line, start = lines[number], number
            fence, is_table = re.match(r" *```(\w*)", line), line.startswith("|")
            is_block = line.startswith("    ") and not lines[number - 1].strip()
            if fence:
                number = next(k for k in range(start + 1, len(lines)) if lines[k].strip() == "```")
            elif is_table or is_block:
                begin = "|" if is_table else "    "
                number = next((k for k in range(start, len(lines)) if not lines[k].startswith(begin)), len(lines)) - 1
            comment = COMMENT.search("\n".join(lines[:start]).rstrip())
            is_known = comment and re.match(KNOWN, comment[1])
            if is_known and is_known[1] and not find_spec(is_known[1]):
                yield f"{name_of(self.path)}:{start}: there is no command {is_known[1]}"
            is_input = fence and (fence[1] in INPUT or FILE.match(lines[start + 1]))
            is_output = (fence or is_block) and not is_input
            if (is_output or (is_table and shows_figures(lines[start + 2 : number + 1]))) and not is_known:
                yield f"{name_of(self.path)}:{start + 1}: name the command above it (see tests/test_figures.py)"
            number += 1

    def _figures(self, comment: re.Match[str], here: Path) -> None:
        expression = " ".join(comment[2].split())
        try:
            values = [*numbers(eval(expression, {**NAMES, "here": here}))]
        except Exception as error:
            raise ValueError(f"{self._place(comment.start())}: {expression}") from error
        shown, is_table = figures_after(self.text, comment)
        if len(shown) < len(values) or (is_table and len(shown) > len(values)):
            self._wrong(comment.start(), f"{len(shown)} figures, but {len(values)} values of {expression}")
        for figure, value in zip(shown, values, strict=False):
            right = formatted(value, figure[0])
            if right != figure[0]:
                self._wrong(figure.start(), f"shows {figure[0]}, but it is {right} by {expression}")
                self._right.append((*figure.span(), right))

    def _output(self, block: re.Match[str], here: Path) -> None:
        indent, _, command, shown = block.groups()
        words = shlex.split(command)
        assert words[:3] == ["python", "-m", "runner"], f"{self._place(block.start())}: {command}"
        done = run(here, *words[3:], COLUMNS="150")
        printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        if agrees(dedent(shown), "\n".join(printed) + "\n"):
            return
        lines = shown.splitlines()
        starts = [block.start(4) + sum(len(line) + 1 for line in lines[:k]) for k in range(len(lines))]
        alike = [[NUMBER.sub("0", line) for line in each] for each in (dedent(shown).splitlines(), printed)]
        known = len(self.mistakes)
        for first, second, length in SequenceMatcher(None, alike[0], alike[1], autojunk=False).get_matching_blocks():
            for k in range(length):
                start, line, right = starts[first + k], lines[first + k], indent + printed[second + k]
                if not agrees(line.strip(), right.strip()):
                    self._wrong(start, f"shows {line.strip()}, but {command} prints {right.strip()}")
                    self._right.append((start, start + len(line), right))
        if len(self.mistakes) == known:
            self._wrong(block.start(), f"{command} prints other lines:\n" + "\n".join(printed))

    def _wrong(self, at: int, message: str) -> None:
        self.mistakes.append(f"{self._place(at)}: {message}")

    def _place(self, at: int) -> str:
        return f"{name_of(self.path)}:{self.text.count(chr(10), 0, at) + 1}"


def figures_after(text: str, comment: re.Match[str]) -> tuple[list[re.Match[str]], bool]:
    """Return the figures between a comment and the end of its paragraph or table, and whether it is above a table."""
    start = comment.end()
    is_above = text[start : start + 1] == "\n"
    if is_above:
        start += len(text[start:]) - len(text[start:].lstrip())
    end = text.find("\n\n", start)
    end = len(text) if end < 0 else end
    is_table = is_above and text[start] == "|"
    if code := re.compile(r"`[^`\n]*`").match(text, start):
        return [*NUMBER.finditer(text, *code.span())], False
    visible = HIDDEN.sub(lambda hidden: " " * len(hidden[0]), text)
    found: list[re.Match[str]] = []
    if not is_table:
        return [*NUMBER.finditer(visible, start, end)], False
    for number, line in enumerate(re.compile(r"^\s*\|.*$", re.MULTILINE).finditer(visible, start, end)):
        if number > 1:  # below the heading and the line under it
            second = visible.index("|", line.start() + len(line[0]) - len(line[0].lstrip()) + 1)
            found += NUMBER.finditer(visible, second, line.end())
    return found, True


def formatted(value: Any, shown: str) -> str:
    """Return a value with the digits of a figure that is shown."""
    if value is ...:
        return shown
    decimals = len(shown.partition(".")[2])
    if math.isclose(abs(float(shown.replace(",", "")) - value), 0.5 * 10**-decimals, rel_tol=1e-6):
        return shown  # halves may be rounded up or to even
    has_commas = "," in shown or len(shown.partition(".")[0]) < 4
    return f"{value:{',' if has_commas else ''}.{decimals}f}"


def agrees(expected: str, output: str) -> bool:
    """Return whether an output is the expected one but for times and what ``...`` stands for."""
    return doctest.OutputChecker().check_output(
        TIME.sub(" TIME", expected), TIME.sub(" TIME", output), doctest.ELLIPSIS
    )


def shows_figures(table: list[str]) -> bool:
    """Return whether most rows have a figure after the first column."""
    return sum(map(has_figures, table)) > len(table) / 2


def has_figures(row: str) -> bool:
    """Return whether a cell after the first one is a figure, perhaps with a unit."""
    cells = HIDDEN.sub("`", row).strip("|").split("|")[1:]
    return any(re.fullmatch(r"[\s*]*-?[\d,.]+[\s*]*(?:[^\W\d]+|%|±.*|\(.*\)|/.*)?[\s*]*", cell) for cell in cells)


def main(arguments: list[str]) -> None:
    """Write the right figures into pages."""
    parser = argparse.ArgumentParser(prog="python -m tests.test_figures", description=main.__doc__)
    parser.add_argument("--long", action="store_true", help="also those of commands that take minutes")
    parser.add_argument("pages", nargs="*", type=Path, metavar="PAGE", help="by default all")
    options = parser.parse_args(arguments)
    for path in [page.resolve() for page in options.pages] or PAGES:
        for long in (False, True)[: 1 + options.long]:
            with tempfile.TemporaryDirectory() as made:
                page = Page.read(path).checked(Path(made), long)
            print(*page.mistakes, sep="\n", end="\n" if page.mistakes else "")
            if page.right() != page.text:
                path.write_text(page.right(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
