"""Questions 2 to 6: a problem, two heuristics and an agent. Replace `util.raiseNotDefined()` and `return 0`."""

import search
import util
from game import Actions, Agent, Directions


class CornersProblem(search.SearchProblem):
    """Question 2: visit the four corners. Choose what a state is: a value that can be hashed."""

    def __init__(self, startingGameState):
        self.walls = startingGameState.getWalls()  # walls[x][y] is True where a wall is
        self.startingPosition = startingGameState.getPacmanPosition()
        top, right = self.walls.height - 2, self.walls.width - 2
        self.corners = ((1, 1), (1, top), (right, 1), (right, top))

    def getStartState(self):
        """Return the start."""
        util.raiseNotDefined()

    def isGoalState(self, state):
        """Return whether all corners have been visited."""
        util.raiseNotDefined()

    def getSuccessors(self, state):
        """Return a list of (next state, action, 1)."""
        for action in (Directions.NORTH, Directions.SOUTH, Directions.EAST, Directions.WEST):
            dx, dy = Actions.directionToVector(action)
        util.raiseNotDefined()

    def getCostOfActions(self, actions):
        """Return the cost of a list of actions."""
        return len(actions)


def cornersHeuristic(state, problem):
    """Question 3: estimate the moves until all corners have been visited. A state is one of your CornersProblem."""
    return 0


def foodHeuristic(state, problem):
    """Questions 4 and 6: estimate the moves until all food is eaten.

    foodGrid.asList() is the list of the squares with food, and foodGrid[x][y] tells whether food is on one.
    problem.walls is the grid of walls, and problem.heuristicInfo a dictionary in which you may keep what you computed.
    """
    position, foodGrid = state
    return 0


class ClosestDotSearchAgent(Agent):
    """Question 5: go to a nearest food, again and again."""

    def findPathToClosestDot(self, gameState):
        """Return a list of actions that leads to a nearest food.

        gameState.getPacmanPosition(), gameState.getFood() and gameState.getWalls() tell where everything is.
        """
        util.raiseNotDefined()
