from heuristics.heuristic_base import Heuristic


class TripsHeuristic(Heuristic):
    """Each car that waits is boarded and debarked; the ferry sails to it and with it."""

    def __init__(self, task):
        self.destination = {}
        for goal in task.goals:
            name, car, place = goal.strip("()").split()
            self.destination[car] = place

    def __call__(self, node):
        place, on_board, ferry = {}, None, None
        for fact in node.state:
            name, *arguments = fact.strip("()").split()
            if name == "at":
                place[arguments[0]] = arguments[1]
            elif name == "on":
                on_board = arguments[0]
            elif name == "at-ferry":
                ferry = arguments[0]
        waiting = [car for car, goal in self.destination.items() if car != on_board and place[car] != goal]
        value = 4 * len(waiting)
        if on_board is not None:
            value += 1 + (ferry != self.destination.get(on_board, ferry))
            ferry = self.destination.get(on_board, ferry)
        if any(place[car] == ferry for car in waiting):
            value -= 1  # the first trip begins here
        return value
