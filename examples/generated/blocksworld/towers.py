from heuristics.heuristic_base import Heuristic


class TowersHeuristic(Heuristic):
    """Two actions for each block that has to move, and two more if it has to move out of the way first."""

    def __init__(self, task):
        self.below = {}  # in the goal
        for goal in task.goals:
            name, *blocks = goal.strip("()").split()
            if name == "on":
                self.below[blocks[0]] = blocks[1]

    def __call__(self, node):
        below, held = {}, None
        for fact in node.state:
            name, *blocks = fact.strip("()").split()
            if name == "on":
                below[blocks[0]] = blocks[1]
            elif name == "on-table":
                below[blocks[0]] = None
            elif name == "holding":
                held = blocks[0]

        ready = {}  # whether a block and all blocks below it stay where they are

        def is_ready(block):
            if block not in ready:
                under, wanted = below.get(block), self.below.get(block)
                in_place = block != held and (wanted is None or wanted == under)
                ready[block] = in_place and (under is None or is_ready(under))
            return ready[block]

        value = 0
        for block in below:
            if not is_ready(block):
                value += 2
                wanted = self.below.get(block)
                while wanted is not None:  # it waits on the table until the blocks below it are ready
                    if not is_ready(wanted):
                        value += 2
                        break
                    wanted = self.below.get(wanted)
        if held is not None:
            wanted = self.below.get(held)
            value += 1 if wanted is None or is_ready(wanted) else 3
        return value
