"""Imports run one way: down the layers, and never in a circle. CONTRIBUTING.md shows the rooms with their sizes.

``python -m tests.test_architecture`` writes the sizes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType

import pytest

import runner.plugin

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
ROOM = re.compile(r"^\| `(\S+?)` \| (.+) \| ([\d,]+) \| ([\d,]+) \|$", re.MULTILINE)
TOLERANCE = 0.1
LAYERS = (
    "runner.base", "runner.machine", "worlds", "heuristics", "algorithms",
    "runner.config", "runner.records", "runner.execution", "runner.cli", "runner.core", "runner.features",
)  # fmt: skip
"""From the ground up. The other modules directly in `runner` are the public API, above all."""
FILES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for package in ("runner", "worlds", "heuristics", "algorithms")
    for file in sorted((ROOT / package).rglob("*.py"))
}


def imports(module: str) -> Iterator[str]:
    """Yield the modules of ours that a module imports, anywhere in it, except for those that lazy names stand for."""
    for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in FILES)
        elif isinstance(node, ast.ImportFrom) and node.module in FILES:
            below = {f"{node.module}.{each.name}" for each in node.names}
            yield from (below & FILES.keys()) or {node.module}


def layer(module: str) -> int:
    return next((n for n, name in enumerate(LAYERS) if f"{module}.".startswith(f"{name}.")), len(LAYERS))


@pytest.mark.parametrize("module", [module for module in FILES if layer(module) < len(LAYERS)])
def test_a_module_imports_nothing_above_it(module: str) -> None:
    assert [each for each in imports(module) if layer(each) > layer(module)] == []


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith("runner.features.")])
def test_a_feature_imports_of_the_core_only_what_the_second_ring_names(module: str) -> None:
    """And of other features only what they name in their `__init__`."""
    own = ".".join(module.split(".")[:3])
    core = [
        each for each in imports(module) if LAYERS.index("runner.config") <= layer(each) < LAYERS.index("runner.core")
    ]
    assert core == []
    others = [
        each for each in imports(module) if each.startswith("runner.features.") and not f"{each}.".startswith(f"{own}.")
    ]
    assert [each for each in others if each.count(".") > 2 and FILES[each].name != "__init__.py"] == []


TEAMS = ("worlds.mapf", "heuristics.mapf", "algorithms.mapf")


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith(TEAMS)])
def test_several_agents_are_written_as_a_stranger_would_write_them(module: str) -> None:
    """They use grid maps, and what `runner` and `runner.plugin` offer; `runner.register` stands for the registries."""
    public = {*dir(runner), *dir(runner.plugin), "ALGORITHMS", "HEURISTICS"}
    modules = tuple(f"{value.__name__}." for value in vars(runner.plugin).values() if isinstance(value, ModuleType))
    foreign = {
        each.name
        for node in ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] in ("runner", "worlds", "heuristics", "algorithms")
        and not f"{node.module}.".startswith((*(f"{team}." for team in TEAMS), "worlds.gridmap.", *modules))
        for each in node.names
    }
    own = {"mapf", "gridmap"}
    assert foreign - public - own == set()


FAMILIES = {
    module
    for module, file in FILES.items()
    if module.startswith("algorithms.") and "@ALGORITHMS.register(" in file.read_text(encoding="utf-8")
}


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith("runner.")])
def test_the_runner_knows_no_algorithm_by_name(module: str) -> None:
    """It finds one by what it declares (`algorithms.interface.declaring`), or is given it by the user."""
    assert FAMILIES.intersection(imports(module)) == set()


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith("runner.execution.")])
def test_execution_prints_nothing(module: str) -> None:
    """Commands and notebooks show what happens."""
    nodes = [*ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8")))]
    assert not [node for node in nodes if isinstance(node, ast.Name) and node.id == "print"]
    imported = [(node.module, each.name) for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names]
    assert ("runner.base.messages", "message") not in imported
    assert not {"runner.base.console", "rich.console", "rich.progress"} & {package for package, _ in imported}


def test_no_modules_import_each_other_in_a_circle() -> None:
    below_packages = {module: set(imports(module)) for module in FILES if FILES[module].name != "__init__.py"}
    TopologicalSorter(below_packages).prepare()


def test_no_two_classes_have_the_same_name() -> None:
    files_of_class: dict[str, list[str]] = {}
    for module, file in FILES.items():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                files_of_class.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in files_of_class.items() if len(modules) > 1} == {}


def sizes(room: str) -> tuple[int, int]:
    """Return the number of files and of lines of a room: a file, a pattern, or a folder with all below it."""
    found = [below for place in ROOT.glob(room) for below in ([place] if place.is_file() else place.rglob("*.py"))]
    return len(found), sum(len(file.read_text(encoding="utf-8").splitlines()) for file in found)


def test_contributing_shows_all_rooms_with_their_sizes() -> None:
    rooms = {
        room: [int(each.replace(",", "")) for each in shown]
        for room, _, *shown in ROOM.findall(PAGE.read_text(encoding="utf-8"))
    }
    wrong = {
        room: (shown, sizes(room))
        for room, shown in rooms.items()
        if any(abs(size - there) > TOLERANCE * there + 1 for size, there in zip(sizes(room), shown, strict=True))
    }
    assert wrong == {}, "python -m tests.test_architecture writes the right sizes"
    places = [*(ROOT / "runner").iterdir(), *(ROOT / "runner" / "features").iterdir()]
    packages = [place.relative_to(ROOT).as_posix() for place in places if (place / "__init__.py").is_file()]
    assert sorted({*packages} - {*rooms} - {"runner/features"}) == []


def test_contributing_names_files_that_exist() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = {*re.findall(r"`([\w./]+\.py|[\w/]+/)`", page)}
    named |= {f"runner/{module}.py" for module in re.findall(r"\b(?:config|records|execution)/\w+", page)}
    assert sorted(name for name in named if not (ROOT / name).exists()) == []


def write_sizes() -> None:
    """Write the sizes of the rooms into the page."""

    def row(found: re.Match[str]) -> str:
        files, lines = sizes(found[1])
        return f"| `{found[1]}` | {found[2]} | {files} | {lines:,} |"

    PAGE.write_text(ROOM.sub(row, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write_sizes()
