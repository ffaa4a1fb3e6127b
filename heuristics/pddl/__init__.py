"""Heuristics for planning tasks."""

from heuristics.pddl import blind as blind
from heuristics.pddl import file as file
from heuristics.pddl import goal_count as goal_count
from heuristics.pddl import lmcut as lmcut
from heuristics.pddl import relaxation as relaxation
