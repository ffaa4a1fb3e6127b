from collections import deque

from heuristics.heuristic_base import Heuristic


class WalkHeuristic(Heuristic):
    """Nuts to tighten, spanners to pick up, and the walk past them. A dead end if too few spanners lie ahead."""

    def __init__(self, task):
        self.nuts = {goal.strip("()").split()[1] for goal in task.goals}
        self.men = {operator.name.strip("()").split()[3] for operator in task.operators if "(walk " in operator.name}
        links = [fact.strip("()").split()[1:] for fact in task.static if fact.startswith("(link ")]
        self.after = {}
        for start, end in links:
            self.after.setdefault(start, []).append(end)
        self.place = {}  # of nuts and spanners at the start
        for fact in task.initial_state | task.static:
            name, *arguments = fact.strip("()").split()
            if name == "at":
                self.place[arguments[0]] = arguments[1]
        self.distances = {}

    def distance(self, start):
        """Steps from a place to all places ahead."""
        if start not in self.distances:
            found, waiting = {start: 0}, deque([start])
            while waiting:
                place = waiting.popleft()
                for end in self.after.get(place, ()):
                    if end not in found:
                        found[end] = found[place] + 1
                        waiting.append(end)
            self.distances[start] = found
        return self.distances[start]

    def __call__(self, node):
        place, usable, carried, tightened = {}, set(), set(), set()
        for fact in node.state:
            name, *arguments = fact.strip("()").split()
            if name == "at":
                place[arguments[0]] = arguments[1]
            elif name == "usable":
                usable.add(arguments[0])
            elif name == "carrying":
                carried.add(arguments[1])
            elif name == "tightened":
                tightened.add(arguments[0])
        loose = self.nuts - tightened
        if not loose:
            return 0
        ahead = self.distance(next(place[man] for man in self.men))
        missing = len(loose) - len(usable & carried)
        to_fetch = sorted(ahead[place[each]] for each in usable - carried if place.get(each) in ahead)
        if missing > len(to_fetch):
            return float("inf")
        walk = max(ahead.get(self.place[nut], float("inf")) for nut in loose)
        return len(loose) + max(0, missing) + walk
