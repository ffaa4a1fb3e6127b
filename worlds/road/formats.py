"""Files of networks: arcs in the formats of DIMACS, of Raith and Ehrgott and of BOA*, coordinates, grids and queries.

Any of them may be compressed by gzip. Every mistake in a file raises a one-line `UserError` that names file and line.
"""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF8
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
MAX_ISOLATED = 1_000_000
"""Largest number of nodes that need not be at an arc: a short file must not take much memory."""
MAX_COSTS = 64
"""Largest number of costs of an arc in a file."""
MAX_COORDINATE = 1 << 28
HEADERS = "'p sp N M' (DIMACS), 'sp min N M' or 'N M' (numbers of nodes and of arcs)"
_PIECE = 1 << 20
_NO_BOUNDS, _NO_ROW = np.zeros((0, 2), np.int64), np.zeros((1, 1), np.int32)

Column = tuple[str, int, int]
"""Name of a number in a line, the least and the largest that is allowed."""
Table = NDArray[np.int32]
"""Numbers of lines, a row for each; the last column is the number of the line."""
OTHER_FORM, OUT_OF_RANGE = 1, 2


class Points(NamedTuple):
    """Coordinates of nodes, shape (nodes, 2): of a plane, or longitude and latitude in millionths of a degree."""

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

    def fail(self, expected: str, line: int) -> UserError:
        """Return an error that names the file and the line."""
        return file_error(self._path, f"expected {expected}", line=line or 1)

    def words(self, *, skip: bool = False) -> tuple[list[str], int]:
        """Return the words of the next line and its number; no words at the end. Skip it, or only what is before it."""
        while self._at < len(self._text) or self._read():
            state = np.array([self._at, self._line, 0, 0], np.int64)
            # no line begins with a newline, so this skips what is no content
            scan.compiled(np.frombuffer(self._text, np.uint8), state, ord("\n"), _NO_BOUNDS, _NO_ROW)
            self._at, self._line = state[:2].tolist()
            if self._at < len(self._text):
                end = self._text.index(b"\n", self._at)
                text = self._text[self._at : min(end, self._at + 1000)].decode("utf-8", "replace")
                words = re.findall(r"[^ \t\r]+", text)
                if skip:
                    self._at, self._line = end + 1, self._line + 1
                return words, self._line + (not skip)
        return [], self._line

    def got(self) -> str:
        """Return the next line, for messages."""
        return f"got '{one_line(' '.join(self.words()[0])[:60])}'"

    def numbers(self, rows: int, columns: list[Column], letter: str = "") -> Table:
        """Return the numbers of the next lines. Each line has these columns, behind a letter if it is given."""
        form = f"'{' '.join([letter] * bool(letter) + [name for name, _, _ in columns])}'"
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
                name, low, high = columns[column]
                expected = f"{name} from {low:,} to {high:,}" if mistake == OUT_OF_RANGE else f"whole numbers {form}"
                raise self.fail(f"{expected}, {self.got()}", self._line + 1)
            parts.append(out[:found].copy())
            missing -= found
        if missing:
            raise self.fail(f"{rows:,} lines {form}, got {rows - missing:,}", self._line)
        return np.concatenate(parts)

    def end(self) -> None:
        """Refuse further lines."""
        words, line = self.words()
        if words:
            raise self.fail(f"the end of the file, {self.got()}", line)
        self._stream.close()

    def _read(self) -> bool:
        """Read the next lines, after those before. Return False at the end."""
        self._text, self._rest, self._at = bytearray(self._rest), b"", 0
        piece = b"."
        while piece and b"\n" not in piece:
            try:
                piece = self._stream.read(_PIECE)
            except (OSError, EOFError, zlib.error) as error:
                raise self.fail(f"a file that is not damaged: {one_line(str(error))}", self._line) from None
            if not self._size:
                piece = piece.removeprefix(BOM_UTF8)
            self._size += len(piece)
            if self._size > MAX_TEXT or len(self._text) > 2 * _PIECE:
                raise self.fail(f"at most {MAX_TEXT >> 20:,} MiB, and lines of at most 1 MiB", self._line)
            end = piece.rfind(b"\n") + 1 or len(piece)
            self._text += piece[:end]
            self._rest = piece[end:]
        if self._text and not piece:
            self._text += b"\n"
        return bool(self._text)


@helper
def skip_blanks(text, at):
    """Return the index of the next character that is no blank, tabulator or carriage return."""
    while text[at] == 32 or text[at] == 9 or text[at] == 13:
        at += 1
    return at


@kernel("int64(uint8[::1], int64[::1], int64, int64[:, ::1], int32[:, ::1])")
def scan(text, state, letter, bounds, out):
    """Read the numbers of lines that end with a newline.

    `state` has the index of the next line, its number from 0, the rows that are written, and the column of a mistake.
    Return 0, or the mistake in the next line. A letter of 0 stands for none.
    """
    columns = bounds.shape[0]
    while state[0] < text.size and state[2] < out.shape[0]:
        at = skip_blanks(text, state[0])
        if text[at] == 10 or text[at] == 99 or text[at] == 35 or text[at] == 37:  # the end, or c, # or %
            while text[at] != 10:
                at += 1
            state[0] = at + 1
            state[1] += 1
            continue
        if letter != 0:
            after = skip_blanks(text, at + 1) if text[at] == letter else at
            if after < at + 2:
                return OTHER_FORM
            at = after
        for column in range(columns):
            state[3] = column
            sign = -1 if text[at] == 45 else 1
            at += sign < 0
            first = at
            number = np.int64(0)
            while 48 <= text[at] <= 57:
                number = min(10 * number + text[at] - 48, np.int64(1) << 40)
                at += 1
            after = skip_blanks(text, at)
            if at == first or (after == at and text[at] != 10):
                return OTHER_FORM
            if not bounds[column, 0] <= sign * number <= bounds[column, 1]:
                return OUT_OF_RANGE
            out[state[2], column] = sign * number
            at = after
        if text[at] != 10:
            return OTHER_FORM
        state[0] = at + 1
        state[1] += 1
        out[state[2], columns] = state[1]
        state[2] += 1
    return 0


def load_arcs(path: Path) -> Arcs:
    """Read the arcs of a network."""
    file = NumberFile(path)
    words, _ = file.words()
    letter = "a" if words[:2] == ["p", "sp"] else ""
    is_raith = words[:2] == ["sp", "min"]
    nodes, count = _counts(file, 2 if letter or is_raith else 0)
    query: tuple[int, ...] = ()
    if is_raith:
        marks = file.numbers(2, [("node", 1, nodes), ("mark", -1, 1)])
        if marks[:, 1].tolist() != [1, -1]:
            raise file.fail("'source 1', then 'target -1'", int(marks[1, 2]))
        query = tuple(marks[:, 0].tolist())
    ends = [("tail", 1, nodes), ("head", 1, nodes)]
    table = file.numbers(count, ends + _costs(file, letter, ends) if count else [*ends, ("cost", 0, 0)], letter)
    points = _points(file, nodes) if re.match("v|p aux ", " ".join(file.words()[0])) else None
    file.end()
    return Arcs(nodes, table, query, points)


def _counts(file: NumberFile, first: int = 0) -> tuple[int, int]:
    """Return the numbers of nodes and of arcs, which are words of the next line, a header."""
    got = file.got()
    words, line = file.words(skip=True)
    if len(words) != first + 2 or not all(re.fullmatch("[0-9]{1,10}", word) for word in words[first:]):
        raise file.fail(f"{HEADERS} before the arcs, {got}", line)
    nodes, count = map(int, words[first:])
    if not 1 <= nodes <= min(MAX_NODES, MAX_ISOLATED + 2 * count):
        raise file.fail(f"1 to {MAX_ISOLATED:,} nodes, and two for each arc, got {nodes:,}", line)
    return nodes, count


def _costs(file: NumberFile, letter: str, ends: list[Column]) -> list[Column]:
    """Return the columns of the costs: as many as the next line has behind the ends of its arc."""
    words, line = file.words()
    count = len(words) - len(letter) - len(ends)
    if not 1 <= count <= MAX_COSTS:
        form = " ".join([letter] * bool(letter) + [name for name, _, _ in ends])
        raise file.fail(f"'{form} cost', with up to {MAX_COSTS} costs, {file.got()}", line)
    return [(f"cost {number + 1}", 0, MAX_ARC_COST) for number in range(count)]


def load_points(path: Path, nodes: int) -> Points:
    """Read the coordinates of a number of nodes: ``v node x y``, after ``p aux sp co N`` if they are degrees."""
    file = NumberFile(path)
    points = _points(file, nodes)
    file.end()
    return points


def _points(file: NumberFile, nodes: int) -> Points:
    words, line = file.words()
    is_sphere = words[:4] == ["p", "aux", "sp", "co"]
    if is_sphere and file.words(skip=True)[0][4:] != [str(nodes)]:
        raise file.fail(f"the coordinates of {nodes:,} nodes ('p aux sp co {nodes}')", line)
    width, height = (180_000_000, 90_000_000) if is_sphere else (MAX_COORDINATE, MAX_COORDINATE)
    table = file.numbers(nodes, [("node", 1, nodes), ("x", -width, width), ("y", -height, height)], "v")
    order = np.argsort(table[:, 0], kind="stable")
    again = order[1:][np.diff(table[order, 0]) == 0]
    if again.size:
        node, _, _, line = table[again[0]].tolist()
        raise file.fail(f"coordinates of each node once, got node {node} again", line)
    return Points(np.ascontiguousarray(table[order, 1:3]), is_sphere)


def load_grid(path: Path) -> tuple[NDArray[np.int32], Table]:
    """Read a grid: ``nodes edges``, then ``a x1 y1 x2 y2 cost ..`` for each edge.

    Returns
    -------
    ndarray of int32, shape (nodes, 2)
        Points (x, y), ordered by y, then by x.
    ndarray of int32, shape (2 edges, costs + 2)
        Numbers of tail and head, from 0, and the costs: an arc each way.
    """
    file = NumberFile(path)
    nodes, edges = _counts(file)
    ends = [(name, 0, MAX_COORDINATE) for name in ("x1", "y1", "x2", "y2")]
    table = file.numbers(edges, ends + _costs(file, "a", ends), "a")
    file.end()
    found, numbers = np.unique(table[:, [1, 3]].astype(np.int64) << 32 | table[:, [0, 2]], return_inverse=True)
    if found.size != nodes:
        raise file.fail(f"edges between {nodes:,} nodes, got {found.size:,} different ones", 1)
    pairs = numbers.reshape(-1, 2).astype(np.int32)
    both = np.concatenate([np.hstack([each, table[:, 4:-1]]) for each in (pairs, pairs[:, ::-1])])
    return np.stack([found & 0xFFFFFFFF, found >> 32], axis=1).astype(np.int32), both


def load_queries(path: Path, nodes: int) -> list[list[int]]:
    """Read queries, ``source target`` on each line, as numbers from 1."""
    file = NumberFile(path)
    columns = [("source", 1, nodes), ("target", 1, nodes)]
    found: list[list[int]] = []
    while file.words()[0]:
        found += file.numbers(1, columns)[:, :2].tolist()
    if not found:
        raise file.fail("lines 'source target', got none", 1)
    return found


def load_grid_queries(path: Path) -> list[list[int]]:
    """Read the queries of a grid: the number of costs, that of queries, then lines ``number x y x y``.

    Return the number, x and y of the source and of the target, and the line of each query.
    """
    file = NumberFile(path)
    counts = file.numbers(2, [("number of costs, then of queries", 1, 1 << 20)])
    ends = [(name, 0, MAX_COORDINATE) for name in ("x1", "y1", "x2", "y2")]
    found: list[list[int]] = file.numbers(int(counts[1, 0]), [("number", 0, 1 << 20), *ends]).tolist()
    file.end()
    return found


def dump_network(network: Network, points: Points | None = None) -> Iterator[str]:
    """Yield the lines of a network in the format of BOA*, with any number of costs, and the coordinates behind them."""
    yield f"{network.nodes} {network.heads.size}"
    ends = np.stack([network.tails, network.heads], axis=1) + 1
    yield from (" ".join(map(str, row)) for row in np.hstack([ends, network.costs]).tolist())
    if points is not None:
        yield from dump_points(points)


def dump_points(points: Points) -> Iterator[str]:
    """Yield the lines of coordinates."""
    if points.is_sphere:
        yield f"p aux sp co {len(points.xy)}"
    yield from (f"v {node} {x} {y}" for node, (x, y) in enumerate(points.xy.tolist(), 1))


def dump_dimacs(network: Network, objective: int) -> Iterator[str]:
    """Yield the lines of the arcs with one cost in the format of DIMACS."""
    yield f"p sp {network.nodes} {network.heads.size}"
    columns = network.tails + 1, network.heads + 1, network.costs[:, objective]
    yield from (f"a {tail} {head} {cost}" for tail, head, cost in np.stack(columns, axis=1).tolist())
