"""Agents that play in a cave they cannot see: percepts in, actions out (`worlds.wumpus.online`)."""
