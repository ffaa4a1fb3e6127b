"""Search problems: one file or folder for each domain, `interface` with what they share, and `compile` for kernels.

To add a domain:

1. Read ``worlds/pancake.py``, which is one from start to end: kernels, the world, its parts, the sources; for a puzzle
   that is no permutation, ``worlds/snake``. Write ``worlds/NAME.py`` like it, and import it here. A domain that needs
   more is a folder with modules such as ``rules`` (the reference implementation in plain Python), ``search`` (kernels),
   ``world`` (the class that joins them), ``formats``, ``sources``, ``render`` (pictures), ``exhaustive`` (all instances
   up to a size) and ``shrink`` (the family); its ``__init__.py`` imports what registers sources. Write heuristics, like
   ``heuristics/snake/nearest.py``, in ``heuristics/NAME.py`` or a folder; import them in ``heuristics/__init__.py``.
   New files need ceilings in `LINES` of ``tests/test_architecture.py``; a new domain may raise `product`.
2. Write an entry of `DOMAINS` in ``tests/domains.py``, whose docstring says what a domain must give; one source has
   `small_space`. A row in docs/programs.md has its placeholders, a section in docs/plugins/heuristics.md its layout.
3. ``python -m docs.generate conf reference metrics``; describe it on a page in docs/ (in zensical.toml if it is new).
4. Test the rules in ``tests/worlds/NAME/``, and the heuristics against naive ones in ``tests/heuristics/NAME/``; one
   file ``test_NAME.py`` in place of a folder is enough.
5. ``python -m tests.domain NAME`` runs, in less than a minute, all tests that concern it, with all searches, heuristics
   and checks. What is missing, or too few, is named with the field to extend.
"""

from worlds import graph as graph
from worlds import gridmap as gridmap
from worlds import hanoi as hanoi
from worlds import mapf as mapf
from worlds import npuzzle as npuzzle
from worlds import pacman as pacman
from worlds import pancake as pancake
from worlds import pddl as pddl
from worlds import road as road
from worlds import rubik as rubik
from worlds import snake as snake
from worlds import topspin as topspin
from worlds import wumpus as wumpus

DISTRIBUTION = "search-runner"
"""Tells this package from others of its name (`runner.base.own_packages`)."""
