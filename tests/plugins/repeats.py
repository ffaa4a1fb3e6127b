"""World whose source repeats its instances, or fails, as its parameters say."""

from dataclasses import dataclass

import runner


@runner.register("world", "repeats")
@dataclass(frozen=True)
class Repeats(runner.PythonWorld):
    start: int = 0
    distinct: int = 3
    end: int = 99
    unit_costs = True

    def initial(self):
        return self.start

    def successors(self, state):
        if self.start == 1:
            raise ValueError("odd")
        yield "up", state + 1, 1

    def is_goal(self, state):
        return state == self.start + 9

    def instances(self):
        for number in range(40):
            if number == self.end:
                raise RuntimeError("the source has ended")
            yield from Repeats(number % self.distinct).made()

    def made(self):
        return super().instances()

    def __len__(self):
        return 40
