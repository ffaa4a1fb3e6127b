"""Heuristics: one file or folder for each domain, and `interface` with what they share.

To add a heuristic, write a function of one state under `@compiled_heuristic` in ``heuristics/DOMAIN.py``, or in a file
of ``heuristics/DOMAIN/`` that its ``__init__.py`` imports. It declares `builds_on`, `admissible`
and `consistent`; tests check the declarations against h_star. In a domain with predecessors it has an estimate from the
start, too (`backward`), which tests check against the distances from the start. If a value follows from the parent's,
or states share work: a frozen dataclass with a batch kernel, registered by ``@HEURISTICS.register(name, domain=...)``.
Its `build` prepares, before the measured time, what all instances share. Heuristics for IDA* on one board give the
change of their value by a move (`worlds.interface.in_place`), and a line in
``tests/algorithms/depth_first/test_in_place.py``.

To add a weighting, register a dataclass with `changes`, or a function f(g, h, w), as in `weightings`.
"""

from heuristics import graph as graph
from heuristics import gridmap as gridmap
from heuristics import hanoi as hanoi
from heuristics import mapf as mapf
from heuristics import npuzzle as npuzzle
from heuristics import onnx as onnx
from heuristics import pacman as pacman
from heuristics import pancake as pancake
from heuristics import pddl as pddl
from heuristics import road as road
from heuristics import rubik as rubik
from heuristics import snake as snake
from heuristics import topspin as topspin
from heuristics import weightings as weightings
from heuristics import wumpus as wumpus

DISTRIBUTION = "search-runner"
"""Tells this package from others of its name (`runner.base.own_packages`)."""
