"""Pareto-optimal paths of a road network with two costs, by weighted sums.  python weighted_sums.py NETWORK START GOAL

Between two paths, the next one has the least sum whose weights make the two equal (Aneja and Nair, 1979). Each path is
Pareto-optimal, but those that no weights prefer are missing: an audit finds one. NETWORK is a file as for `road/file`,
with lines `tail head cost cost`. It prints "costs C C path NODE NODE ..." with the start; exit code 3 without a path.
"""

import heapq
import sys
from pathlib import Path


def read_arcs(path):
    """Return the arcs from each node: its heads, and the costs of the first arc to each."""
    arcs = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines()[1:]:
        words = line.split()
        if words[0].isdigit():  # others are coordinates
            tail, head, *costs = map(int, words)
            arcs.setdefault(tail, {}).setdefault(head, costs)
    return arcs


def shortest(arcs, start, goal, weights):
    """Return the costs and the nodes of a path with the least weighted sum; None if there is no path."""
    waiting, closed = [(0, (0, 0), (start,))], set()
    while waiting:
        _, costs, path = heapq.heappop(waiting)
        if path[-1] == goal:
            return costs, path
        if path[-1] not in closed:
            closed.add(path[-1])
            for head, step in arcs.get(path[-1], {}).items():
                longer = (costs[0] + step[0], costs[1] + step[1])
                heapq.heappush(waiting, (weighted(longer, weights), longer, (*path, head)))
    return None


def weighted(costs, weights):
    """Return the weighted sum of costs."""
    return costs[0] * weights[0] + costs[1] * weights[1]


def paths_between(search, first, second):
    """Yield the paths between two that weighted sums find."""
    (least, most), (more, less) = first[0], second[0]
    weights = (most - less, more - least)
    middle = search(weights)
    if weighted(middle[0], weights) < weighted(first[0], weights):
        yield from paths_between(search, first, middle)
        yield middle
        yield from paths_between(search, middle, second)


def main(network, start, goal):
    """Print the paths."""
    arcs = read_arcs(network)

    def search(weights):
        return shortest(arcs, int(start), int(goal), weights)

    large = 1 << 62
    first, second = search((large, 1)), search((1, large))
    if first is None:
        sys.exit(3)
    found = [first] if first[0] == second[0] else [first, *paths_between(search, first, second), second]
    for costs, nodes in found:
        print("costs", *costs, "path", *nodes)


if __name__ == "__main__":
    main(*sys.argv[1:])
