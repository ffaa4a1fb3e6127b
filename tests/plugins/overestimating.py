"""Heuristics with mistakes: they overestimate, raise an exception, end the process, or never return."""
# mypy: ignore-errors

import os
import signal

import runner


@runner.python_heuristic("too_much", domain="wumpus", admissible=True)
def too_much(state):
    return 0 if state.climbed_out else 99


@runner.python_heuristic("leaves", domain="wumpus")
def leaves(state):
    raise SystemExit(0)


@runner.python_heuristic("fails", domain="wumpus")
def fails(state):
    return {}["key of mine"]


@runner.python_heuristic("hangs", domain="wumpus")
def hangs(state, signalling: bool = False):
    if signalling:
        os.kill(os.getppid(), signal.SIGTERM)
    while True:
        pass
