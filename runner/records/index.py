"""Which rows of a sweep are finished.

A sweep that is run again into its folder makes only what has no finished row there. A row is known by its `run_id`,
not by its cell. Rows under other limits are others, because limits are not part of a `run_id`; all rows in a folder
count as made under the limits of the newest.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import compress
from pathlib import Path

from algorithms.engine.search import LIMITS
from runner.config.schema import Retry
from runner.records.reader import checked_rows, metrics_below
from runner.records.result import FAILED
from runner.records.row import key_of


class Index:
    """Rows that need not be made again.

    Parameters
    ----------
    retry : {"failed", "limits", "none"}
        What is made again: rows with errors and interruptions; these and rows that ended at a limit, whatever the
        limits were; or nothing.

    Attributes
    ----------
    mean_seconds : dict of Path to float
        Mean search time of the rows in the folder of each cell.
    rows : int
        That were read.
    """

    def __init__(self, retry: Retry = "failed") -> None:
        self._retry = retry
        self._known: defaultdict[str, set[int]] = defaultdict(set)
        self.mean_seconds: dict[Path, float] = {}
        self.rows = 0
        self._by_folder: defaultdict[Path, array[int]] = defaultdict(lambda: array("Q"))

    @classmethod
    def of(cls, sweep: Path, retry: Retry) -> Index:
        """Read all rows below a folder."""
        index = cls(retry)
        seconds: defaultdict[Path, float] = defaultdict(float)
        for file in metrics_below(sweep):
            folder = sweep / file.relative_to(sweep).parts[0]
            keys, first, limits = index._by_folder[folder], len(index._by_folder[folder]), ""
            is_finished = array("B")
            for row in checked_rows(file):
                keys.append(key_of(row["run_id"]))
                is_finished.append(not index._is_tried_again(row["status"]))
                limits = row.get("limits", "")
                seconds[folder] += float(row["search_seconds"] or 0)
            index._known[index._kind(limits)].update(compress(keys[first:], is_finished))  # those of its newest row
        index.rows = sum(map(len, index._by_folder.values()))
        index.mean_seconds = {folder: seconds[folder] / len(keys) for folder, keys in index._by_folder.items() if keys}
        return index

    def keys_in(self, folder: Path) -> set[int]:
        """Return the keys of the rows that the folder of a cell had when it was read."""
        return set(self._by_folder.get(folder, ()))

    def add(self, key: int, limits: str, status: str) -> None:
        """Note a row."""
        if not self._is_tried_again(status):
            self._known[self._kind(limits)].add(key)

    def has(self, key: int, limits: str) -> bool:
        """Whether there is a row that is not to be made again."""
        return key in self._known[self._kind(limits)]

    def _kind(self, limits: str) -> str:
        return "" if self._retry == "limits" else limits

    def _is_tried_again(self, status: str) -> bool:
        return self._retry != "none" and (status in FAILED or (self._retry == "limits" and status in LIMITS))
