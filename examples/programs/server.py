"""A* with Manhattan distance for the n-puzzle as a server, for `serve: true`.  python server.py

Request: {"id": "3x3-1", "board": "1 2 0 ...", "goal": "1 2 ... 0", "columns": "3"}, one line for each instance. The
blank is 0. Answer: {"id": "3x3-1", "status": "solved", "cost": 22, "plan": "U L ...", "expanded": 377}, the plan in
directions of the blank
"""

import heapq
import json
import sys


def answer(request):
    """Search the board of a request."""
    columns = int(request["columns"])
    start = tuple(map(int, request["board"].split()))
    goal = tuple(map(int, request["goal"].split()))
    goal_cell = {tile: divmod(cell, columns) for cell, tile in enumerate(goal)}

    def manhattan(board):
        distance = 0
        for cell, tile in enumerate(board):
            if tile != 0:
                row, column = goal_cell[tile]
                distance += abs(cell // columns - row) + abs(cell % columns - column)
        return distance

    moves = {start: ""}  # the cheapest path to each board so far
    expanded = 0
    waiting = [(manhattan(start), 0, start)]
    while waiting:
        _, negative_g, board = heapq.heappop(waiting)
        path = moves[board]
        if len(path) < -negative_g:
            continue  # a cheaper path was found later
        if board == goal:
            return {"status": "solved", "cost": len(path), "plan": " ".join(path), "expanded": expanded}
        expanded += 1
        for move, successor in successors(board, columns):
            if successor not in moves or len(path) + 1 < len(moves[successor]):
                moves[successor] = path + move
                heapq.heappush(waiting, (len(path) + 1 + manhattan(successor), -len(path) - 1, successor))
    return {"status": "unsolvable", "expanded": expanded}


def successors(board, columns):
    """Yield the moves of the blank that are possible, and the boards after them."""
    blank = board.index(0)
    row, column = divmod(blank, columns)
    steps = {"U": (row - 1, column), "L": (row, column - 1), "R": (row, column + 1), "D": (row + 1, column)}
    for move, (to_row, to_column) in steps.items():
        if 0 <= to_row < len(board) // columns and 0 <= to_column < columns:
            tiles = list(board)
            cell = to_row * columns + to_column
            tiles[blank] = tiles[cell]
            tiles[cell] = 0
            yield move, tuple(tiles)


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({**answer(request), "id": request.get("id")}), flush=True)
