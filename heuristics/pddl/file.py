"""Heuristics in files for Pyperplan, as language models and students write them. The files are run unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from heuristics.interface import HEURISTICS, Checked, Heuristic, Scale, Term, callback_term
from heuristics.pddl.facts import task_of
from heuristics.pddl.pyperplan import Node, heuristic_in
from heuristics.pddl.search_nodes import node_term, reads_path
from runner.base import Incompatible, UserError, limited, parameters_of, read_text
from worlds.compile import MAX_COST, keep
from worlds.interface import Instance, Problem
from worlds.pddl.conditions import atom_name
from worlds.pddl.definition import Definition
from worlds.pddl.packing import FactNames, Packing
from worlds.pddl.strips import StripsTask, check, ground
from worlds.pddl.task import Task
from worlds.pddl.world import PlanningWorld

_MAX_KEPT = 1 << 18
"""Largest number of values that are kept, for searches in which states come again, such as IDA*."""


@HEURISTICS.register("file", domain="pddl")
@dataclass(frozen=True)
class FileHeuristic(Heuristic):
    """Value of a heuristic in the form of Pyperplan, from a Python file.

    The file has a class that is derived from ``heuristics.heuristic_base.Heuristic``, or a function
    ``generate_heuristic``. Either takes a task (`worlds.pddl.strips.StripsTask`), and makes a heuristic. This takes
    nodes, whose `state` is the set of the facts that hold, and returns numbers of at least 0, or infinity for a dead
    end. The content of the file, not its path, determines the `run_id`.

    Attributes
    ----------
    path : str
        The file, relative to the working directory. It must be given.
    scale : int
        Values are multiplied by it, then rounded down. With 1000, searches that order states by their values alone
        keep three decimals; in A* and others that add costs to them, only 1 makes sense.
    cls : str
        Name of the class, in a file with several. Without it the function is taken, or the class from which no other
        one of the file is derived.
    """

    path: str = ""
    scale: Scale = 1
    cls: str = ""

    @cached_property
    def text(self) -> str:
        """Content of the file."""
        return read_text(Path(self.path).expanduser())

    def identity(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults, with a digest of the file instead of its path."""
        return {**super().identity(), "path": sha256(self.text.encode()).hexdigest()}

    def cell_key(self) -> dict[str, Any]:
        """Return the path and the scale."""
        return parameters_of(self)

    def check(self, instance: Instance) -> None:
        """Read the file and the task. The code of the file runs in searches only, where its mistakes are rows."""
        assert isinstance(instance.world, PlanningWorld)
        if not self.path:
            raise Incompatible("heuristic.path: missing; give a Python file with a heuristic for Pyperplan")
        assert self.text is not None
        try:
            check(*instance.world.definition.read())
        except UserError as error:
            raise Incompatible(f"heuristic: file needs tasks in STRIPS: {error}") from None

    def term(self, problem: Problem) -> Term:
        """Run the file, and bind a new heuristic of its class."""
        assert isinstance(problem.world, PlanningWorld)
        strips = strips_of(problem.world.definition)
        # a file may change what it gets
        own = replace(strips, facts=set(strips.facts), operators=list(strips.operators))
        value = limited(heuristic_in(self.text, self.path, self.cls)(own), problem.call_seconds)
        names = _fact_names(strips, task_of(problem))
        checked = Checked(f"file {self.path}", self.scale, is_rounded=True)
        if reads_path(self.text):
            return node_term(problem, value, names, {each.name: each for each in strips.operators}, checked)
        return callback_term(problem, lambda shared: _callback(value, names, shared, problem.initial.size, checked))


@lru_cache(maxsize=1)
def strips_of(definition: Definition) -> StripsTask:
    """Return the task in the form of Pyperplan. The last one is kept."""
    return ground(*definition.read())


def _fact_names(strips: StripsTask, task: Task) -> FactNames:
    """Return the names of facts in packed states.

    Facts that no operator of Pyperplan changes are as at the start. So are facts that the translator leaves out because
    they do not matter for the goal, while Pyperplan keeps them; this is common, as in logistics00 4-0.
    """
    changing = set().union(*(each.add_effects | each.del_effects for each in strips.operators))
    texts = {atom_name(text[1:-1].split()): text for text in changing}
    names = [[texts.get(atom or "") for atom in atoms] for atoms in task.atoms]
    return FactNames(Packing(task), names, strips.initial_state.difference(*names))


def _callback(
    value: Callable[[Node], float], names: FactNames, shared: memoryview, words: int, checked: Checked
) -> Callable[[int], int]:
    """Make a function that replaces packed states of some words in `shared` by their values, which it keeps."""
    packed = shared.cast("B").cast("Q")
    known: dict[Any, int] = {}  # by states: the word of a state, or the tuple of its words
    facts_of: Callable[[Any], frozenset[str]] = names.of_word if words == 1 else names.of
    scale, most = checked.scale, MAX_COST // checked.scale

    def write(count: int) -> int:
        try:
            each_word: Iterable[Any] = packed[: count * words].tolist()
            for index, state in enumerate(each_word if words == 1 else zip(*[iter(each_word)] * words, strict=True)):
                h = known.get(state)
                if h is None:
                    node = Node(facts_of(state))
                    given = value(node)
                    is_fit = type(given) is int and 0 <= given <= most
                    if len(known) == _MAX_KEPT:
                        known.clear()
                    known[state] = h = int(given) * scale if is_fit else checked(given, node)
                shared[index] = h
            return 0
        except BaseException as exception:
            return keep(exception)

    return write
