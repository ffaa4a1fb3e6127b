"""Search algorithms: one file or folder for each family, programs of others, and agents.

`examples/astar.py` is A* in one screen of plain Python; begin there. A family has its registered algorithms with their
parameters and guarantees, then the resumable search, then its kernel. `interface` says what an algorithm declares,
`engine` has what all families share, and `spaces` what audits and pages explore. `anytime` restarts best-first search
or fills its open list again, and `jump_point` gives it another `expand`. `frontier` explores a perfect index with two
bits per state, and `real_time` alternates local searches with walks of an agent. `depth_first.in_place` must visit the
same nodes as `depth_first_step`, and tests compare them. `programs` starts programs of others, and `programs.planners`
knows some of them by name. `pacman_project` makes algorithms, heuristics and worlds of files of students.

To add an algorithm, register a dataclass in the file of its family. It declares its requirements and guarantees, and
its `start` returns a `Search`. Add a slow reference implementation in ``tests/naive/``, and a row in docs/algorithms.md
(how it searches, and when to use it; ``python -m docs.generate`` writes the rest, and measures its expansions).

To add an algorithm in plain Python, such as `examples/enforced_hill_climbing.py`:

1. Write a function of a `problem` in a file of `examples/`, marked ``@python_algorithm("NAME", ...)``. Declare
   `complete` and `optimal` only if there is a proof (docs/plugins/algorithms.md).
2. ``python -m runner audit 'plugins=[runner.examples.NAME]' algorithm=NAME world=... heuristic=...`` checks what it
   declares. Compare it with a compiled search, or with known costs, in
   ``tests/algorithms/interface/test_python_algorithm.py``.
3. Show it on a page of ``docs/plugins/``: ``tests/test_documentation.py`` runs its commands, and compares the code.
"""

from algorithms import agents as agents
from algorithms import anytime as anytime
from algorithms import beam as beam
from algorithms import best_first as best_first
from algorithms import bidirectional as bidirectional
from algorithms import bounded_suboptimal as bounded_suboptimal
from algorithms import breadth_first as breadth_first
from algorithms import depth_first as depth_first
from algorithms import frontier as frontier
from algorithms import greedy as greedy
from algorithms import jump_point as jump_point
from algorithms import k_best as k_best
from algorithms import mapf as mapf
from algorithms import multi_objective as multi_objective
from algorithms import novelty as novelty
from algorithms import programs as programs
from algorithms import real_time as real_time

DISTRIBUTION = "search-runner"
"""Tells this package from others of its name (`runner.base.own_packages`)."""
