"""Heuristics for planning tasks, one file each."""

from heuristics.pddl import blind as blind
from heuristics.pddl import ff as ff
from heuristics.pddl import goal_count as goal_count
from heuristics.pddl import hadd as hadd
from heuristics.pddl import hmax as hmax
from heuristics.pddl import lmcut as lmcut
