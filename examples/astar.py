"""A* in plain Python (Hart, Nilsson and Raphael, IEEE SSC 4, 1968), with the plans and counts of algorithm=astar.

python -m runner 'plugins=[runner.examples.astar]' algorithm=plain_astar heuristic=manhattan
"""

import heapq
import math

from runner import python_algorithm


@python_algorithm("plain_astar", complete=True, optimal="admissible")
def plain_astar(problem):
    """Expand the open state with the smallest f = g + h; of these, one with the smallest h; of these, the newest."""
    start = problem.start
    g, h, parents, closed = {start: 0}, {start: problem.h(start)}, {start: None}, set()
    waiting = [(h[start], h[start], 0, start)] if h[start] < math.inf else []
    pushes = 0
    while waiting:
        f, _, _, state = heapq.heappop(waiting)
        if state in closed:  # a cheaper path to it was found after this entry was made
            continue
        if problem.is_goal(state):
            return actions_to(state, parents)
        closed.add(state)
        for action, successor, cost in problem.expand(state, f):
            if successor not in g:
                h[successor] = problem.h(successor)
            elif g[state] + cost >= g[successor]:
                continue
            elif successor in closed:
                closed.remove(successor)
                problem.counts.reopened += 1
            g[successor], parents[successor] = g[state] + cost, (state, action)
            if h[successor] < math.inf:
                pushes += 1
                heapq.heappush(waiting, (g[successor] + h[successor], h[successor], -pushes, successor))
        problem.counts.peak_nodes = len(g)
    return None


def actions_to(state, parents):
    """Return the actions from the start of the parents to a state."""
    actions = []
    while parents[state] is not None:
        state, action = parents[state]
        actions.append(action)
    return actions[::-1]
