"""Agents that play in a hidden cave: percepts in, actions out (`worlds.wumpus.online`).

An agent is a registered dataclass derived from `algorithms.agents.interface.Agent`, whose `player` sees only percepts,
and has a line in docs/agents.md. `runner.execution` turns searches and games into the same rows.
"""

from algorithms.agents import asp_agent as asp_agent
from algorithms.agents import bayes_agent as bayes_agent
from algorithms.agents import climb_agent as climb_agent
from algorithms.agents import perfect_agent as perfect_agent
from algorithms.agents import random_agent as random_agent
