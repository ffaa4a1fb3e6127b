"""Heuristics for planning tasks."""

from heuristics.pddl import cost_partitioning as cost_partitioning
from heuristics.pddl import file as file
from heuristics.pddl import goal_facts as goal_facts
from heuristics.pddl import landmarks as landmarks
from heuristics.pddl import lmcut as lmcut
from heuristics.pddl import operator_counting as operator_counting
from heuristics.pddl import pattern_database as pattern_database
from heuristics.pddl import relaxation as relaxation
