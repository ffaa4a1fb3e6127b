"""Search problems: one folder per domain, and their interface.

A world has rules in plain Python, and may have kernels (`worlds.world.World`). `Instance.problem` packs its kernels and
constants into a `Problem` (`worlds.interface`). Without kernels, those of `worlds.callbacks` call the rules with the
number of a state. The rules validate plans (`validation`), and ``python -m runner check`` compares the kernels with
them. `PythonWorld` and `CompiledWorld` (`worlds.python_world`) are the same class for users: a source, too
(`worlds.python_source`), so that one dataclass is everything.

Each domain has the same modules:

- ``rules``: the reference implementation in plain Python.
- ``search``: the same rules as kernels over packed words.
- ``world``: the subclass of `World`, which joins both and has the data of one instance.
- ``sources``, ``formats``: sources of instances, and their files. A source is a registered dataclass with `instances`
  and `__len__`.
- ``render``: pictures. `World.frames` yields the steps of a plan for ``python -m runner replay``; by default they
  follow from `show`, `draw_path` and `caption`.
- ``exhaustive``, ``shrink``: all instances up to a size, and simpler instances, for audits.

Worlds with few states, such as the cells of a map, may number them (`numbering`). Others may number all their states
without gaps (`perfect_index`): in blocks, such that a step leads from a whole block to another one, and changes the
ranks in the block by a map. Worlds whose moves can be made and undone on one board offer them to IDA* (`in_place`), and
add a line to ``tests/algorithms/test_in_place.py``.
`permutations` has what worlds that sort a permutation share.

To add a domain, such as `hanoi`:

1. Write the package ``worlds/NAME/`` with the modules above, and import it here. The sources register under
   ``NAME/...`` and have ``domain = "NAME"``. Write its heuristics in ``heuristics/NAME/``, and import them in
   ``heuristics/__init__.py``.
2. ``python -m pytest -n0 tests/test_domains.py`` names the lines that are missing, until it passes: an entry in
   ``tests/domains.py`` with small instances of each source and the families for audits, and `small_space` of a source.
3. Test the rules in ``tests/worlds/NAME/``, and the heuristics against naive ones in ``tests/heuristics/NAME/``.
4. ``python -m docs.generate conf reference metrics``; write a page in docs/, and list it in zensical.toml.
5. ``python -m pytest -n 2 tests/runner/test_api.py tests/runner/features/audits tests/worlds`` runs all searches,
   heuristics and checks on it. A family that is too small fails with the field to extend.
"""

from worlds import graph as graph
from worlds import gridmap as gridmap
from worlds import hanoi as hanoi
from worlds import npuzzle as npuzzle
from worlds import pancake as pancake
from worlds import pddl as pddl
from worlds import rubik as rubik
from worlds import snake as snake
from worlds import topspin as topspin
from worlds import wumpus as wumpus
