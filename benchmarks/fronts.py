"""Pareto fronts: `boa` on a road network, beside the same search in C++ (`boa.cpp`), in turns.

``python -m benchmarks.fronts FIRST.gr SECOND.gr QUERIES [--queries 3 9] [--repeat 3]``: two files of DIMACS with the
same arcs, also gzip, and a file with a start and a goal in each line, from 1. Both must expand the same labels. The
table has the smallest processor times, without the estimates, and the memory of labels and open list.
"""

from __future__ import annotations

import gzip
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from algorithms.engine import Limiter, Limits
from algorithms.multi_objective.multi_objective import BiObjectiveAStar
from benchmarks.tables import Row, expect, parser_of, show
from heuristics.interface import Stack
from worlds.interface import Instance
from worlds.road.network import Network
from worlds.road.shared import SharedNetwork
from worlds.road.world import Road


def read_arcs(file: Path) -> NDArray[np.int32]:
    """Return tail and head, from 1, and the cost of each arc of a file of DIMACS."""
    content = file.read_bytes()
    lines = (gzip.decompress(content) if file.suffix == ".gz" else content).splitlines()
    return np.array(b" ".join(line[2:] for line in lines if line[:1] == b"a").split(), np.int32).reshape(-1, 3)


def build_reference(folder: Path) -> Path:
    """Compile the program in C++."""
    program, source = folder / "boa", Path(__file__).with_name("boa.cpp")
    subprocess.run(["c++", "-std=c++17", "-O3", "-march=native", "-o", program, source], check=True)
    return program


def here(instance: Instance) -> tuple[list[int], float, float]:
    """Return solutions and counts, the seconds, and the bytes for each label."""
    search = BiObjectiveAStar().start(Stack().prepare(instance.problem()), None)
    search.warm()
    before = search.counts.memory_bytes
    start = time.process_time()
    expect(search.run(Limiter(Limits())), "solved", instance.id)
    seconds = time.process_time() - start
    counts = search.counts
    found = [search.found, counts.expanded, counts.generated, counts.peak_nodes]
    return found, seconds, (counts.memory_bytes - before) / counts.peak_nodes


def main() -> None:
    """Print the table."""
    parser = parser_of(__doc__, repeated="each query")
    parser.add_argument("files", nargs=3, type=Path, metavar="FILE")
    parser.add_argument("--queries", nargs="+", type=int, default=[3, 9, 23], help="numbers of queries, from 1")
    options = parser.parse_args()
    first, second = (read_arcs(file) for file in options.files[:2])
    nodes = int(first[:, :2].max())
    costs = np.stack([first[:, 2], second[:, 2]], axis=1)
    network = SharedNetwork("network", Network.of(first[:, 0] - 1, first[:, 1] - 1, costs, nodes))
    ends = np.loadtxt(options.files[2], np.int64)[np.array(options.queries) - 1] - 1
    roads = [
        Instance(Road(network, *each), f"query {n}") for n, each in zip(options.queries, ends.tolist(), strict=True)
    ]
    arcs = np.column_stack([first[:, :2] - 1, costs])
    rows = np.concatenate([np.array([nodes, len(arcs)]), arcs.ravel(), ends.ravel()])
    text = " ".join(map(str, rows.tolist()))
    ours, theirs, table = [], [], list[Row]()
    with tempfile.TemporaryDirectory() as folder:
        program = build_reference(Path(folder))
        for _ in range(options.repeat):
            ours.append([here(road) for road in roads])
            done = subprocess.run([program], input=text, stdout=subprocess.PIPE, text=True, check=True)
            theirs.append([line.split() for line in done.stdout.splitlines()])
    for number, road in enumerate(roads):
        found, _, per_label = ours[0][number]
        expect([int(word) for word in theirs[0][number][:4]], found, road.id)
        seconds = min(each[number][1] for each in ours)
        other = min(float(each[number][4]) for each in theirs)
        row: Row = {"boa": road.id, "solutions": found[0], "expanded": found[1], "labels/s": found[3] / seconds}
        table.append({**row, "C++: labels/s": found[3] / other, "ratio": other / seconds, "bytes/label": per_label})
    show("fronts: boa, and BOA* in C++", table)


if __name__ == "__main__":
    main()
