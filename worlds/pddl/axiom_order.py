"""Order in which the axioms of a task are evaluated.

Variables that do not depend on each other need no repetition: their axioms come after those of the variables that they
need, and one pass over them suffices. The layers of a file are coarser than this order, with the same result.
"""

from __future__ import annotations

from worlds.pddl.dependency_order import Group, groups
from worlds.pddl.task import Axiom, Task


def groups_of(task: Task) -> list[Group[Axiom]]:
    """Return the axioms in groups, each after those that it needs."""
    axioms: dict[int, list[Axiom]] = {}
    for axiom in task.axioms:
        axioms.setdefault(axiom.variable, []).append(axiom)
    needs = {
        derived: {variable for axiom in rules for variable, _ in axiom.conditions if variable in axioms}
        for derived, rules in axioms.items()
    }
    return groups(axioms, needs)
