"""Program for the injection of faults: ``python -I -S sliding_program.py < requests``, once or as a server.

It solves sliding-tile puzzles of 3x3 by breadth-first search. A request is a line: a board, or a JSON object with the
key `board`, which is answered by one. It leaves a process in a session of its own.
"""

from __future__ import annotations

import json
import os
import sys
import time

SIDE = 3
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def main() -> None:
    """Answer requests, each by a line."""
    leave_a_process()
    for line in sys.stdin:
        is_json = line.startswith("{")
        board = json.loads(line)["board"] if is_json else line
        plan, expanded = solve(tuple(map(int, board.split())))
        tiles = " ".join(map(str, plan))
        answer = {"plan": tiles, "cost": len(plan), "expanded": expanded}
        print(json.dumps(answer) if is_json else tiles, flush=True)


def leave_a_process() -> None:
    """Start a process that has nothing in common with this one but its standard output."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(10_000)
        os._exit(0)


def solve(start: tuple[int, ...]) -> tuple[list[int], int]:
    """Return the tiles of a shortest plan, and the number of expansions."""
    plans: dict[tuple[int, ...], list[int]] = {start: []}
    for expanded, board in enumerate(found := [start]):
        if board == GOAL:
            return plans[board], expanded
        blank = board.index(0)
        for place, tile in enumerate(board):
            rows = abs(place // SIDE - blank // SIDE)
            columns = abs(place % SIDE - blank % SIDE)
            moved = tuple({0: tile, tile: 0}.get(each, each) for each in board)
            if rows + columns == 1 and moved not in plans:
                plans[moved] = [*plans[board], tile]
                found.append(moved)
    raise ValueError("no plan")


if __name__ == "__main__":
    main()
