"""Manhattan distances of sliding-tile puzzles, a heuristic.  python manhattan.py COLUMNS GOAL  (docs/programs.md)"""

import sys

columns, goal = int(sys.argv[1]), sys.argv[2].split()
distance = {
    (tile, place): abs(place // columns - target // columns) + abs(place % columns - target % columns)
    for target, tile in enumerate(goal)
    for place in range(len(goal))
}
distance.update({("0", place): 0 for place in range(len(goal))})  # the blank is no tile
for line in sys.stdin:  # the number of boards of a batch, which follow
    for _ in range(int(line)):
        board = sys.stdin.readline().split()
        print(sum(distance[tile, place] for place, tile in enumerate(board)))
    sys.stdout.flush()
