"""Files of networks: arcs in the formats of DIMACS, of Raith and Ehrgott and of BOA*, coordinates, grids and queries.

Any of them may be compressed by gzip. Every mistake in a file raises a one-line `UserError` that names file and line.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from runner.base import UserError, file_error, one_line, open_regular
from worlds.compile import helper, kernel
from worlds.road.network import MAX_ARC_COST, Network

MAX_TEXT = 1 << 30
"""Largest size of a file in bytes, decompressed."""
MAX_NODES = (1 << 31) - 2
MAX_COSTS = 64
"""Largest number of costs of an arc in a file."""
MAX_COORDINATE = 1 << 28
"""Largest coordinate; a longitude of 180 degrees is 180,000,000."""
HEADERS = "'p sp N M' (DIMACS), 'sp min N M' or 'N M' (numbers of nodes and of arcs)"
_PIECE = 1 << 20
_COMMENTS = "c#%"

Table = NDArray[np.int32]
"""Numbers of lines, a row for each; the last column is the number of the line."""
NO_NUMBER, OUT_OF_RANGE, TOO_FEW, TOO_MANY = range(1, 5)


class Points(NamedTuple):
    """Coordinates of nodes: of a plane, or longitude and latitude in millionths of a degree.

    Attributes
    ----------
    xy : ndarray of int32, shape (nodes, 2)
    is_sphere : bool
    """

    xy: NDArray[np.int32]
    is_sphere: bool


class Arcs(NamedTuple):
    """Arcs of a file.

    Attributes
    ----------
    nodes : int
    table : ndarray of int32, shape (arcs, costs + 3)
        Tail and head, from 1, the costs, and the number of the line.
    query : tuple of int
        Source and target, from 1, or empty.
    points : Points or None
        Coordinates that follow the arcs.
    """

    nodes: int
    table: Table
    query: tuple[int, ...]
    points: Points | None


class NumberFile:
    """Lines of numbers in a file that is read in pieces. Empty lines, and those that begin with c, # or %, are skipped.

    Parameters
    ----------
    path : Path

    Raises
    ------
    UserError
        If it cannot be read, is damaged, or has more than `MAX_TEXT` bytes.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        file = open_regular(path, MAX_TEXT)
        is_compressed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        self._stream = gzip.GzipFile(fileobj=file) if is_compressed else file
        self._text = bytearray()  # whole lines
        self._rest = b""  # what is behind them
        self._size = 0
        self._at = 0
        self._line = 0  # lines before `_at`

    def fail(self, message: str, line: int | None = None) -> UserError:
        """Return an error that names the file, and the line if there is one."""
        return file_error(self._path, message, line=line)

    def next(self, *, skip: bool = True) -> tuple[list[str], int]:
        """Return the words of the next line and its number; no words at the end. Skip it, or only what is before it."""
        while self._at < len(self._text) or self._read():
            end = self._text.index(b"\n", self._at)
            words = self._text[self._at : min(end, self._at + 1000)].decode("utf-8", "replace").split()
            if words and words[0][0] not in _COMMENTS:
                if skip:
                    self._at, self._line = end + 1, self._line + 1
                return words, self._line + (not skip)
            self._at, self._line = end + 1, self._line + 1
        return [], self._line

    def numbers(self, rows: int, columns: list[tuple[str, int, int]], letter: str = "") -> Table:
        """Return the numbers of the next lines.

        Parameters
        ----------
        rows : int
            Number of lines.
        columns : list of (str, int, int)
            Name of each number, the least and the largest that is allowed.
        letter : str
            What is before the numbers of each line.

        Raises
        ------
        UserError
            If a line has anything else, or there are fewer lines.
        """
        bounds = np.array([column[1:] for column in columns], np.int64)
        parts = [np.zeros((0, len(columns) + 1), np.int32)]
        missing = rows
        while missing > 0 and (self._at < len(self._text) or self._read()):
            text = np.frombuffer(self._text, np.uint8)
            out = np.empty((min(missing, (text.size - self._at) // (2 * len(columns)) + 1), len(columns) + 1), np.int32)
            state = np.array([self._at, self._line, 0, 0], np.int64)
            mistake = scan.compiled(text, state, ord(letter or "\0"), bounds, out)
            self._at, self._line, found, column = state.tolist()
            if mistake:
                raise self._mistake(mistake, columns, column, letter)
            parts.append(out[:found].copy())
            missing -= found
        if missing:
            what = " ".join(filter(None, [letter, *(name for name, _, _ in columns)]))
            raise self.fail(f"expected {rows:,} lines '{what}', got {rows - missing:,}", self._line)
        return np.concatenate(parts)

    def end(self) -> None:
        """Refuse further lines."""
        words, line = self.next()
        if words:
            raise self.fail(f"expected the end of the file, got '{one_line(' '.join(words)[:60])}'", line)
        self._stream.close()

    def _mistake(self, kind: int, columns: list[tuple[str, int, int]], column: int, letter: str) -> UserError:
        """Return the error of the next line."""
        got = one_line(" ".join(self.next(skip=False)[0])[:60])
        name, low, high = columns[min(column, len(columns) - 1)]
        expected = f"'{' '.join(filter(None, [letter, *(name for name, _, _ in columns)]))}'"
        if kind == OUT_OF_RANGE:
            expected = f"{name} from {low:,} to {high:,}"
        elif kind == NO_NUMBER:
            expected += " (whole numbers)"
        return self.fail(f"expected {expected}, got '{got}'", self._line + 1)

    def _read(self) -> bool:
        """Read the next lines, after those before. Return False at the end."""
        text = bytearray(self._rest)
        self._rest = b""
        self._at = 0
        piece = b"."
        while piece and b"\n" not in piece:
            try:
                piece = self._stream.read(_PIECE)
            except (OSError, EOFError, zlib.error) as error:
                raise self.fail(f"a damaged file: {one_line(str(error))}") from None
            self._size += len(piece)
            if self._size > MAX_TEXT or len(text) > 2 * _PIECE:
                raise self.fail(f"too large (more than {MAX_TEXT >> 20:,} MiB, or a line of more than 1 MiB)")
            end = piece.rfind(b"\n") + 1 or len(piece)
            text += piece[:end]
            self._rest = piece[end:]
        if text and not piece:
            text += b"\n"
        self._text = text
        return bool(text)


@helper
def is_blank(character):
    """Return whether a character is a blank, a tabulator or a carriage return."""
    return character == 32 or character == 9 or character == 13


@helper
def skip_blanks(text, at):
    """Return the index of the next character that is no blank."""
    while is_blank(text[at]):
        at += 1
    return at


@kernel("int64(uint8[::1], int64[::1], int64, int64[:, ::1], int32[:, ::1])")
def scan(text, state, letter, bounds, out):
    """Read the numbers of lines, each of which ends with a newline.

    `state` has the index of the next line, its number from 0, the rows that are written, and the column of a mistake.
    Return 0, or the mistake in the next line. A letter of 0 stands for none.
    """
    columns = bounds.shape[0]
    while state[0] < text.size and state[2] < out.shape[0]:
        at = skip_blanks(text, state[0])
        if text[at] == 10 or text[at] == 99 or text[at] == 35 or text[at] == 37:  # the end, or a comment
            while text[at] != 10:
                at += 1
            state[0] = at + 1
            state[1] += 1
            continue
        if letter != 0:
            if text[at] != letter or not is_blank(text[at + 1]):
                return TOO_FEW
            at = skip_blanks(text, at + 1)
        for column in range(columns):
            state[3] = column
            if text[at] == 10:
                return TOO_FEW
            is_negative = text[at] == 45
            at += is_negative
            first = at
            number = np.int64(0)
            while 48 <= text[at] <= 57:
                number = min(10 * number + text[at] - 48, np.int64(1) << 40)
                at += 1
            if at == first or not (is_blank(text[at]) or text[at] == 10):
                return NO_NUMBER
            if is_negative:
                number = -number
            if number < bounds[column, 0] or number > bounds[column, 1]:
                return OUT_OF_RANGE
            out[state[2], column] = number
            at = skip_blanks(text, at)
        if text[at] != 10:
            return TOO_MANY
        state[0] = at + 1
        state[1] += 1
        out[state[2], columns] = state[1]
        state[2] += 1
    return 0


def load_arcs(path: Path) -> Arcs:
    """Read the arcs of a network.

    Raises
    ------
    UserError
        If the file cannot be read, or has none of the formats.
    """
    file = NumberFile(path)
    words, line = file.next()
    letter = "a" if words[:2] == ["p", "sp"] else ""
    is_raith = words[:2] == ["sp", "min"]
    nodes, count = _counts(file, words[2:] if letter or is_raith else words, line)
    node = ("node", 1, nodes)
    query: tuple[int, ...] = ()
    if is_raith:
        table = file.numbers(2, [node, ("mark", -1, 1)])
        if table[:, 1].tolist() != [1, -1]:
            raise file.fail("expected 'source 1', then 'target -1'", int(table[1, 2]))
        query = int(table[0, 0]), int(table[1, 0])
    words, line = file.next(skip=False)
    costs = len(words) - (3 if letter else 2)
    if count and not 1 <= costs <= MAX_COSTS:
        form = " ".join(filter(None, [letter, "tail head cost"]))
        raise file.fail(
            f"expected '{form}', with up to {MAX_COSTS} costs, got '{one_line(' '.join(words)[:60])}'", line
        )
    cost = [(f"cost {number + 1}", 0, MAX_ARC_COST) for number in range(costs if count else 1)]
    table = file.numbers(count, [("tail", *node[1:]), ("head", *node[1:]), *cost], letter)
    words, _ = file.next(skip=False)
    points = _points(file, nodes) if words[:1] == ["v"] or words[:2] == ["p", "aux"] else None
    file.end()
    return Arcs(nodes, table, query, points)


def _counts(file: NumberFile, words: list[str], line: int) -> tuple[int, int]:
    """Return the numbers of nodes and of arcs that a header gives."""
    if len(words) != 2 or not all(re.fullmatch("[0-9]{1,10}", word) for word in words):
        raise file.fail(f"expected {HEADERS} before the arcs, got '{one_line(' '.join(words)[:60])}'", line)
    nodes, count = map(int, words)
    if not 1 <= nodes <= MAX_NODES or count > MAX_TEXT:
        raise file.fail(f"expected 1 to {MAX_NODES:,} nodes and up to {MAX_TEXT:,} arcs", line)
    return nodes, count


def load_points(path: Path, nodes: int) -> Points:
    """Read the coordinates of a number of nodes: ``v node x y``, after ``p aux sp co N`` if they are degrees.

    Raises
    ------
    UserError
        If the file cannot be read, or has not one line for each node.
    """
    file = NumberFile(path)
    points = _points(file, nodes)
    file.end()
    return points


def _points(file: NumberFile, nodes: int) -> Points:
    words, line = file.next(skip=False)
    is_sphere = words[:4] == ["p", "aux", "sp", "co"]
    if is_sphere:
        file.next()
        if words[4:] != [str(nodes)]:
            raise file.fail(f"expected the coordinates of {nodes:,} nodes ('p aux sp co {nodes}')", line)
    width, height = (180_000_000, 90_000_000) if is_sphere else (MAX_COORDINATE, MAX_COORDINATE)
    table = file.numbers(nodes, [("node", 1, nodes), ("x", -width, width), ("y", -height, height)], "v")
    _, first, counts = np.unique(table[:, 0], return_index=True, return_counts=True)
    if counts.size < nodes:
        twice = table[first[counts > 1][0], 0]
        raise file.fail(f"expected coordinates of each node once; node {twice} has two")
    return Points(np.ascontiguousarray(table[np.argsort(table[:, 0]), 1:3]), is_sphere)


def load_grid(path: Path) -> tuple[NDArray[np.int32], Table]:
    """Read a grid: ``nodes edges``, then ``a x1 y1 x2 y2 cost ..`` for each edge.

    Returns
    -------
    ndarray of int32, shape (nodes, 2)
        Points (x, y), ordered by y, then by x.
    ndarray of int32, shape (2 edges, costs + 2)
        Numbers of tail and head, from 0, and the costs: an arc each way.

    Raises
    ------
    UserError
        If the file cannot be read, or is no grid.
    """
    file = NumberFile(path)
    nodes, edges = _counts(file, *file.next())
    words, line = file.next(skip=False)
    costs = len(words) - 5
    if words[:1] != ["a"] or not 1 <= costs <= MAX_COSTS:
        got = one_line(" ".join(words)[:60])
        raise file.fail(f"expected 'a x1 y1 x2 y2 cost', with up to {MAX_COSTS} costs, got '{got}'", line)
    side = (0, MAX_COORDINATE)
    ends = [(name, *side) for name in ("x1", "y1", "x2", "y2")]
    cost = [(f"cost {number + 1}", 0, MAX_ARC_COST) for number in range(costs)]
    table = file.numbers(edges, [*ends, *cost], "a")
    file.end()
    keys = table[:, [1, 3]].astype(np.int64) << 32 | table[:, [0, 2]]
    found, numbers = np.unique(keys, return_inverse=True)
    if found.size != nodes:
        raise file.fail(f"expected edges between {nodes:,} nodes, got {found.size:,} different ones")
    pairs = numbers.reshape(-1, 2).astype(np.int32)
    both = np.concatenate([np.hstack([each, table[:, 4:-1]]) for each in (pairs, pairs[:, ::-1])])
    return np.stack([found & 0xFFFFFFFF, found >> 32], axis=1).astype(np.int32), both


def load_queries(path: Path, nodes: int) -> list[tuple[int, int]]:
    """Read queries, ``source target`` on each line, as numbers from 1.

    Raises
    ------
    UserError
        If the file cannot be read, or a node is none of the network.
    """
    file = NumberFile(path)
    found = []
    while file.next(skip=False)[0]:
        row = file.numbers(1, [("source", 1, nodes), ("target", 1, nodes)])[0]
        found.append((int(row[0]), int(row[1])))
    return found


def load_grid_queries(path: Path) -> list[tuple[int, tuple[int, int], tuple[int, int], int]]:
    """Read the queries of grids: the number of costs, that of queries, then ``number x y x y`` for each.

    Returns
    -------
    list of (int, (int, int), (int, int), int)
        Number of a query, its source and target, and the line.

    Raises
    ------
    UserError
        If the file cannot be read, or has another form.
    """
    file = NumberFile(path)
    file.numbers(1, [("number of costs", 1, MAX_COSTS)])
    count = int(file.numbers(1, [("number of queries", 1, 1 << 20)])[0, 0])
    side = (0, MAX_COORDINATE)
    names = ("x source", "y source", "x target", "y target")
    table = file.numbers(count, [("number", 0, 1 << 20), *((name, *side) for name in names)])
    file.end()
    return [(number, (x1, y1), (x2, y2), line) for number, x1, y1, x2, y2, line in table.tolist()]


def dump_network(network: Network, points: Points | None) -> Iterator[str]:
    """Yield the lines of a network in the format of BOA*, with any number of costs, and the coordinates behind them."""
    yield f"{network.nodes} {network.heads.size}"
    for tail, head, costs in zip(
        (network.tails + 1).tolist(), (network.heads + 1).tolist(), network.costs.tolist(), strict=True
    ):
        yield f"{tail} {head} {' '.join(map(str, costs))}"
    if points is not None:
        yield from dump_points(points)


def dump_points(points: Points) -> Iterator[str]:
    """Yield the lines of coordinates."""
    if points.is_sphere:
        yield f"p aux sp co {len(points.xy)}"
    for node, (x, y) in enumerate(points.xy.tolist(), 1):
        yield f"v {node} {x} {y}"


def dump_dimacs(network: Network, objective: int) -> Iterator[str]:
    """Yield the lines of the arcs with one cost in the format of DIMACS."""
    yield f"p sp {network.nodes} {network.heads.size}"
    columns = (network.tails + 1, network.heads + 1, network.costs[:, objective])
    for tail, head, cost in zip(*(column.tolist() for column in columns), strict=True):
        yield f"a {tail} {head} {cost}"
