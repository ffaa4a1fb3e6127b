"""Exchange of worlds with programs, in every domain: the words and files of an instance, and plans."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
import runner.examples.pancake

import runner
from tests.domains import DOMAINS, SMALL, marks_of
from worlds.gridmap.rules import GridMap
from worlds.gridmap.world import SharedMap
from worlds.hanoi import Hanoi
from worlds.interface.instance import Instance
from worlds.interface.world import InputFile, World
from worlds.mapf.plans import written
from worlds.mapf.rules import after
from worlds.mapf.search import Roadmap
from worlds.mapf.world import MapfWorld
from worlds.npuzzle.rules import Puzzle
from worlds.npuzzle.sources import size_of
from worlds.npuzzle.world import PuzzleWorld
from worlds.pancake import Pancakes
from worlds.rubik.cube_texts import state_of
from worlds.rubik.world import Cube
from worlds.snake.rules import Board, Candy
from worlds.snake.world import SnakeWorld
from worlds.topspin import TopSpin
from worlds.wumpus.rules import Cave
from worlds.wumpus.world import CaveWorld

assert runner.examples.pancake

Writer = Callable[[Any, Sequence[str]], str]
LIMITS = {"nodes": 50_000}


def json_of(world: Any, plan: Sequence[str]) -> str:
    return json.dumps(plan, indent=1)


def cells(world: Any, plan: Sequence[str]) -> list[tuple[int, int]]:
    states, _ = world.played(plan)
    return list(states)


def tiles(world: Any, plan: Sequence[str]) -> list[int]:
    boards, _ = world.played(plan)
    return [before[after.index(0)] for before, after in pairwise(boards)]


def teams(world: Any, plan: Sequence[str]) -> list[list[tuple[int, int]]]:
    """Return the cells of the agents at each time, possible or not."""
    times = [list(world.starts)]
    for action in plan:
        times.append([after(cell, letter) for cell, letter in zip(times[-1], action, strict=True)])
    return times


def lacam(world: Any, plan: Sequence[str]) -> str:
    times = [f"{time}:" + "".join(f"({x},{y})," for x, y in cells) for time, cells in enumerate(teams(world, plan))]
    return "\n".join(["agents=2", "starts=(0,1),(2,1),", "solution=", *times, ""])


def cbsh2(world: Any, plan: Sequence[str]) -> str:
    return _paths("Agent {}: ", [[(y, x) for x, y in cells] for cells in teams(world, plan)])


def lns2(world: Any, plan: Sequence[str]) -> str:
    return cbsh2(world, plan).replace(": ", ":")


def paths_xy(world: Any, plan: Sequence[str]) -> str:
    return _paths("Agent {}: ", teams(world, plan))


def _paths(head: str, times: Sequence[Sequence[tuple[int, int]]]) -> str:
    paths = enumerate(zip(*times, strict=True))
    lines = (head.format(agent) + "".join(f"({one},{two})->" for one, two in path) for agent, path in paths)
    return "".join(f"{line}\n" for line in lines)


def tracker(world: Any, plan: Sequence[str]) -> str:
    return words(world, plan).translate(str.maketrans("ud", "du"))


def words(world: Any, plan: Sequence[str]) -> str:
    return "\n".join("".join(letters) for letters in zip(*plan, strict=True)) or "w " * world.agents


def swap() -> MapfWorld:
    """Return two agents that change places, with a niche between them."""
    roadmap = Roadmap(SharedMap(GridMap("swap", ("@.@", "...", "@@@"), None)))
    return MapfWorld(roadmap, ((0, 1), (2, 1)), ((2, 1), (0, 1)))


WRITERS: dict[tuple[str, str], list[Writer]] = {
    ("graph", "nodes"): [lambda world, plan: ",".join([world.start, *plan])],
    ("gridmap", "cells"): [
        lambda world, plan: " ".join(f"({x},{y})" for x, y in cells(world, plan)),
        lambda world, plan: "; ".join(f"{x},{y}" for x, y in cells(world, plan)),
        lambda world, plan: "\n".join(f"{x} {y}" for x, y in cells(world, plan)),
        lambda world, plan: "->".join(f"[{x}, {y}]" for x, y in cells(world, plan)),
        lambda world, plan: json.dumps(cells(world, plan)),
    ],
    ("gridmap", "json"): [json_of, lambda world, plan: json.dumps(cells(world, plan))],
    ("hanoi", "moves"): [
        lambda world, plan: "; ".join(name.replace(" to ", "->") for name in plan),
        lambda world, plan: "\n".join(name.replace(" to ", " ") for name in plan),
    ],
    ("mapf", "paths"): [words, lambda world, plan: " ".join(written(plan) or ["w"] * world.agents)],
    ("mapf", "paths_xy"): [lacam, paths_xy],
    ("mapf", "paths_row_column"): [cbsh2, lns2],
    ("mapf", "tracker"): [tracker],
    ("mapf", "lns2"): [lns2],
    ("mapf", "lacam"): [lacam],
    ("mapf", "eecbs"): [cbsh2],
    ("mapf", "cbsh2"): [cbsh2],
    ("npuzzle", "moves"): [
        lambda world, plan: "".join(plan),
        lambda world, plan: ", ".join(plan).lower(),
        lambda world, plan: " ".join(map(str, tiles(world, plan))),
    ],
    ("pddl", "pddl"): [
        lambda world, plan: "".join(f"({name} )\n" for name in plan) + "; cost = 3 (general cost)\n",
        lambda world, plan: "; a plan\n" + " ".join(f"({name.upper()})" for name in plan),
        lambda world, plan: "\n".join(f"{time}.000: ({name}) [1.000]" for time, name in enumerate(plan)),
    ],
    ("pddl", "ff"): [
        lambda world, plan: "".join(f"{step:>9}: {name.upper()}\n" for step, name in enumerate(plan)),
        lambda world, plan: ff_output("".join(f"{step}: {name.upper()}\n" for step, name in enumerate(plan))),
    ],
    ("road", "nodes"): [lambda world, plan: " -> ".join(str(state + 1) for state in world.played(plan)[0])],
    ("rubik", "moves"): [
        lambda world, plan: " ".join(plan).replace("-", "'"),
        lambda world, plan: "".join(turn.replace("-", "3") for turn in plan),
    ],
}


def ff_output(steps: str) -> str:
    """Return what Metric-FF prints, with a remark above the plan, and a step behind it that FF adds for some goals."""
    empty = "ff: goal can be simplified to TRUE."
    end = f"{steps.count(':')}: REACH-GOAL\nplan cost: 2.000000"
    steps = f"; not '{empty}'\nstep {steps}{end}" if steps else empty
    return f"Cueing down from goal distance: 2 into depth [1]\n\n{steps}\n     \n\ntime spent: 0.00 seconds\n"


def writers(domain: str, format: str) -> list[Writer]:
    shared: dict[str, Writer] = {
        "names": lambda world, plan: "\n".join(plan),
        "json": json_of,
        "moves": lambda world, plan: " ".join(number for name in plan for number in re.findall(r"\d+", name)),
    }
    return WRITERS.get((domain, format)) or [shared[format]]


def instances(domain: str) -> Iterator[Instance]:
    """Yield random instances, or the small ones of a source if there are none."""
    source = random.Random(f"programs {domain}")
    any_instance = DOMAINS[domain].any_instance
    if any_instance is None:
        yield from runner.load(DOMAINS[domain].start, **SMALL[DOMAINS[domain].start])
    else:
        yield from (any_instance(source, 4) for _ in range(20))


@pytest.mark.parametrize("domain", DOMAINS)
def test_plans_of_searches_are_read_in_every_format(domain: str) -> None:
    longest = 0
    for instance in instances(domain):
        result = runner.solve(instance, "astar", limits=LIMITS)
        if result.plan is not None:
            longest = max(longest, len(result.plan))
            for format in instance.world.plan_formats:
                for write in writers(domain, format):
                    text = write(instance.world, result.plan)
                    assert instance.world.read_plan(text, format) == tuple(result.plan), text
    assert longest > 2


MALFORMED = [
    ("graph", "nodes", "\nB G", "line 2: 'B' is not the start S, which must be the first node"),
    ("graph", "nodes", "S\nX", "line 2: 'X' is no action"),
    ("road", "nodes", "1\n99", "line 2: '99' is no node from 1 to 40"),
    ("graph", "nodes", "", "line 1: expected the nodes of a path from the start S on, got none"),
    ("gridmap", "names", "E E\nSEE", "line 2: 'SEE' is no action; did you mean 'SE'?"),
    ("gridmap", "json", '["E", [0, 1]]', "item 2: '[0, 1]' is no name of an action"),
    ("gridmap", "json", '[[0, 4], "E"]', "item 2: 'E' is no cell; expected [x, y]"),
    ("gridmap", "json", "[[0, 4], [1, true]]", "item 2: '[1, true]' is no cell; expected [x, y]"),
    ("gridmap", "cells", "", "line 1: expected the cells of a path from the start (0, 4) on, got none"),
    ("gridmap", "cells", "0,4\n1.5,2", "line 2: '1.5' is no whole number"),
    ("gridmap", "cells", "0,4\n1", "line 2: '1' is a number too many; expected pairs of numbers"),
    ("gridmap", "cells", "1,4 2,4", "line 1: expected the start (0, 4) as the first cell, got (1, 4)"),
    ("gridmap", "cells", "0,4 1,4\n3,5", "line 2: no straight or diagonal line leads from (1, 4) to (3, 5)"),
    ("gridmap", "cells", "0,4 0,4", "line 1: no straight or diagonal line leads from (0, 4) to (0, 4)"),
    ("gridmap", "cells", "0,4 8,4", "line 1: (8, 4) is outside the map, which has 8 x 8 cells"),
    ("hanoi", "moves", "0 to 1", "line 1: 'to' is no whole number"),
    ("hanoi", "names", "0 to 2\n0 to 3", "line 2: '0 to 3' is no action"),
    ("hanoi", "moves", "0 2\n0 3", "line 2: '0 to 3' is no action"),
    ("mapf", "names", "rl\nrlr", "line 2: 'rlr' has not one letter of u d l r w for each of 2 agents"),
    ("mapf", "json", '["rl", "r."]', "item 2: 'r.' has not one letter of u d l r w for each of 2 agents"),
    ("mapf", "paths", "", "line 1: expected the paths of 2 agents, got none"),
    ("mapf", "paths", "solved=0\nsolution=\n", "line 2: expected the paths of 2 agents, got none"),
    ("mapf", "paths", "rr ll r", "line 1: expected a word of u d l r w for each of 2 agents, got 3 words"),
    ("mapf", "paths", "rr\nlx", "line 2: 'lx' is no path; expected letters of u d l r w, and runs such as 5r2d"),
    ("mapf", "paths", "0:(0,1),(2,1)\n1:(0,1),(0,1)", "line 2: agent 2 jumps from (2, 1) to (0, 1) in step 1"),
    ("mapf", "paths", "0:(0,1),(2,1)\n\n2:(0,1)", "line 3: expected time 1 and its cells, got '2:(0,1)'"),
    ("mapf", "paths", "0:(0,1),(2,1)\n1:(0,1)", "line 2: expected the cells of 2 agents, got 1"),
    ("mapf", "paths", "solution=\n0:(0,1),(2,1);x", "line 2: 'x' is no cell; expected cells such as (3,4)"),
    ("mapf", "paths", "0:(1,1),(2,1)", "line 1: agent 1 begins in (1, 1); expected its start (0, 1)"),
    ("mapf", "paths", "Agent 0: (1,0)\n", "line 1: expected the paths of 2 agents, got 1"),
    ("mapf", "paths", "Agent 0: (1,0)\nAgent 1:", "line 2: a path without cells"),
    (
        "mapf",
        "paths",
        "Agent 0: (1,0)\nAgent 2: (1,2)",
        "line 2: expected agent 2 ('Agent 1:') and its cells, got 'Agent 2: (1,2)'",
    ),
    *(
        ("mapf", format, "0:(1,0),(1,2)", "line 1: agent 1 begins in (1, 0); expected its start (0, 1)")
        for format in ("paths_xy", "lacam")
    ),
    *(
        ("mapf", format, "0:(0,1),(2,1)", "line 1: agent 1 begins in (1, 0); expected its start (0, 1)")
        for format in ("paths_row_column", "eecbs", "cbsh2", "lns2")
    ),
    ("mapf", "lns2", "rr ll", "line 1: expected time 0 and its cells, got 'rr ll'"),
    ("mapf", "tracker", "0:(0,1),(2,1)", "line 1: expected a word of u d l r w for each of 2 agents, got 4 words"),
    ("npuzzle", "moves", "UL\nUX", "line 2: 'UX' has the letter 'X'; moves of the blank are U, L, R, D"),
    ("npuzzle", "moves", "1\n99", "line 2: '99' is not beside the blank; after 1 move, "),
    ("pancake", "moves", "2 1", "line 1: 'flip 1' is no action"),
    ("pddl", "pddl", "(move a b)\nmove a b", "line 2: 'move a b' is no action; expected one such as (move a b)"),
    ("pddl", "pddl", "(move a (b))", "line 1: '(move a (b))' is no action"),
    ("pddl", "pddl", "()", "line 1: '()' is no action"),
    ("pddl", "ff", "no plan\n", "line 1: expected step 0 of FF, such as '0: MOVE A B', got 'no plan'"),
    (
        "pddl",
        "ff",
        "x\nstep 0: MOVE A\n2: MOVE B",
        "line 3: expected step 1 of FF, such as '1: MOVE A B', got '2: MOVE B'",
    ),
    ("pddl", "ff", "0: (MOVE A)", "line 1: expected step 0 of FF, such as '0: MOVE A B', got '0: (MOVE A)'"),
    ("rubik", "moves", "U R'\nUM2", "line 2: 'UM2' is no turn; expected turns of outer faces"),
    ("rubik", "moves", "xU", "line 1: 'xU' is no turn"),
    ("snake", "names", "L\nLEFT", "line 2: 'LEFT' is no action; choose from: L, R, D, U"),
    ("topspin", "moves", "2 99", "line 1: 'turn 99' is no action"),
    ("wumpus", "names", "MOVE\nmove", "line 2: 'move' is no action; did you mean 'MOVE'?"),
]


def world_of(domain: str) -> World:
    """Return the world of the plans in `MALFORMED`."""
    if domain == "mapf":
        return swap()
    if domain == "gridmap":
        return runner.load("gridmap/static", problems=[2])[0].world
    start = DOMAINS[domain].start
    return runner.load(start, **SMALL[start])[0].world


@pytest.mark.parametrize(("domain", "format", "text", "message"), MALFORMED)
def test_texts_that_are_no_plans(domain: str, format: str, text: str, message: str) -> None:
    world = world_of(domain)
    with pytest.raises(ValueError) as error:
        world.read_plan(text, format)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_every_format_of_a_domain_refuses_some_texts() -> None:
    """Only names of worlds whose actions are not known in advance may be anything; numbers are read alike."""
    worlds = {name: next(instances(name)).world for name in DOMAINS}
    numbered = {name for name, world in worlds.items() if getattr(world, "numbered_action", "")}
    formats = {(name, format) for name, world in worlds.items() for format in world.plan_formats}
    refusing = {case[:2] for case in MALFORMED}
    shared = {(name, format) for name, format in formats if format in World.plan_formats}
    own = formats - shared - {(name, "moves") for name in numbered}
    assert own <= refusing


def numbers(words: str) -> tuple[int, ...]:
    return tuple(map(int, words.replace(",", " ").split()))


def squares(words: str) -> list[tuple[int, int]]:
    return [(int(x), int(y)) for x, y in (word.split(",") for word in words.split())]


def cube_of(words: Mapping[str, str]) -> Cube:
    start = state_of(words["cube"].split())
    assert start == state_of([words["facelets"]])
    return Cube(start, tuple(words["turns"].split()))


def cave_of(words: Mapping[str, str]) -> CaveWorld:
    hunter, gold, exit_ = (squares(words[name])[0] for name in ("hunter", "gold", "exit"))
    wumpus = next(iter(squares(words["wumpus"])), None)
    pits, blocks = (frozenset(squares(words[name])) for name in ("pits", "blocks"))
    size = int(words["width"]), int(words["height"])
    return CaveWorld(Cave(size, hunter, words["facing"], gold, exit_, wumpus, pits, blocks))


def board_of(words: Mapping[str, str]) -> SnakeWorld:
    candies = [numbers(word) for word in words["candies"].split()]
    (head,) = squares(words["head"])
    found = tuple(Candy((row, column), capacity) for row, column, capacity in candies)
    return SnakeWorld(Board(int(words["rows"]), int(words["columns"]), head, found))


def puzzle_of(words: Mapping[str, str]) -> PuzzleWorld:
    assert size_of(words["size"]) == (int(words["rows"]), int(words["columns"]))
    return PuzzleWorld(Puzzle(*size_of(words["size"]), numbers(words["board"]), numbers(words["goal"])))


REBUILT: dict[str, Callable[[Any], World]] = {
    "hanoi": lambda words: Hanoi(numbers(words["start"]), numbers(words["goal"]), int(words["pegs"])),
    "npuzzle": puzzle_of,
    "pancake": lambda words: Pancakes(numbers(words["stack"]), words["costs"]),
    "rubik": cube_of,
    "snake": board_of,
    "topspin": lambda words: TopSpin(numbers(words["ring"]), int(words["turnstile"])),
    "wumpus": cave_of,
}


@pytest.mark.parametrize("domain", REBUILT)
def test_words_describe_the_whole_instance(domain: str) -> None:
    for instance in instances(domain):
        rebuilt = REBUILT[domain](instance.world.inputs())
        assert identity(rebuilt) == identity(instance.world)


def identity(world: World) -> dict[str, Any]:
    """Return the identity without what only our searches in caves have."""
    return {key: value for key, value in world.identity().items() if key not in ("formulation", "pruning")}


@pytest.mark.parametrize("source", [pytest.param(source, marks=marks_of(source)) for source in SMALL])
def test_inputs_are_words_and_files(source: str) -> None:
    """A word is one line; a file of the user is that with this content."""
    for instance in runner.load(source, **SMALL[source])[:3]:
        for name, value in instance.world.inputs().items():
            assert name.isidentifier()
            if isinstance(value, InputFile):
                assert value.suffix.startswith(".")
                assert value.text().strip()
                if value.path is not None:
                    assert value.path.is_absolute()
                    assert value.path.suffix == value.suffix
                    assert value.path.read_text().splitlines() == value.text().splitlines()
            else:
                assert value.isprintable()
