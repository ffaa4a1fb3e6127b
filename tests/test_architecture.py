"""Imports run one way, down, and never in a circle; rooms have ceilings. CONTRIBUTING.md shows the rooms.

The ceilings are a wall: a person raises one by hand, in a commit that says which guarantee, option or door it
withdraws, or which visible capability it buys. One that is far above its room fails, too, so that what was won stays
won.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import runner.plugin

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
PACKAGES = ("runner", "worlds", "heuristics", "algorithms")
LAYERS = (
    "runner.base", "runner.machine", "worlds", "heuristics", "algorithms",
    "runner.config", "runner.records", "runner.execution", "runner.cli", "runner.features",
)  # fmt: skip
"""From the ground up. The other modules directly in `runner` are the public API, above all."""
LINES: dict[str, int] = {
    "runner/base": 3083,
    "runner/machine": 1180,
    "runner/config": 3360,
    "runner/records": 3150,
    "runner/execution": 3790,
    "runner/cli": 1630,
    "runner/*.py": 480,
    "runner/features/archive": 925,
    "runner/features/atlas": 510,
    "runner/features/audits": 3790,
    "runner/features/cluster": 790,
    "runner/features/dataset": 730,
    "runner/features/explorer": 2730,
    "runner/features/generated": 1155,
    "runner/features/grading": 4800,
    "runner/features/notebook": 250,
    "runner/features/reports": 7360,
    "runner/features/scaffold": 265,
    "runner/features/tuning": 1550,
    "worlds/compile": 1250,
    "worlds/graph.py": 360,
    "worlds/drawing.py": 255,
    "worlds/gridmap": 1830,
    "worlds/hanoi.py": 380,
    "worlds/interface": 3530,
    "worlds/mapf": 1550,
    "worlds/npuzzle": 1220,
    "worlds/pacman": 500,
    "worlds/pancake.py": 280,
    "worlds/permutations": 460,
    "worlds/pddl": 3990,
    "worlds/road": 1370,
    "worlds/rubik": 820,
    "worlds/snake": 960,
    "worlds/topspin.py": 240,
    "worlds/wumpus": 1660,
    "heuristics/graph.py": 20,
    "heuristics/gridmap": 400,
    "heuristics/hanoi.py": 130,
    "heuristics/heuristic_base.py": 30,
    "heuristics/interface": 1840,
    "heuristics/mapf.py": 60,
    "heuristics/npuzzle": 1060,
    "heuristics/onnx.py": 310,
    "heuristics/pacman.py": 200,
    "heuristics/pancake.py": 120,
    "heuristics/permutations.py": 150,
    "heuristics/pddl": 3450,
    "heuristics/road.py": 260,
    "heuristics/rubik": 340,
    "heuristics/snake": 380,
    "heuristics/tables.py": 260,
    "heuristics/topspin.py": 10,
    "heuristics/weightings.py": 140,
    "heuristics/wumpus": 1190,
    "algorithms/agents": 1870,
    "algorithms/anytime.py": 430,
    "algorithms/beam.py": 280,
    "algorithms/best_first": 1010,
    "algorithms/bidirectional": 1340,
    "algorithms/bounded_suboptimal": 850,
    "algorithms/breadth_first.py": 170,
    "algorithms/depth_first": 1760,
    "algorithms/engine": 2500,
    "algorithms/frontier.py": 370,
    "algorithms/greedy": 980,
    "algorithms/interface": 880,
    "algorithms/jump_point.py": 360,
    "algorithms/k_best.py": 350,
    "algorithms/mapf": 3120,
    "algorithms/multi_objective": 605,
    "algorithms/novelty": 700,
    "algorithms/pacman_project": 500,
    "algorithms/plan_sets.py": 250,
    "algorithms/programs": 4150,
    "algorithms/real_time": 480,
    "algorithms/spaces": 545,
}
"""Most lines of Python of each room: a file or folder, with all below it."""
WAYS = {
    "way of a row": ("runner/base", "runner/config", "runner/records", "runner/execution", "runner/cli", "runner/*.py"),
    "way of a search": (
        "worlds/interface", "worlds/compile", "heuristics/interface", "algorithms/interface", "algorithms/engine",
    ),
    "way of a domain": ("worlds/__init__.py", "worlds/pancake.py", "heuristics/pancake.py", "examples/astar.py"),
    "product": PACKAGES,
}  # fmt: skip
"""Rooms that one reads one after the other, and all of them."""
SUMS: dict[str, int] = {
    "way of a row": 15470,
    "way of a search": 9985,
    "way of a domain": 480,
    "product": 95885,
}
"""Most lines of these together."""
NAMES: dict[str, int] = {
    "runner.base": 143,
    "runner.machine": 20,
    "worlds.compile": 46,
    "worlds.interface": 65,
    "heuristics.interface": 42,
    "algorithms.engine": 107,
    "algorithms.interface": 14,
    "algorithms.spaces": 5,
    "runner.config": 46,
    "runner.records": 59,
    "runner.execution": 20,
    "runner.cli": 7,
}
"""Rooms of the core, and how many of their names other rooms may import."""
SLACK = 0.05
FILES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for package in PACKAGES
    for file in sorted((ROOT / package).rglob("*.py"))
}


class Module(NamedTuple):
    """Names in a module."""

    offered: set[str]
    """Names that it offers under their own names."""
    classes: list[str]
    used: set[str]
    imported: list[tuple[str, str]]
    """Module and name of each import from ours, anywhere in the file; "" for a module itself."""


@cache
def modules() -> dict[str, Module]:
    """Read all modules. Their syntax trees, which take 500 MB, are not kept: all forks of tests would have them."""
    read: dict[str, Module] = {}
    imports: dict[str, list[ast.Import | ast.ImportFrom]] = {}
    for module, file in FILES.items():
        nodes = [*ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
        imports[module] = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        read[module] = Module(
            {
                each.asname
                for node in imports[module]
                if isinstance(node, ast.ImportFrom)
                for each in node.names
                if each.asname is not None
            },
            [node.name for node in nodes if isinstance(node, ast.ClassDef)],
            {node.id for node in nodes if isinstance(node, ast.Name)},
            [],
        )
    for module, found in imports.items():
        read[module].imported.extend(each for node in found for each in imported(node, read))
    return read


def imported(node: ast.Import | ast.ImportFrom, read: dict[str, Module]) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each import from ours."""
    if isinstance(node, ast.Import):
        yield from ((each.name, "") for each in node.names if each.name in FILES)
    elif node.module in FILES:
        for each in node.names:
            below = f"{node.module}.{each.name}"
            is_module = below in FILES and each.name not in read[node.module].offered
            yield (below, "") if is_module else (node.module, each.name)


def imports(module: str) -> set[str]:
    """Return the modules of ours that a module imports, except for those that lazy names stand for."""
    return {each for each, _ in modules()[module].imported}


def layer(module: str) -> int:
    return next((n for n, name in enumerate(LAYERS) if f"{module}.".startswith(f"{name}.")), len(LAYERS))


def room_of(module: str) -> str:
    """Return the room of the core in which a module is, or an empty text."""
    return next((room for room in NAMES if f"{module}.".startswith(f"{room}.")), "")


def test_modules_import_nothing_above_them() -> None:
    above = [
        (module, each)
        for module in FILES
        for each in imports(module)
        if layer(module) < len(LAYERS) and layer(each) > layer(module)
    ]
    assert above == []


def used_of(room: str) -> set[str]:
    """Return the names of a room of the core that others import from it: functions, classes, constants and modules."""
    return {
        name or each.removeprefix(f"{room}.")
        for module in FILES
        if room_of(module) != room
        for each, name in modules()[module].imported
        if room_of(each) == room
    }


def test_others_import_from_a_room_what_its_init_offers() -> None:
    """They import no module of it, but for those that are names themselves, such as `algorithms.engine.control`."""
    inside = [
        (module, each, name)
        for module in FILES
        for each, name in modules()[module].imported
        if room_of(each) not in ("", room_of(module), each) and (name or each.count(".") > 2)
    ]
    assert inside == []


def imported_elsewhere() -> list[tuple[str, str]]:
    """Return what else imports from ours."""
    folders = [ROOT / "docs" / "generate", ROOT / "benchmarks", ROOT / "examples"]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    found = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return [each for node in found for each in imported(node, modules())]


def test_rooms_offer_what_others_use() -> None:
    unused = {
        room: modules()[room].offered
        - used_of(room)
        - {name for module, name in imported_elsewhere() if module == room}
        for room in NAMES
    }
    assert {room: sorted(names) for room, names in unused.items() if names} == {}, "no other room imports these"


def test_features_import_of_others_only_what_their_init_offers() -> None:
    inside = [
        (module, each)
        for module in FILES
        for each in imports(module)
        if module.startswith("runner.features.") and each.startswith("runner.features.")
        if module.split(".")[2] != each.split(".")[2] and each.count(".") > 2 and FILES[each].name != "__init__.py"
    ]
    assert inside == []


TEAMS = ("worlds.mapf", "heuristics.mapf", "algorithms.mapf")


def test_several_agents_are_written_as_a_stranger_would_write_them() -> None:
    """They use grid maps, and what `runner` and `runner.plugin` offer; `runner.register` stands for the registries."""
    public = {*dir(runner), *dir(runner.plugin), "ALGORITHMS", "HEURISTICS", "mapf", "gridmap"}
    doors = tuple(value.__name__ for value in vars(runner.plugin).values() if isinstance(value, ModuleType))
    foreign = [
        (module, each, name)
        for module in FILES
        if module.startswith(TEAMS)
        for each, name in modules()[module].imported
        if not each.startswith((*TEAMS, "worlds.gridmap", *doors)) and name not in public
    ]
    assert foreign == []


ON_THE_ENGINE = ("compiled_astar.py", "compiled_hill_climbing.py")
"""Compiled algorithms of the examples. They are written against the engine, as ours are."""


def test_pages_on_plugins_and_examples_import_no_room_of_the_core() -> None:
    """They use `runner`, `runner.plugin`, and helpers of domains and of agents, which are in no such room."""
    pages = [ROOT / "docs" / "plugins.md", *sorted((ROOT / "docs" / "plugins").glob("*.md"))]
    blocks = [
        (page, re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)) for page in pages
    ]
    examples = [file for file in sorted((ROOT / "examples").rglob("*.py")) if file.name not in ON_THE_ENGINE]
    texts = [(page, block) for page, found in blocks for block in found if not block.startswith("# examples/")]
    texts += [(file, file.read_text(encoding="utf-8")) for file in examples]
    used = {
        (place.name, module)
        for place, text in texts
        for module in re.findall(r"^ *(?:from|import) ((?:runner|worlds|heuristics|algorithms)(?:\.\w+)*)", text, re.M)
    }
    public = ("runner.plugin", "runner.examples")
    assert [
        each
        for each in sorted(used)
        if room_of(each[1])
        or (each[1] != "runner" and each[1].startswith("runner.") and not each[1].startswith(public))
    ] == []


def test_the_runner_knows_no_algorithm_by_name() -> None:
    """It finds one by what it declares (`algorithms.interface.declaring`), or is given it by the user."""
    families = {
        module
        for module, file in FILES.items()
        if module.startswith("algorithms.") and "@ALGORITHMS.register(" in file.read_text(encoding="utf-8")
    }
    knowing = {module: families & imports(module) for module in FILES if module.startswith("runner.")}
    assert {module: known for module, known in knowing.items() if known} == {}


def test_execution_prints_nothing() -> None:
    """Commands and notebooks show what happens."""
    execution = [module for module in FILES if module.startswith("runner.execution")]
    assert [module for module in execution if "print" in modules()[module].used] == []
    assert {name for module in execution for _, name in modules()[module].imported} & {
        "message",
        "console",
        "show",
    } == set()


def test_no_modules_import_each_other_in_a_circle() -> None:
    below_packages = {module: imports(module) for module in FILES if FILES[module].name != "__init__.py"}
    TopologicalSorter(below_packages).prepare()


def test_no_rooms_import_each_other_in_a_circle() -> None:
    rooms: dict[str, set[str]] = {}
    for module in FILES:
        others = {room_of(each) for each in imports(module)} - {"", room_of(module)}
        rooms.setdefault(room_of(module), set()).update(others)
    TopologicalSorter(rooms).prepare()


def test_no_two_classes_have_the_same_name() -> None:
    files_of_class: dict[str, list[str]] = {}
    for module, names in modules().items():
        for name in names.classes:
            files_of_class.setdefault(name, []).append(module)
    assert {name: files for name, files in files_of_class.items() if len(files) > 1} == {}


def size_of(*rooms: str) -> int:
    """Return the number of lines of rooms: files, patterns, or folders with all below them."""
    places = [place for room in rooms for place in ROOT.glob(room)]
    files = [file for place in places for file in ([place] if place.is_file() else place.rglob("*.py"))]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


def misfits(sizes: dict[str, int], ceilings: dict[str, int], unit: str) -> list[str]:
    """Return a line for each size that is above its ceiling, or far below."""
    return [
        f"{name} has {size} {unit}, and its ceiling is {ceilings[name]}"
        for name, size in sizes.items()
        if not size <= ceilings[name] <= (1 + SLACK) * size + 10
    ]


def test_rooms_stay_below_their_ceilings() -> None:
    assert misfits({room: size_of(room) for room in LINES}, LINES, "lines") == []


def test_ways_stay_below_their_ceilings() -> None:
    assert misfits({way: size_of(*rooms) for way, rooms in WAYS.items()}, SUMS, "lines") == []


def test_rooms_give_few_names_to_others() -> None:
    assert misfits({room: len(used_of(room)) for room in NAMES}, NAMES, "names that others import") == []


def test_every_room_has_a_ceiling_and_a_line_in_contributing() -> None:
    below = [place for folder in (*PACKAGES, "runner/features") for place in (ROOT / folder).iterdir()]
    rooms = {
        place.relative_to(ROOT).as_posix()
        for place in below
        if (place / "__init__.py").is_file()
        or (place.suffix == ".py" and place.name != "__init__.py" and place.parent.name != "runner")
    } - {"runner/features", "runner/features/__init__.py"}
    assert sorted(rooms ^ (LINES.keys() - {"runner/*.py"})) == []
    page = PAGE.read_text(encoding="utf-8")
    shown = {*re.findall(r"^\| `(\S+?)` \|", page, re.MULTILINE)}
    assert sorted(room for room in LINES if room not in shown and f"{room.partition('/')[0]}/*" not in shown) == []


def test_contributing_names_files_that_exist() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = {*re.findall(r"`([\w./]+\.py|[\w/]+/)`", page)}
    named |= {f"runner/{module}" for module in re.findall(r"\b(?:config|records|execution)/\w+", page)}
    assert sorted(name for name in named if not (ROOT / name).exists() and not (ROOT / f"{name}.py").exists()) == []
