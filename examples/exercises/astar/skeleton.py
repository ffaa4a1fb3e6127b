"""My A*. This is breadth-first search; what is missing are the costs and the heuristic."""

from collections import deque

from runner import python_algorithm


@python_algorithm("my_astar")
def my_astar(problem):
    """Return the actions of a plan, or None."""
    parents = {problem.start: None}
    waiting = deque([problem.start])
    while waiting:
        state = waiting.popleft()
        if problem.is_goal(state):
            return actions_to(state, parents)
        for action, successor, cost in problem.expand(state):
            if successor not in parents:
                parents[successor] = (state, action)
                waiting.append(successor)
    return None


def actions_to(state, parents):
    """Return the actions from the start to a state."""
    actions = []
    while parents[state] is not None:
        state, action = parents[state]
        actions.append(action)
    return actions[::-1]
