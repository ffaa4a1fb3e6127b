"""Pages of docs/reference/, from the registries, docstrings and parsers."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, get_origin

from docstring_parser import DocstringStyle, parse

from heuristics.interface import COMBINATIONS
from runner.base import ROOT
from runner.config import FLAGS, Option, commands, options_of, registered_parts, run_parser

FOLDER = ROOT / "docs" / "reference"
_YES = {True: "yes", False: "no", None: "unknown"}
_OPTIMAL = {
    "always": "yes",
    "admissible": "under an admissible heuristic",
    "unit_costs": "if every step costs 1",
    "bounded": "within a known factor, under an admissible heuristic",
    "never": "no",
}
_INHERITED = {"admissible": None, "consistent": None, "complete": False}
"""Properties of entries that declare nothing."""
_INTRODUCTIONS = {
    "worlds": "Choose a world by `world=NAME`, and set its parameters by `world.PARAMETER=VALUE`. In Python: "
    "`runner.load(NAME, PARAMETER=VALUE)`.",
    "algorithms": "Choose an algorithm by `algorithm=NAME`, and set its parameters by `algorithm.PARAMETER=VALUE`. "
    "[Algorithms](../algorithms.md) compares them, and [agents](../agents.md) the agents.",
    "heuristics": "`heuristic=NAME` chooses the documented stack: the heuristics that NAME builds on, and NAME. "
    "`heuristic.stack=[NAME,...]` makes another one. Properties hold for the documented stack.",
    "weightings": "Choose a schedule of weights of h, or a priority f(g, h, w), by `weighting=NAME`; "
    "[algorithms](../algorithms.md#weightings) has more.",
    "experiments": "Run an experiment by `python -m runner +experiment=NAME`, or with `-m` if it is a sweep. Further "
    "words change it.",
    "plugin": "What plug-ins import from `runner.plugin`, each with a file that uses it. `runner` "
    "has what a notebook uses. [All doors](../plugins.md) shows how things enter.",
    "commands": "Each command is also one of `search-runner`. `python -m runner COMMAND --help` prints the same.",
}


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the path and the content of each page."""
    yield _page("Worlds", _entries("world"))
    yield _page("Algorithms", _entries("algorithm"))
    yield _page("Heuristics", chain(_entries("heuristic"), _combinations()))
    yield _page("Weightings", _entries("weighting"))
    yield _page("Experiments", _experiments())
    yield _page("Commands", _commands())
    yield _page("Names of runner.plugin", _names(), "plugin")


def _page(title: str, sections: Iterable[str], name: str = "") -> tuple[Path, str]:
    name = name or title.lower()
    introduction = f"# {title}\n\n{_INTRODUCTIONS[name]}\n"
    return FOLDER / f"{name}.md", "\n".join([introduction, *sections]).rstrip() + "\n"


def _entries(kind: str) -> Iterator[str]:
    """Yield a section for each entry, with a heading for each domain of heuristics."""
    found = sorted(registered_parts(kind), key=lambda entry: (entry[0] or "", entry[1]))
    previous: str | None = None
    described: dict[type, str | None] = {}  # by class: the first of several domains
    for domain, name, entry in found:
        if domain != previous:
            yield f"## {domain}\n"
            previous = domain
        level = "###" if domain else "##"
        first = described.setdefault(entry, domain)
        parts = _parts(kind, entry) if first == domain else [f"As `{name}` of {first}."]
        yield "\n\n".join([f"{level} {name}", *parts]) + "\n"


def _combinations() -> Iterator[str]:
    """Yield a section for each combination of heuristics."""
    yield (
        "## Combinations\n\n`heuristic.combine=NAME` combines the abstractions of the heuristics of a stack otherwise "
        "than by their sum or maximum; `'heuristic.combine={name: NAME, PARAMETER: VALUE}'` sets parameters.\n"
    )
    for domain, name, entry in COMBINATIONS.entries():
        yield "\n\n".join([f"### {name} ({domain})", *_parts("combination", entry)]) + "\n"


def _parts(kind: str, entry: Any) -> Iterator[str]:
    """Yield the paragraphs on an entry."""
    text = parse(inspect.getdoc(entry) or "", style=DocstringStyle.NUMPYDOC)
    yield from (each.replace("``", "`") for each in (text.short_description, text.long_description) if each)
    properties = [f"- {name}: {value}" for name, value in _properties(kind, entry)]
    if properties:
        yield "\n".join(properties)
    options = options_of(entry)
    if options:
        yield _table(options)


def _properties(kind: str, entry: Any) -> Iterator[tuple[str, str]]:
    """Yield the declared properties of an entry."""
    if kind == "heuristic":
        yield "stack", ", ".join(f"`{name}`" for name in (*entry.builds_on, entry.registered_name))
        yield "admissible", _declared(entry, "admissible", _YES)
        yield "consistent", _declared(entry, "consistent", _YES)
    if kind == "algorithm":
        yield "heuristic", entry.heuristic
        if hasattr(entry, "optimal"):
            yield "complete", _declared(entry, "complete", _YES)
            yield "optimal", _declared(entry, "optimal", _OPTIMAL)
    if kind == "weighting":
        yield "its bound holds without reopening, under a consistent heuristic", _YES[entry.without_reopening]
    metrics = getattr(entry, "metrics", ())
    if isinstance(metrics, tuple) and metrics:
        yield "metrics", ", ".join(f"`{metric.name}`" for metric in metrics)


def _declared(entry: type, name: str, words: dict[Any, str]) -> str:
    """Return what a class declares, in words. A property depends on parameters, unless an interface has it."""
    value = inspect.getattr_static(entry, name)
    if not isinstance(value, property):
        return words[value]
    is_inherited = value.fget is not None and ".interface." in value.fget.__module__
    return words[_INHERITED[name]] if is_inherited else "depends on parameters"


def _table(options: Iterable[Option]) -> str:
    rows = ["| parameter | values | default | meaning |", "| --- | --- | --- | --- |"]
    for each in options:
        default = each.default_text.removeprefix("default ")
        rows.append(f"| `{each.name}` | {_cell(each.kind)} | {_cell(default)} | {_cell(each.meaning)} |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _experiments() -> Iterator[str]:
    for file in sorted((ROOT / "conf" / "experiment").glob("*.yaml")):
        lines = file.read_text(encoding="utf-8").splitlines()
        comments = [line[1:] for line in lines if line.startswith("#") and "@package" not in line]
        text = "\n".join(_command(line.strip()) if line.startswith("  ") else line[1:] for line in comments)
        yield f"## {file.stem}\n\n{text}\n"


def _command(line: str) -> str:
    """Return a command as a block of code; `tests/test_documentation.py` runs those without placeholders."""
    comment = "<!-- not run by the tests: with your own files -->\n" if "world.path=" in line else ""
    return f"\n{comment}```sh\n{line}\n```\n"


def _commands() -> Iterator[str]:
    usage = "python -m runner [world=NAME] [algorithm=NAME] [heuristic=NAME] [KEY=VALUE ...]"
    flags = [(", ".join(names), text) for names, text, _ in FLAGS]
    common = run_parser("").documented
    yield f"## Runs and sweeps\n\n```\n{usage}\n```\n\n{_arguments(flags)}"
    for name, each in commands().items():
        parser = each.parser()
        own = [
            argument for argument in parser.documented if argument not in common and not argument[0].startswith("-h")
        ]
        if own:
            yield f"## {name}\n\n{parser.description}\n\n{_arguments(own)}"
        else:
            text = each.description
            usage = f"Takes the words of a run: `python -m runner {name} world=NAME heuristic=NAME ...`."
            yield f"## {name}\n\n{text[0].upper()}{text[1:]}.\n\n{usage}\n"


_ROOMS = {
    "worlds": "Worlds, heuristics, algorithms",
    "heuristics": "Worlds, heuristics, algorithms",
    "algorithms": "Worlds, heuristics, algorithms",
    "runner.base": "Errors, metrics, registries",
    "runner.features": "Reports, checks, criteria",
    "runner.cli": "Commands and the terminal",
    "runner.config": "Configuration",
    "runner.execution": "Searches, processes, sweeps",
    "runner.records": "Rows on disk",
}
"""Titles of the names of `runner.plugin`, by where they are defined."""


def _names() -> Iterator[str]:
    """Yield a table of the names of `runner.plugin` for each room."""
    defined = _imported(ROOT / "runner" / "plugin.py")
    users = _users(defined)
    found: dict[str, list[str]] = {title: [] for title in _ROOMS.values()}
    for name, module in sorted(defined.items(), key=lambda each: each[0].lower()):
        title = next(title for room, title in _ROOMS.items() if f"{module}.".startswith(f"{room}."))
        found[title].append(f"| `{name}` | {_cell(_summary(name, module))} | `{users[name]}` |\n")
    for title, rows in found.items():
        yield f"## {title}\n\n| name | what it is | example |\n| --- | --- | --- |\n{''.join(rows)}"


def _imported(file: Path) -> dict[str, str]:
    """Return the modules of the names that a file offers under their own names."""
    return {
        each.name: node.module or ""
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for each in node.names
        if each.asname
    }


def _users(defined: dict[str, str]) -> dict[str, str]:
    """Return for each name of `runner.plugin` a short file that uses it: of the examples first, then of ours."""
    folders = ("examples", "tests/plugins/stranger", "worlds", "heuristics", "algorithms", "runner/features")
    files = [sorted((ROOT / each).rglob("*.py"), key=lambda file: (file.stat().st_size, file)) for each in folders]
    found: dict[str, str] = {}
    for file in chain.from_iterable(files):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for each in node.names if isinstance(node, ast.ImportFrom) else ():
                room = defined.get(each.name, "")
                is_inside = room != "" and file.is_relative_to(ROOT / room.replace(".", "/"))
                if isinstance(node, ast.ImportFrom) and node.module in ("runner.plugin", room) and not is_inside:
                    found.setdefault(each.name, file.relative_to(ROOT).as_posix())
    return found


def _summary(name: str, module: str) -> str:
    """Return the first paragraph of a docstring; of a constant, the one below its assignment."""
    value = getattr(import_module("runner.plugin"), name)
    is_alias = get_origin(value) is not None  # a class, too, to Python 3.10
    if (inspect.isclass(value) and not is_alias) or inspect.isfunction(value) or inspect.ismodule(value):
        text = inspect.getdoc(value) or ""
    else:
        room = Path(inspect.getfile(import_module(module)))
        file = Path(inspect.getfile(import_module(_imported(room).get(name, module))))
        body = ast.parse(file.read_text(encoding="utf-8")).body
        text = next(
            str(after.value.value)
            for each, after in pairwise(body)
            if isinstance(each, (ast.Assign, ast.AnnAssign))
            and name in ast.unparse(each).partition("=")[0]
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        )
    return " ".join(text.partition("\n\n")[0].split()).replace("``", "`")


def _arguments(arguments: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"| `{_cell(name)}` | {_cell(meaning)} |\n" for name, meaning in arguments)
    return f"| argument | meaning |\n| --- | --- |\n{rows}"
