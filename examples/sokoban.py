"""World in plain Python whose instances are those of files: Sokoban, in the usual text form of levels.

python -m runner 'plugins=[runner.examples.sokoban]' world=sokoban algorithm=astar
python -m runner 'plugins=[runner.examples.sokoban]' world=sokoban world.path=my_levels algorithm=astar
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runner import Looks, Metric, file_error, read_text, source

LEVELS = Path(__file__).parent / "levels"
MOVES = {"u": (-1, 0), "l": (0, -1), "r": (0, 1), "d": (1, 0)}
SYMBOLS = "# .$*@+"


@source("sokoban", files=(".txt", ".xsb"), content="levels")
def levels(file: Path, path: str = str(LEVELS)):
    """Levels of text files: # wall, . goal, $ box, * box on a goal, @ player, + player on a goal; `; name` above.

    Parameters
    ----------
    path : str
        File, folder or glob pattern of files.
    """
    name, level = file.stem, []
    for number, line in enumerate([*read_text(file).splitlines(), ""], 1):
        if line.startswith(";"):
            name = line[1:].strip()
        elif line.strip():
            for wrong in sorted(set(line) - set(SYMBOLS)):
                raise file_error(file, f"'{wrong}' is none of '{SYMBOLS}'", line=number)
            level.append(line)
        elif level:  # a level ends with an empty line
            yield name, checked_level("\n".join(level), file, number - len(level))
            name, level = f"{file.stem}:{number + 1}", []


def checked_level(level, file, line):
    """Return the world of a level."""
    players, boxes, goals = (sum(map(level.count, symbols)) for symbols in ("@+", "$*", ".*+"))
    if players != 1:
        raise file_error(file, f"a level has 1 player (@ or +), this one has {players}", line=line)
    if boxes != goals:
        raise file_error(file, f"this level has {boxes} boxes, but {goals} goals", line=line)
    return Sokoban(level, boxes)


@dataclass(frozen=True)
class Sokoban(Looks):
    domain = "sokoban"
    unit_costs = True
    metrics = (Metric("boxes", better="neither", aggregate="mean", is_main=False, meaning="boxes of the level"),)

    level: str
    boxes: int

    def measured(self, plan):
        return {"boxes": self.boxes}

    # The rules. A state is the square of the player and the set of the squares of the boxes.

    def squares(self, symbols):
        rows = enumerate(self.level.split("\n"))
        return frozenset((r, c) for r, row in rows for c, symbol in enumerate(row) if symbol in symbols)

    @cached_property
    def floor(self):
        return self.squares(" .$*@+")

    @cached_property
    def goal_squares(self):
        return self.squares(".*+")

    def initial(self):
        (player,) = self.squares("@+")
        return player, self.squares("$*")

    def successors(self, state):
        (row, column), boxes = state
        for name, (down, right) in MOVES.items():
            to, behind = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if to in boxes and behind in self.floor and behind not in boxes:
                yield name.upper(), (to, boxes - {to} | {behind}), 1
            elif to in self.floor and to not in boxes:
                yield name, (to, boxes), 1

    def is_goal(self, state):
        return state[1] == self.goal_squares

    # The looks.

    def show(self, state):
        player, boxes = state
        rows = [["#" if symbol == "#" else " " for symbol in row] for row in self.level.split("\n")]
        for squares, symbols in ((self.goal_squares, ". "), (boxes, "*$"), ({player}, "+@")):
            for row, column in squares:
                rows[row][column] = symbols[(row, column) not in self.goal_squares]
        return "\n".join(map("".join, rows))

    def locate(self, state):
        (row, column), _ = state
        return column + 0.5, row + 0.5

    def draw(self, state, axes):
        from matplotlib.patches import Circle, Rectangle

        player, boxes = state
        rows = self.level.split("\n")
        axes.set(xlim=(0, max(map(len, rows))), ylim=(len(rows), 0), aspect="equal")
        axes.set_axis_off()
        for row, column in self.squares("#"):
            axes.add_patch(Rectangle((column, row), 1, 1, color="0.35"))
        for row, column in self.goal_squares:
            axes.add_patch(Circle((column + 0.5, row + 0.5), 0.15, color="tab:red", zorder=2, label="goal"))
        for row, column in boxes:
            corner = column + 0.1, row + 0.1
            axes.add_patch(Rectangle(corner, 0.8, 0.8, color="tab:orange", alpha=0.8, zorder=2, label="box"))
        middle = player[1] + 0.5, player[0] + 0.5
        axes.add_patch(Circle(middle, 0.35, color="tab:blue", zorder=2, label="player"))
