"""Plans of several agents that programs write: which of the known forms a text has, and the joint actions in it.

All formats give the path of each agent. There are three forms, which the first line tells apart:

- a word of u d l r w for each agent, in lines or between blanks; `5r2d` stands for `rrrrrdd`;
- the cells of all agents at each time, as LaCAM writes them: `0:(1,2),(3,4),`, below a line `solution=` if the file
  has other lines;
- the cells of one agent in each line, as CBSH2 writes them: `Agent 0: (2,1)->(2,2)->`.

The format says whether a cell is (x, y) or (row, column), and whether `u` is y - 1 or y + 1. In `paths`, `u` is y - 1,
and the starts and the goals tell the order of cells. Others have the names of programs, whose sources say it:
`writePathsToFile` of MAPF-LNS2, `savePaths` of EECBS and CBSH2-RTC, `make_log` of LaCAM; and of the MAPF tracker
(tracker.pathfinding.ai), which publishes plans, in tables that are read, too. An agent whose path is shorter than
others waits at its end. Every mistake in a text is a `ValueError` of one line that names the line of the text. Agents
count from 1 and cells are (x, y) in messages, which have what the text says behind them (`Notation`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from runner.base import one_line, plural
from worlds.gridmap.rules import GridCell
from worlds.interface import plan_texts
from worlds.mapf.rules import STEP, WAIT

LETTERS = "udlrw"
"""Actions of an agent in a plan."""
_TRACKER = "tracker"
_IS_ROW_FIRST = {
    "paths_xy": False, "paths_row_column": True, "lns2": True, "lacam": False, "eecbs": True, "cbsh2": True,
}  # fmt: skip
"""Whether cells are (row, column), by the formats that say it."""
FORMATS = ("paths", _TRACKER, *_IS_ROW_FIRST)
_EXCHANGED = str.maketrans("ud", "du")
_LETTER_OF = {STEP[letter]: letter for letter in LETTERS}
_SOLUTION = "solution="
_HEAD_OF_TABLE = re.compile(r"\bagents\b")
_CELL_OF_TABLE = re.compile(r',"?([udlrw\n]+)"?(?=\n|\Z)')
"""Plan at the end of a row of the tracker's tables."""
_RUN = re.compile(r"([0-9]{0,8})([udlrw])", re.ASCII)
_RUNS = re.compile(rf"(?:{_RUN.pattern})*", re.ASCII)
_HEAD = re.compile(r"(?:agent\s+)?([0-9]{1,8})\s*:", re.ASCII | re.IGNORECASE)
_CELL = re.compile(r"\(\s*(-?[0-9]{1,8})\s*,\s*(-?[0-9]{1,8})\s*\)", re.ASCII)
_CELLS = re.compile(rf"(?:{_CELL.pattern}|->|[\s,;])*", re.ASCII)


class Notation(NamedTuple):
    """Notation of a text: lines `Agent 0:`, cells as (row, column), moves with u and d exchanged; else as ours."""

    has_agents: bool = False
    is_row_first: bool = False
    is_turned: bool = False

    def note(self, agents: Sequence[int], cells: Sequence[GridCell], letter: str = "") -> str:
        """Return what a text says for agents (from 1), cells (x, y) and a letter of ours; empty if it says the same."""
        said = [" and ".join(f"Agent {agent - 1}" for agent in agents)] if self.has_agents else []
        if self.is_row_first:
            said += [f"({y},{x})" for x, y in cells]
        if self.is_turned and letter in ("u", "d"):
            said.append(f"'{letter.translate(_EXCHANGED)}'")
        return f" (as written: {', '.join(said)})" if said else ""


OURS = Notation()


class WrittenPlan(tuple[str, ...]):
    """Joint actions of a plan, with the notation of its text."""

    notation: Notation = OURS


class _PathLine(NamedTuple):
    number: int
    text: str

    def fail(self, problem: str) -> ValueError:
        """Return the error that the line has a problem."""
        return ValueError(f"line {self.number}: {problem}")


def checked_steps(found: plan_texts.PlanWords, agents: int) -> tuple[str, ...]:
    """Return the words of a plan, each with the letters of all agents in one step.

    Raises
    ------
    ValueError
        If a word has not.
    """
    for number, word in enumerate(found.items):
        if len(word) != agents or word.strip(LETTERS):
            raise found.fail(number, f"has not one letter of {' '.join(LETTERS)} for each of {plural(agents, 'agent')}")
    return tuple(found.items)


def read_paths(starts: Sequence[GridCell], goals: Sequence[GridCell], text: str, format: str = "paths") -> WrittenPlan:
    """Return the joint actions of a plan in one of `FORMATS`.

    Parameters
    ----------
    starts, goals : sequence of (int, int)
        Cells (x, y) of the agents.
    text : str
    format : str

    Raises
    ------
    ValueError
        If the text is no plan from these starts, or has two readings. Whether the plan is possible, the rules tell.
    """
    first = 0
    if format == _TRACKER and "\n" in text and _HEAD_OF_TABLE.search(text.partition("\n")[0]):
        first, text = _plan_of_table(text, starts, goals)
    rows = text.splitlines()
    first = max((number for number, row in enumerate(rows, 1) if row.strip() == _SOLUTION), default=first)
    lines = [_PathLine(number, row.strip()) for number, row in enumerate(rows[first:], first + 1)]
    filled = [line for line in lines if line.text]
    if not filled:
        raise ValueError(f"line {first or 1}: expected the paths of {plural(len(starts), 'agent')}, got none")
    if format == _TRACKER or (format == "paths" and "(" not in filled[0].text):
        words = _words(lines, len(starts))
        turned = [word.translate(_EXCHANGED) for word in words]
        words, turned = (turned, words) if format == _TRACKER else (words, turned)
        if list(goals) == list(map(_end, starts, turned)) != list(map(_end, starts, words)):
            other = "paths" if format == _TRACKER else _TRACKER
            raise filled[0].fail(
                f"with u and d exchanged, these paths reach the goals; algorithm.plan.format={other} does so"
            )
        return _joined(words, Notation(is_turned=format == _TRACKER))
    has_agents = filled[0].text.lower().startswith("agent")
    paths, places = (_paths_of_agents if has_agents else _paths_of_times)(filled, len(starts))
    is_row_first = _IS_ROW_FIRST[format] if format in _IS_ROW_FIRST else _is_row_first(paths, starts, goals)
    if is_row_first is None:
        raise filled[0].fail("starts and goals do not tell (x,y) from (row,column); algorithm.plan.format says it: "
                             f"{', '.join(_IS_ROW_FIRST)}")  # fmt: skip
    notation = Notation(has_agents, is_row_first)
    if is_row_first:
        paths = [[(column, row) for row, column in path] for path in paths]
    moves = [_moves(paths[agent], places[agent], agent + 1, start, notation) for agent, start in enumerate(starts)]
    return _joined(moves, notation)


def _plan_of_table(text: str, starts: Sequence[GridCell], goals: Sequence[GridCell]) -> tuple[int, str]:
    """Return the plan for these agents in a table, below as many empty lines as stand above it, and their number.

    Of several plans for as many agents, such as those of other scenarios, it is the one that reaches the goals.
    """
    text = text.replace("\r\n", "\n")
    found = [match for match in _CELL_OF_TABLE.finditer(text) if match[1].count("\n") == len(starts) - 1]
    if not found:
        raise ValueError(f"line 1: no plan for {plural(len(starts), 'agent')} in this table")

    def misses(match: re.Match[str]) -> bool:
        return list(map(_end, starts, match[1].translate(_EXCHANGED).split("\n"))) != list(goals)

    best = min(found, key=misses)
    above = text.count("\n", 0, best.start(1))
    return above, "\n" * above + best[1] + "\n"


def written(plan: Sequence[str]) -> list[str]:
    """Return a word for each agent, the first form of `paths`, without waits at the end. Agents that stay have `w`."""
    words = ["".join(letters).rstrip(WAIT) for letters in zip(*plan, strict=True)]
    runs = ([(letter, len(list(run))) for letter, run in groupby(word)] for word in words)
    return ["".join(f"{length if length > 1 else ''}{letter}" for letter, length in run) or WAIT for run in runs]


def _words(lines: Sequence[_PathLine], agents: int) -> list[str]:
    """Return the moves of the agents in words. If there are as many lines as agents, an empty line is a word, too."""
    found = [_PathLine(line.number, word) for line in lines for word in line.text.replace(",", " ").split()]
    if len(found) < len(lines) == agents:
        found = list(lines)
    if len(found) != agents:
        raise lines[0].fail(f"expected a word of {' '.join(LETTERS)} for each of {plural(agents, 'agent')}, "
                            f"got {plural(len(found), 'word')}")  # fmt: skip
    return [_unfolded(word, agents) for word in found]


def _unfolded(word: _PathLine, agents: int) -> str:
    """Return the letters of a word with runs."""
    if not _RUNS.fullmatch(word.text):
        raise word.fail(f"'{one_line(word.text[:60])}' is no path; expected letters of {' '.join(LETTERS)}, "
                        "and runs such as 5r2d")  # fmt: skip
    runs = [(letter, int(length or 1)) for length, letter in _RUN.findall(word.text)]
    if sum(length for _, length in runs) * agents > plan_texts.MAX_ACTIONS:
        raise word.fail(f"a plan of more than {plan_texts.MAX_ACTIONS:,} moves")
    return "".join(letter * length for letter, length in runs)


def _paths_of_times(lines: Sequence[_PathLine], agents: int) -> tuple[list[list[GridCell]], list[list[_PathLine]]]:
    """Return the path of each agent, and the line of each of its cells, of lines with the cells of all agents."""
    rows = [_cells(line, time, "time") for time, line in enumerate(lines)]
    for line, cells in zip(lines, rows, strict=True):
        if len(cells) != agents:
            raise line.fail(f"expected the cells of {plural(agents, 'agent')}, got {len(cells)}")
    return [list(path) for path in zip(*rows, strict=True)], [list(lines)] * agents


def _paths_of_agents(lines: Sequence[_PathLine], agents: int) -> tuple[list[list[GridCell]], list[list[_PathLine]]]:
    """Return the path of each agent, and the line of each of its cells, of lines with the cells of one agent."""
    paths = [_cells(line, agent, "agent") for agent, line in enumerate(lines)]
    for line, path in zip(lines, paths, strict=True):
        if not path:
            raise line.fail("a path without cells")
    if len(paths) != agents:
        raise lines[-1].fail(f"expected the paths of {plural(agents, 'agent')}, got {len(paths)}")
    return paths, [[line] * len(path) for line, path in zip(lines, paths, strict=True)]


def _cells(line: _PathLine, number: int, what: str) -> list[GridCell]:
    """Return the cells behind the number of a line."""
    head = _HEAD.match(line.text)
    if head is None or int(head[1]) != number:
        expected = f"agent {number + 1} ('Agent {number}:')" if what == "agent" else f"time {number}"
        raise line.fail(f"expected {expected} and its cells, got '{one_line(line.text[:60])}'")
    end = _CELLS.match(line.text, head.end())
    assert end is not None  # which may be empty
    if end.end() < len(line.text):
        raise line.fail(f"'{one_line(line.text[end.end() :][:60])}' is no cell; expected cells such as (3,4)")
    return [(int(one), int(two)) for one, two in _CELL.findall(line.text, head.end())]


def _is_row_first(
    paths: Sequence[Sequence[GridCell]], starts: Sequence[GridCell], goals: Sequence[GridCell]
) -> bool | None:
    """Return whether cells are (row, column): by the starts; if both orders begin there, by the goals.

    None if they do not decide, and the order matters.
    """
    for number, cells in ((0, starts), (-1, goals)):
        ends = [path[number] for path in paths]
        is_column_first, is_row_first = ends == list(cells), ends == [(y, x) for x, y in cells]
        if is_column_first != is_row_first:
            return is_row_first
        if not is_column_first and number == 0:  # no plan from these starts
            return False
    return False if all(x == y for path in paths for x, y in path) else None


def _end(start: GridCell, letters: str) -> GridCell:
    """Return the cell in which a path of letters ends."""
    return (
        start[0] + letters.count("r") - letters.count("l"),
        start[1] + letters.count("d") - letters.count("u"),
    )


def _moves(
    path: Sequence[GridCell], lines: Sequence[_PathLine], agent: int, start: GridCell, notation: Notation
) -> str:
    """Return the letters of the moves along the cells of an agent, whose number is from 1."""
    if path[0] != start:
        note = notation.note((agent,), (path[0], start))
        raise lines[0].fail(f"agent {agent} begins in {path[0]}; expected its start {start}{note}")
    letters = []
    for time, (before, cell) in enumerate(pairwise(path), 1):
        letter = _LETTER_OF.get((cell[0] - before[0], cell[1] - before[1]))
        if letter is None:
            note = notation.note((agent,), (before, cell))
            raise lines[time].fail(f"agent {agent} jumps from {before} to {cell} in step {time}{note}")
        letters.append(letter)
    return "".join(letters)


def _joined(words: Sequence[str], notation: Notation) -> WrittenPlan:
    """Return the joint actions of the words of all agents, who wait at the ends of their paths, up to the last move."""
    length = max(len(word.rstrip(WAIT)) for word in words)
    if length * len(words) > plan_texts.MAX_ACTIONS:
        raise ValueError(f"line 1: a plan of more than {plan_texts.MAX_ACTIONS:,} moves")
    plan = WrittenPlan(map("".join, zip(*(word[:length].ljust(length, WAIT) for word in words), strict=True)))
    plan.notation = notation
    return plan
