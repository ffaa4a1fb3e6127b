"""Load what cases might need before workers are forked, so that all of them share it."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

import yaml

from algorithms.interface.algorithm import ALGORITHMS
from runner.base.errors import UserError
from runner.config.cell import schema, sections
from runner.config.compose.composer import CONF
from runner.execution.solver import Solver
from tests.registered import heuristics_without_files


def remember_yaml() -> None:
    """Parse every YAML file of the package only once; parsing takes a third of the time of a case."""
    load, parsed = yaml.load, {file.read_text(encoding="utf-8"): None for file in CONF.rglob("*.yaml")}

    def remembered(stream: Any, Loader: Any) -> Any:
        text = stream.read() if hasattr(stream, "read") else stream
        if text not in parsed:
            if hasattr(stream, "seek"):
                stream.seek(0)
            return load(stream, Loader=Loader)
        if parsed[text] is None:
            parsed[text] = load(text, Loader=Loader)
        return copy.deepcopy(parsed[text])

    yaml.load = remembered
    for text in parsed:
        remembered(text, yaml.SafeLoader)


def warm_kernels() -> None:
    """Load the kernels of all algorithms, and of all heuristics with A*."""
    worlds: dict[str, list[dict[str, Any]]] = {
        "wumpus": [{"name": "wumpus/static"}, {"name": "wumpus/static", "formulation": "primitive"}],
        "npuzzle": [{"name": "npuzzle/random", "count": 1, "size": 3}],
        "snake": [{"name": "snake/static"}],
    }
    for domain, sources in worlds.items():
        heuristics = heuristics_without_files(domain)
        for source in sources:
            for algorithm in ALGORITHMS.names():
                _warm(source, algorithm, "manhattan" if "manhattan" in heuristics else heuristics[0])
                _warm(source, algorithm, "none")
            for heuristic in heuristics:
                _warm(source, "astar", heuristic)
    for weighting in ("dynamic", "geometric", "linear", "xdp", "xup"):
        _warm(worlds["wumpus"][0], "astar", "pivots", weighting)


def _warm(source: dict[str, Any], algorithm: str, heuristic: str, weighting: str = "none") -> None:
    domain = source["name"].split("/")[0]
    with suppress(UserError):
        cell = schema.Parser().parse(
            {
                "world": source, "algorithm": {"name": algorithm}, "weighting": {"name": weighting}, "limits": {},
                "heuristic": {"stack": sections.documented_stack(domain, heuristic)},
            }
        )  # fmt: skip
        sample = next(iter(cell.source.samples()))
        cell.stack.build(sample, lambda *_: None)
        Solver.of(cell).attempt(sample).warm()
