"""Networks in ONNX files: small models made by hand have the values of other heuristics; hostile ones are refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runner
from heuristics import onnx as door
from tests.planning import needs_translator
from tests.runner_cli import run

pytest.importorskip("onnxruntime")
onnx = pytest.importorskip("onnx")
helper, numpy_helper, types = onnx.helper, onnx.numpy_helper, onnx.TensorProto

PUZZLE = ("world=npuzzle/random", "world.size=3", "world.count=2")
Node = tuple[str, Sequence[str], str] | tuple[str, Sequence[str], str, Mapping[str, Any]]
Shape = Sequence[int | str | None]


def model(
    nodes: Sequence[Node],
    name: str = "one_hot",
    shape: Shape = ("n", 81),
    out: Shape = ("n", 1),
    dtype: str = "FLOAT",
    out_dtype: str = "FLOAT",
    outputs: Sequence[str] = ("h",),
    **tensors: Any,
) -> bytes:
    """Return a model with one input. Nodes are an operator, its inputs, its output and its attributes."""
    graph = helper.make_graph(
        [helper.make_node(node[0], node[1], [node[2]], **(node[3] if len(node) > 3 else {})) for node in nodes],
        "test",
        [helper.make_tensor_value_info(name, getattr(types, dtype), shape)],
        [helper.make_tensor_value_info(each, getattr(types, out_dtype), out) for each in outputs],
        [numpy_helper.from_array(np.asarray(value), key) for key, value in tensors.items()],
    )
    made: bytes = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    ).SerializeToString()
    return made


def manhattan(dtype: Any = np.float32) -> Any:
    """Return the distance of each tile in each cell to its goal, as weights of the one-hot boards of 3x3."""
    weights = np.zeros((9, 9, 1))
    for cell in range(9):
        for tile in range(1, 9):
            weights[cell, tile] = abs(cell // 3 - (tile - 1) // 3) + abs(cell % 3 - (tile - 1) % 3)
    return weights.reshape(81, 1).astype(dtype)


def linear(weights: Any = None, bias: float = 0.0, **options: Any) -> bytes:
    """Return a model with the sum of weights, by default those of the Manhattan distance."""
    weights = manhattan() if weights is None else weights
    name = options.get("name", "one_hot")
    nodes = [("MatMul", [name, "w"], "sum"), ("Add", ["sum", "b"], "h")]
    return model(nodes, w=weights, b=np.array([bias], weights.dtype), **options)


def of_values(nodes: Sequence[Node], **options: Any) -> bytes:
    """Return a model of the tiles of 3x3."""
    return model(nodes, **{"name": "values", "shape": ("n", 9), "out": ("n",), **options})


def saved(folder: Path, content: bytes) -> dict[str, Any]:
    """Write a model, and return the heuristic."""
    (folder / "net.onnx").write_bytes(content)
    return {"name": "onnx", "path": str(folder / "net.onnx")}


def counts(result: Any) -> tuple[Any, ...]:
    return result.status, result.plan, result.expanded, result.generated, result.evaluated, result.initial_h


def same(instances: Sequence[Any], one: Any, other: Any, algorithms: Sequence[Any] = ("astar", "idastar")) -> None:
    """Assert that searches with two heuristics are the same."""
    for instance in instances:
        for algorithm in algorithms:
            found = runner.solve(instance, algorithm, [one])
            assert counts(found) == counts(runner.solve(instance, algorithm, [other])), instance
            assert found.measured["provider"] == "CPUExecutionProvider"


BOARDS: dict[str, Callable[[], bytes]] = {
    "one_hot": linear,
    "double": lambda: linear(manhattan(np.float64), dtype="DOUBLE", out_dtype="DOUBLE"),
    "half": lambda: linear(manhattan(np.float16), dtype="FLOAT16", out_dtype="FLOAT16"),
    "another name": lambda: linear(name="X"),
    "in blocks": lambda: model(
        [("Reshape", ["one_hot", "s"], "flat"), ("MatMul", ["flat", "w"], "h")],
        shape=("n", 9, 9), s=np.array([-1, 81]), w=manhattan(),
    ),
    "integers": lambda: of_values(
        [
            ("Add", ["values", "rows"], "v"), ("Gather", ["w", "v"], "d"),
            ("ReduceSum", ["d", "axis"], "h", {"keepdims": 0}),
        ],
        dtype="INT64", out_dtype="INT64", rows=9 * np.arange(9), axis=np.array([1]),
        w=manhattan(np.int64).ravel(),
    ),
}  # fmt: skip
"""Models with the Manhattan distance."""


@pytest.mark.parametrize("kind", BOARDS)
def test_a_model_of_the_manhattan_distance_needs_its_expansions(kind: str, tmp_path: Path) -> None:
    boards = runner.load("npuzzle/random", size=3, count=2)
    greedy = {"name": "greedy", "batch": 16}
    same(boards, saved(tmp_path, BOARDS[kind]()), "manhattan", ("astar", greedy) if kind == "one_hot" else ("astar",))


def grid_model(name: str, goal: tuple[int, int]) -> bytes:
    """Return a model of the Manhattan distance on a map of 9x7, from coordinates or from an image."""
    if name == "values":
        nodes: list[Node] = [
            ("Sub", ["values", "goal"], "d"), ("Abs", ["d"], "a"), ("ReduceSum", ["a", "axis"], "h", {"keepdims": 0}),
        ]  # fmt: skip
        return model(nodes, "values", ("n", 2), ("n",), goal=np.array(goal, np.float32), axis=np.array([1]))
    x, y = np.meshgrid(np.arange(9, dtype=np.float32), np.arange(7, dtype=np.float32))
    nodes = [
        ("Gather", ["image", "cell"], "c", {"axis": 1}), ("Gather", ["image", "goal"], "g", {"axis": 1}),
        ("Sub", ["c", "g"], "d"),
    ]  # fmt: skip
    for axis in "xy":
        nodes += [
            ("Mul", ["d", axis], f"m{axis}"), ("ReduceSum", [f"m{axis}", "axes"], f"s{axis}", {"keepdims": 0}),
            ("Abs", [f"s{axis}"], f"a{axis}"),
        ]  # fmt: skip
    nodes.append(("Add", ["ax", "ay"], "h"))
    shape = ("n", 3, "height", "width")
    numbers: dict[str, Any] = {"cell": np.array(1), "goal": np.array(2), "axes": np.array([1, 2])}
    return model(nodes, "image", shape, ("n",), x=x, y=y, **numbers)


@pytest.mark.parametrize("name", ["values", "image"])
def test_models_of_grids_take_coordinates_or_images(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grids: Any = runner.load("gridmap/random", size="9x7", directions=4, count=3)
    for grid in grids:
        same([grid], saved(tmp_path, grid_model(name, grid.goal)), "manhattan", ["astar"])
    monkeypatch.setattr(door, "_MAX_NUMBERS", 2 * 3 * 9 * 7)  # two states in a call
    same(grids[-1:], {"name": "onnx", "path": str(tmp_path / "net.onnx")}, "manhattan", ["astar"])


@needs_translator
def test_a_model_of_facts_counts_goals(tmp_path: Path) -> None:
    for task in runner.load("pddl/static")[:2]:
        table = task.world.fact_table  # type: ignore[attr-defined]
        weights = np.zeros((len(table.names), 1), np.float32)
        weights[table.goal] = -1
        content = linear(weights, len(table.goal), name="facts", shape=("n", len(weights)))
        same([task], saved(tmp_path, content), "goal_count", ["astar", "greedy"])


@pytest.mark.parametrize("domain", ["hanoi", "pancake", "topspin", "rubik", "pacman"])
def test_models_are_for_all_domains_with_arrays(domain: str, tmp_path: Path) -> None:
    (instance, *_) = runner.load({"pacman": "pacman/static"}.get(domain, f"{domain}/random"))
    size = int(instance.world.kernels.first_values[-1])  # type: ignore[union-attr]
    heuristic = saved(tmp_path, linear(np.zeros((size, 1), np.float32), 3, shape=("n", size)))
    found = runner.heuristic(instance, [heuristic])
    assert found(instance.world.initial()) == 3


def test_a_model_of_exact_costs_needs_the_fewest_expansions(tmp_path: Path) -> None:
    """The model looks h_star up; the same function in plain Python has the same counts."""
    world: Any = runner.load("npuzzle/all", size="2x3")[0].world
    costs, layer = {world.puzzle.goal: 0}, [world.puzzle.goal]
    for depth in range(1, 30):
        layer = [after for state in layer for _, after, _ in world.successors(state)]
        layer = [after for after in dict.fromkeys(layer) if after not in costs]
        costs.update(dict.fromkeys(layer, depth))
    assert len(costs) == 360
    powers = 6 ** np.arange(6)
    table = np.full(6**6, np.inf, np.float32)
    for state in permutations(range(6)):
        table[int(np.dot(state, powers))] = costs.get(state, np.inf)
    nodes: list[Node] = [("MatMul", ["values", "p"], "i"), ("Gather", ["t", "i"], "h")]
    content = model(nodes, "values", ("n", 6), ("n",), dtype="INT64", p=powers, t=table)

    @runner.python_heuristic("exact of tests", domain="npuzzle", admissible=True, consistent=True)
    def exact(state: Any) -> int:
        return costs[state]

    declared = {**saved(tmp_path, content), "admissible": True, "consistent": True}
    boards = runner.load("npuzzle/random", size="2x3", count=9)
    same(boards, declared, "exact of tests")
    for board in boards:
        found = runner.solve(board, "astar", [declared])
        assert (found.expanded, found.bound) == (found.cost, 1)
        assert found.initial_h == found.cost


def test_values_are_scaled_and_rounded(tmp_path: Path) -> None:
    (board,) = runner.load("npuzzle/random", size=3, count=1)
    heuristic = saved(tmp_path, linear(np.zeros((81, 1), np.float32), 2.6))
    start = board.world.initial()
    assert runner.heuristic(board, [heuristic])(start) == 2
    assert runner.heuristic(board, [{**heuristic, "round": "nearest"}])(start) == 3
    assert runner.heuristic(board, [{**heuristic, "scale": 10}])(start) == 26
    almost = saved(tmp_path, linear(np.zeros((81, 1), np.float32), 2.9999998))
    assert runner.heuristic(board, [almost])(start) == 3
    for bias, expected in {3e38: 2**30 - 1, np.inf: np.inf, -0.4: 0}.items():
        given = saved(tmp_path, linear(np.zeros((81, 1), np.float32), bias))
        value = runner.heuristic(board, [{**given, "round": "nearest"}])(start)
        assert value == expected or (expected > 2**29 and 2**29 < value < np.inf), bias


def test_the_content_and_not_the_path_is_the_identity(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one, same_content = saved(tmp_path, linear()), saved(tmp_path / "other", linear())
    (board,) = runner.load("npuzzle/random", size=3, count=1)
    identities = [runner.solve(board, "astar", [each]).run_id for each in (one, same_content)]
    other = saved(tmp_path, linear(bias=1))
    assert identities[0] == identities[1] != runner.solve(board, "astar", [other]).run_id


def test_rows_name_the_provider(tmp_path: Path) -> None:
    saved(tmp_path, linear())
    done = run(tmp_path, *PUZZLE, "heuristic=onnx", "heuristic.path=net.onnx", "hydra.run.dir=run", "workers=2")
    assert done.returncode == 0, done.stderr
    assert {*runner.read(tmp_path / "run")["provider"]} == {"CPUExecutionProvider"}


def test_a_pattern_stands_for_several_models(tmp_path: Path) -> None:
    for bias in range(3):
        (tmp_path / f"net{bias}.onnx").write_bytes(linear(bias=bias))
    done = run(tmp_path, *PUZZLE, "heuristic=onnx", "heuristic.path=net*.onnx", "hydra.sweep.dir=sweep", "-m")
    assert done.returncode == 0, done.stderr
    assert len({*runner.read(tmp_path / "sweep")["run_id"]}) == 6


def test_an_audit_checks_what_a_model_declares(tmp_path: Path) -> None:
    saved(tmp_path, linear(bias=1))
    words = ("audit", "world=npuzzle/random", "world.size=2x3", "world.count=3", "heuristic=onnx")
    size = np.ones((36, 1), np.float32)
    (tmp_path / "net.onnx").write_bytes(linear(size, 20, shape=("n", 36)))
    done = run(tmp_path, *words, "heuristic.path=net.onnx", "heuristic.admissible=true", "hydra.run.dir=run")
    assert done.returncode == 1
    assert "admissible" in done.stdout


def external(location: str) -> bytes:
    """Return a model whose weights lie in another file."""
    made = onnx.load_from_string(linear())
    (weights, _) = made.graph.initializer
    weights.ClearField("raw_data")
    weights.data_location = types.EXTERNAL
    weights.external_data.add(key="location", value=location)
    content: bytes = made.SerializeToString()
    return content


IDENTITY = [("Identity", ["one_hot"], "h")]
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "net.onnx: is empty"),
    "garbage": (lambda: b"\x93\x00garbage" * 9, "onnxruntime cannot load it"),
    "text": (lambda: b"weights: 3\n", "onnxruntime cannot load it"),
    "a pickle": (lambda: b"\x80\x04\x95\x1e\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix.", "onnxruntime cannot load it"),
    "truncated": (lambda: linear()[:200], "onnxruntime cannot load it"),
    "another format": (lambda: b"\x20\x00\x00\x00ORTM" + bytes(99), "is no model in the format ONNX"),
    "no graph": (
        lambda: helper.make_model(helper.make_graph([], "g", [], [])).SerializeToString(), "onnxruntime cannot load it"
    ),
    "no outputs": (lambda: model(IDENTITY, outputs=()), ""),
    "two outputs": (
        lambda: model([*IDENTITY, ("Abs", ["h"], "g")], out=("n", 81), outputs="hg"), "has 2 outputs (h, g)"
    ),
    "a wide output": (lambda: model(IDENTITY, out=("n", 81)), "output 'h' is a tensor(float) of the shape (any, 81)"),
    "a fixed number of states": (lambda: linear(shape=(1, 81), out=(1, 1)), "of the shape (1, 1); expected numbers"),
    "an input of one state": (
        lambda: model([("MatMul", ["one_hot", "w"], "i"), ("Reshape", ["i", "s"], "h")], shape=(1, 81), w=manhattan(),
                      s=np.array([-1, 1])),
        "of the shape (1, 1)",
    ),
    "an input of another size": (
        lambda: linear(np.ones((256, 1), np.float32), shape=("n", 256)),
        "input 'one_hot' is a tensor(float) of the shape (any, 256); the states of this npuzzle have values (states, 9)"
        ", one_hot (states, 81), one_hot (states, 9, 9), of numbers",
    ),
    "another array": (lambda: linear(name="facts"), "input 'facts' is a tensor(float) of the shape (any, 81)"),
    "a text": (lambda: of_values([("Identity", ["values"], "h")], dtype="STRING", out_dtype="STRING", out=("n", 9)),
               "is a tensor(string)"),
    "texts in": (lambda: of_values([("Cast", ["values"], "f", {"to": types.FLOAT}),
                                    ("ReduceSum", ["f", "a"], "h", {"keepdims": 0})], dtype="STRING", a=np.array([1])),
                 "input 'values' is a tensor(string)"),
    "an unknown operator": (lambda: model([("Launch", ["one_hot"], "h")]), "onnxruntime cannot load it"),
    "data in another file": (lambda: external("weights.bin"), "refers to data in another file"),
    "data of the system": (lambda: external("/etc/passwd"), "refers to data in another file"),
    "data in memory": (lambda: external("*/_ORT_MEM_ADDR_/*"), "refers to data in another file"),
    "padded lengths": (lambda: external("w").replace(b"\x08loc", b"\x88\x00loc"), "refers to data in another file"),
}  # fmt: skip
"""Models that are refused before any search."""


def refusal(folder: Path, *words: str) -> str:
    """Return the line with which a run is refused."""
    done = run(folder, *PUZZLE, "heuristic=onnx", *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith("error: ")
    assert len(done.stderr) < 700
    return done.stderr


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_model_of_these_states_is_refused_with_one_line(kind: str, tmp_path: Path) -> None:
    make, expected = REFUSED[kind]
    saved(tmp_path, make())
    assert expected in refusal(tmp_path, "heuristic.path=net.onnx")


def test_files_and_parameters_are_refused_with_one_line(tmp_path: Path) -> None:
    saved(tmp_path, linear())
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    path = "heuristic.path=net.onnx"
    assert "missing; give a file in the format ONNX" in refusal(tmp_path)
    assert "nothing.onnx" in refusal(tmp_path, "heuristic.path=nothing.onnx")
    assert "the folder folder holds no heuristics (.py)" in refusal(tmp_path, "heuristic.path=folder")
    assert "not a regular file" in refusal(tmp_path, "heuristic.path=pipe")
    line = refusal(tmp_path, path, "heuristic.providers=[CPUExecutionProvidr]")
    assert "there is no 'CPUExecutionProvidr' here; did you mean 'CPUExecutionProvider'?" in line
    assert "expected" in refusal(tmp_path, path, "heuristic.threads=0")
    assert "need scale=1" in refusal(tmp_path, path, "heuristic.scale=10", "heuristic.admissible=true")
    with open(tmp_path / "net.onnx", "r+b") as file:
        file.truncate(door.MAX_BYTES + 1)
    assert "too large (more than 256 MiB)" in refusal(tmp_path, path)


def test_a_missing_package_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path, linear())
    monkeypatch.setitem(__import__("sys").modules, "onnxruntime", None)
    assert "pip install 'search-runner[onnx]'" in refusal(tmp_path, "heuristic.path=net.onnx")


ZEROS = np.zeros((81, 1), np.float32)
IN_ROWS: dict[str, tuple[Callable[[], bytes], str]] = {
    "nan": (lambda: linear(ZEROS, np.nan), "gave nan for the state ("),
    "negative": (lambda: linear(ZEROS, -1), "gave -1.0 for the state ("),
    "negative infinity": (lambda: linear(ZEROS, -np.inf), "gave -inf for the state ("),
    "too few": (
        lambda: model(
            [
                ("MatMul", ["one_hot", "w"], "m"), ("Gather", ["one_hot", "zero"], "g", {"axis": 1}),
                ("Cast", ["g"], "c", {"to": types.BOOL}), ("Compress", ["m", "c"], "h", {"axis": 0}),
            ],
            w=ZEROS, zero=np.array(0),
        ),
        "the model gave an array of shape (0, 1) for 1 states",
    ),
    "a mistake inside": (
        lambda: of_values(
            [("Gather", ["w", "values"], "d"), ("ReduceSum", ["d", "axis"], "h", {"keepdims": 0})],
            dtype="INT64", w=np.zeros(3, np.float32), axis=np.array([1]),
        ),
        "Gather",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", IN_ROWS)
def test_wrong_values_are_an_error_of_the_row_with_the_state(kind: str, tmp_path: Path) -> None:
    make, expected = IN_ROWS[kind]
    saved(tmp_path, make())
    done = run(tmp_path, *PUZZLE, "heuristic=onnx", "heuristic.path=net.onnx", "hydra.run.dir=run")
    assert done.returncode == 1
    rows = runner.read(tmp_path / "run")
    assert {*rows["status"]} == {"error"}
    assert all(expected in error and error.isprintable() for error in rows["error"]), [*rows["error"]]
