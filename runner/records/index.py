"""Index of the rows of a sweep: which are finished, and which are stale.

A sweep that runs again into its folder makes only the rows that are not finished there. A row under other limits or of
other code does not replace a row, although both have the same `run_id`. The limits of the newest row in a file count
for all its rows.
"""

from __future__ import annotations

from array import array
from collections import ChainMap, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path

from runner.base.status import Retry
from runner.records.declared import declared_in
from runner.records.reader import checked_rows, metrics_below
from runner.records.row import key_of

NO_CODE = ""
"""Code of rows without a fingerprint."""


@dataclass
class _File:
    """Rows of one file: their keys, the numbers of their codes, whether they are finished; limits of the newest."""

    folder: Path
    limits: str = ""
    keys: array[int] = field(default_factory=lambda: array("Q"))
    codes: array[int] = field(default_factory=lambda: array("L"))
    is_finished: array[int] = field(default_factory=lambda: array("B"))


@dataclass(frozen=True)
class Stale:
    """Rows of one file that are stale.

    Attributes
    ----------
    by_code : set of int
        Numbers of the rows that other code has made.
    by_content : set of int
        Numbers of the rows whose instances have changed or no longer exist.
    """

    by_code: set[int] = field(default_factory=set)
    by_content: set[int] = field(default_factory=set)


class Index:
    """Index of the rows of a sweep.

    Parameters
    ----------
    retry : {"failed", "limits", "none"}
        Rows that are made again. "failed": rows with errors and interruptions. "limits": also rows that ended at a
        limit; other limits alone do not make a row stale. "none": no rows, not even those of other code.

    Attributes
    ----------
    mean_seconds : dict of Path to float
        Mean search time of the rows in the folder of each cell.
    rows : int
        Number of rows.
    """

    def __init__(self, retry: Retry = "failed") -> None:
        self._retry = retry
        self._known: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        self.mean_seconds: dict[Path, float] = {}
        self.rows = 0
        self._files: dict[Path, _File] = {}
        self._by_folder: defaultdict[Path, list[_File]] = defaultdict(list)
        self._codes: dict[str, int] = {}

    @classmethod
    def of(cls, sweep: Path, retry: Retry) -> Index:
        """Return the index of all rows below a folder."""
        index = cls(retry)
        seconds: defaultdict[Path, float] = defaultdict(float)
        rows: defaultdict[Path, int] = defaultdict(int)
        for file in metrics_below(sweep):
            folder = sweep / file.relative_to(sweep).parts[0]
            seconds[folder] += index._read(file, folder)
            rows[folder] += len(index._files[file].keys)
        index.rows = sum(rows.values())
        index.mean_seconds = {folder: seconds[folder] / count for folder, count in rows.items() if count}
        return index

    def _read(self, file: Path, folder: Path) -> float:
        """Read the rows of a file, and return the sum of their search times."""
        found = self._files[file] = _File(folder)
        self._by_folder[folder].append(found)
        declared, seconds = declared_in(file.parent), 0.0
        for row in checked_rows(file):
            found.keys.append(key_of(row["run_id"]))
            found.codes.append(self._codes.setdefault(row.get("code", NO_CODE), len(self._codes)))
            found.is_finished.append(not declared.status(row["status"]).is_made_again(self._retry))
            found.limits = row.get("limits", "")
            seconds += float(row["search_seconds"] or 0)
        names = list(self._codes)
        for key, number in compress(zip(found.keys, found.codes, strict=True), found.is_finished):
            self._known[self._kind(found.limits, names[number])].add(key)
        return seconds

    def has(self, key: int, limits: str, code: str) -> bool:
        """Whether any folder has a finished row with this key."""
        return key in self._known[self._kind(limits, code)]

    def finished_in(self, folder: Path, limits: str, code: str) -> set[int]:
        """Return the keys of the finished rows in the folder of a cell."""
        return {key for file in self._by_folder.get(folder, ()) for key in self._finished(file, limits, code)}

    def outside(self, folder: Path, wanted: Collection[int], limits: str, code: str) -> dict[Path, set[int]]:
        """Return, by files, the wanted keys that have finished rows outside the folder of a cell."""
        left, found = set(wanted), dict[Path, set[int]]()
        for path, file in self._files.items() if left else ():
            if file.folder != folder:
                here = left.intersection(self._finished(file, limits, code))
                left -= here
                if here:
                    found[path] = here
        return found

    def stale(self, current: Mapping[str, Mapping[int, str]], folders: Collection[Path]) -> dict[Path, Stale]:
        """Return the stale rows by their files.

        Parameters
        ----------
        current : mapping of str to mapping of int to str
            By limits: keys of all instances of the cells that run now, and their codes.
        folders : collection of Path
            Folders of the cells whose instances are all in `current`.
        """
        found: dict[Path, Stale] = {}
        every = ChainMap(*map(dict, current.values()))
        names = list(self._codes)
        for path, file in self._files.items():
            stale, codes = Stale(), every if self._retry == "limits" else current.get(file.limits, {})
            is_complete = file.folder in folders
            for number, (key, code) in enumerate(zip(file.keys, file.codes, strict=True)):
                if codes.get(key, names[code]) != names[code]:
                    stale.by_code.add(number)
                elif is_complete and key not in every:
                    stale.by_content.add(number)
            if stale.by_code or stale.by_content:
                found[path] = stale
        return found

    def _finished(self, file: _File, limits: str, code: str) -> Iterator[int]:
        """Yield the keys of the finished rows of a file."""
        wanted, names = self._kind(limits, code), list(self._codes)
        for key, number in compress(zip(file.keys, file.codes, strict=True), file.is_finished):
            if self._kind(file.limits, names[number]) == wanted:
                yield key

    def _kind(self, limits: str, code: str) -> tuple[str, str]:
        return "" if self._retry == "limits" else limits, "" if self._retry == "none" else code
