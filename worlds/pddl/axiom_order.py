"""Order in which the axioms of a task are evaluated.

Variables that do not depend on each other need no repetition: their axioms come after those of the variables that they
need, and one pass over them suffices. The layers of a file are coarser than this order, with the same result.
"""

from __future__ import annotations

from dataclasses import dataclass

from worlds.pddl.dependency_order import components, is_recursive
from worlds.pddl.task import Axiom, Task


@dataclass(frozen=True)
class AxiomGroup:
    """Axioms of derived variables that depend on each other, or of one variable.

    Attributes
    ----------
    is_recursive : bool
        Whether the axioms must be applied repeatedly, until nothing changes.
    """

    axioms: tuple[Axiom, ...]
    is_recursive: bool


def groups_of(task: Task) -> list[AxiomGroup]:
    """Return the axioms in groups, each after those that it needs."""
    axioms: dict[int, list[Axiom]] = {}
    for axiom in task.axioms:
        axioms.setdefault(axiom.variable, []).append(axiom)
    needs = {
        derived: {variable for axiom in rules for variable, _ in axiom.conditions if variable in axioms}
        for derived, rules in axioms.items()
    }
    return [
        AxiomGroup(tuple(axiom for variable in group for axiom in axioms[variable]), is_recursive(group, needs))
        for group in components(needs)
    ]
