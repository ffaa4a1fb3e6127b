"""A solution: A*, with the order of `algorithm=astar`."""

import heapq
import math

from runner import python_algorithm


@python_algorithm("my_astar", complete=True, optimal="admissible")
def my_astar(problem):
    """Expand the open state with the smallest f; of these, one with the smallest h; of these, the newest."""
    start = problem.start
    g, parents, closed, pushes = {start: 0}, {start: None}, set(), 0
    waiting = [(problem.h(start), problem.h(start), 0, start)]
    while waiting:
        f, _, _, state = heapq.heappop(waiting)
        if state in closed or f == math.inf:
            continue
        if problem.is_goal(state):
            return actions_to(state, parents)
        closed.add(state)
        for action, successor, cost in problem.expand(state):
            if successor not in g or g[state] + cost < g[successor]:
                g[successor], parents[successor] = g[state] + cost, (state, action)
                closed.discard(successor)
                h, pushes = problem.h(successor), pushes + 1
                heapq.heappush(waiting, (g[successor] + h, h, -pushes, successor))
    return None


def actions_to(state, parents):
    """Return the actions from the start to a state."""
    actions = []
    while parents[state] is not None:
        state, action = parents[state]
        actions.append(action)
    return actions[::-1]
