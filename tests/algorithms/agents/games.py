"""Games of agents in caves."""

from __future__ import annotations

from typing import Protocol

from worlds.wumpus import rules
from worlds.wumpus.online import CaveGame, Percepts, as_played
from worlds.wumpus.rules import Cave, Square


class Acting(Protocol):
    """Player of the package, or a naive agent."""

    def act(self, percepts: Percepts) -> str: ...


def play(cave: Cave, player: Acting) -> CaveGame:
    """Play a game to its end."""
    game = CaveGame(cave)
    while game.status is None:
        game.act(player.act(game.percepts))
    return game


def rooms_entered(cave: Cave, actions: list[str]) -> set[Square]:
    """Return the rooms that the hunter visits alive in a game with these actions."""
    played = as_played(cave)
    state = rules.start(played)
    entered = {state.square}
    for action in actions:
        rules.act(played, state, action)
        if state.alive:
            entered.add(state.square)
    return entered
