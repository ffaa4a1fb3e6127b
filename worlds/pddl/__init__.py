"""Planning tasks: STRIPS with action costs, conditional effects and axioms, from PDDL or SAS+ files."""

from worlds.pddl import sources as sources
