"""Explored spaces: all states from a start, their distances, and the values of heuristics in them.

`state_space` explores all states from a start and stores the steps, `distances` computes h_star backwards over them,
and `state_values` evaluates a stack in every state. Audits, the explorer, data sets and grades use them; no search
does.
"""

from algorithms.spaces.distances import INFINITY as INFINITY
from algorithms.spaces.state_space import StateSpace as StateSpace
from algorithms.spaces.state_space import TooLarge as TooLarge
from algorithms.spaces.state_values import values as values
from algorithms.spaces.state_values import values_along_steps as values_along_steps
