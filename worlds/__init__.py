"""Search problems: one file or folder for each domain, and what all domains share.

A world is one problem (`worlds.world`): its rules in plain Python, and the parts that it has besides: kernels, looks,
family, game. An instance is a world with a name. `Problem.of` packs a world for the engine (`worlds.interface`); of a
world without kernels, those of `worlds.callbacks` call the rules with the number of a state. The rules validate plans
(`validation`), and ``python -m runner check`` compares the kernels with them.

A source is a function that makes worlds, registered by `worlds.sources.source`; `source_functions` says what it may
take. A `Series` (`series`) decides which instances there are and when they are made, and `source_parameters` has the
parameters that sources share. Files that cannot be read become rows (`unsupported`). `PythonWorld` and `CompiledWorld`
(`python_world`) are a world and its source in one dataclass (`python_source`).

What makes some searches faster: `numbering` numbers states that are few, such as the cells of a map; `perfect_index`
numbers all states without gaps, in blocks, such that a step leads from a whole block to another one and changes the
ranks in the block by a map; `state_variables` says where the variables of a packed state are, for searches by novelty;
`in_place` makes and undoes moves on one board, for IDA* (a line in ``tests/algorithms/test_in_place.py`` tests it).
`permutations` has what worlds that sort a permutation share, `real_costs` the units of costs that are no integers,
`plan_texts` plans that programs write (`World.read_plan`).

To add a domain:

1. Read ``worlds/pancake.py``, which is one from start to end: kernels, the world, its parts, the sources. Write
   ``worlds/NAME.py`` like it, and import it here. A domain that needs more is a folder with modules such as ``rules``
   (the reference implementation in plain Python), ``search`` (kernels), ``world`` (the class that joins them),
   ``formats`` and ``sources``, ``render`` (pictures), ``exhaustive`` (all instances up to a size) and ``shrink`` (the
   family); its ``__init__.py`` imports what registers sources. Write its heuristics in ``heuristics/NAME.py``, or a
   folder, and import them in ``heuristics/__init__.py``.
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
from worlds import pancake as pancake
from worlds import pddl as pddl
from worlds import rubik as rubik
from worlds import snake as snake
from worlds import topspin as topspin
from worlds import wumpus as wumpus
