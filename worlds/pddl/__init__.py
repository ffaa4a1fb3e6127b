"""Planning tasks: STRIPS with action costs and conditional effects, from PDDL or SAS+ files."""

from worlds.pddl import sources as sources
