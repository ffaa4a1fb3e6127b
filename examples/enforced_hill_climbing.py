"""Algorithm in plain Python: enforced hill climbing (Hoffmann and Nebel, JAIR 14, 2001).

python -m runner 'plugins=[runner.examples.enforced_hill_climbing]' algorithm=enforced_hill_climbing \
    heuristic=manhattan world=npuzzle/random
"""

from collections import deque

from runner import Metric, python_algorithm


@python_algorithm(
    "enforced_hill_climbing",
    heuristic="needed",
    metrics=(Metric("plateaus", meaning="states with a smaller h found"),),
)
def enforced_hill_climbing(problem, most: int = 1_000_000):
    """Go to the nearest state with a smaller h, again and again. Incomplete: it never leaves a dead end."""
    state, plan = problem.start, []
    problem.measured["plateaus"] = 0
    while not problem.is_goal(state):
        found = nearest_better(problem, state, most)
        if found is None:
            return None
        problem.measured["plateaus"] += 1
        state, steps = found
        plan += steps
    return plan


def nearest_better(problem, start, most):
    """Search breadth-first among at most `most` states. Return the state and the actions that lead to it."""
    h, parents, waiting = problem.h(start), {start: None}, deque([start])
    while waiting and len(parents) < most:
        state = waiting.popleft()
        for action, successor, _ in problem.expand(state):
            if successor in parents:
                continue
            parents[successor] = state, action
            if problem.h(successor) < h or problem.is_goal(successor):
                return successor, actions_to(successor, parents)
            waiting.append(successor)
    return None


def actions_to(state, parents):
    """Return the actions from the start of the parents to a state."""
    actions = []
    while parents[state] is not None:
        state, action = parents[state]
        actions.append(action)
    return actions[::-1]
