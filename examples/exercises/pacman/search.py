"""Question 1: four searches. Replace each `util.raiseNotDefined()`."""

import util


def depthFirstSearch(problem):
    """Return a list of actions from the start to a goal, found by depth-first search.

    problem.getStartState() returns the start, problem.isGoalState(state) whether a state is a goal, and
    problem.getSuccessors(state) a list of (next state, action, cost). Each call of the last one is an expansion.
    """
    util.raiseNotDefined()


def breadthFirstSearch(problem):
    """Return a list of as few actions as possible."""
    util.raiseNotDefined()


def uniformCostSearch(problem):
    """Return a list of actions that cost as little as possible."""
    util.raiseNotDefined()


def nullHeuristic(state, problem=None):
    """Estimate nothing."""
    return 0


def aStarSearch(problem, heuristic=nullHeuristic):
    """Return a list of actions that cost as little as possible, with the help of heuristic(state, problem)."""
    util.raiseNotDefined()


bfs, dfs, ucs, astar = breadthFirstSearch, depthFirstSearch, uniformCostSearch, aStarSearch
