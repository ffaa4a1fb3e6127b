"""Labels of the cells of a sweep: overrides in which they differ, and the keys by which many cells are summed up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from runner.base import section_of_word, shown
from runner.cli.display import FEW_CELLS
from runner.config import is_path, without_heuristic
from runner.records import Totals

_MAX_LINES = 20
"""Largest number of lines that sum cells up."""
_MAX_VALUES = 12
"""Largest number of values of a swept key that are shown."""
_NOT_SHOWN = ("hydra.", "sweep.")


class SweepLabels(NamedTuple):
    """Labels of the cells of a sweep.

    Attributes
    ----------
    common : list of str
        Overrides of all cells.
    swept : list of str
        If cells are summed up, the swept keys with their values, such as ``world.size=4,5,6``; else empty.
    of_cells : list of list of str
        Label of each cell. Cells with the same label are summed up.
    """

    common: list[str]
    swept: list[str]
    of_cells: list[list[str]]


def label_cells(cells: Sequence[Totals], overrides: Mapping[str, Sequence[str]], folder: Path) -> SweepLabels:
    """Return the labels of the cells of the sweep in a folder.

    Parameters
    ----------
    overrides : mapping of str to sequence of str
        Overrides of each cell, by its folder, relative to that of the sweep.
    """
    folders = [cell.directory.relative_to(folder).as_posix() for cell in cells]
    given = ([text for text in overrides.get(name, ()) if not text.startswith(_NOT_SHOWN)] for name in folders)
    texts_of_cells = _with_limits(cells, [list(map(_readable, texts)) for texts in given])
    common: list[str] = []
    if len(cells) > 1:
        common = [text for text in texts_of_cells[0] if all(text in texts for texts in texts_of_cells)]
    differing = [[text for text in texts if text not in common] for texts in texts_of_cells]
    keys = _keys_of_summary(differing)
    if not keys:
        return SweepLabels(common, [], _cell_labels(folders, differing))
    summaries = [[text for text in texts if override_key(text) in keys] for texts in differing]
    return SweepLabels(common, _swept(differing), summaries)


def override_key(override: str) -> str:
    """Return the part of an override before the ``=``."""
    return override.partition("=")[0]


def _readable(override: str) -> str:
    """Return an override with the path of an experiment as short as it can be."""
    key, _, value = override.partition("=")
    return f"{key}={shown(Path(value))}" if key == "+experiment" and is_path(value) else override


def _with_limits(cells: Sequence[Totals], overrides: Sequence[list[str]]) -> list[list[str]]:
    """Return overrides as the cells ran: without heuristics not used, with limits of cells that differ in nothing else.

    Such cells follow from a change of limits in a file.
    """
    used = [
        without_heuristic(texts) if cell.heuristic == "none" else texts
        for cell, texts in zip(cells, overrides, strict=True)
    ]
    counts = Counter(map(tuple, used))
    limits = [[f"limits.{limit}" for limit in cell.limits.split()] for cell in cells]
    return [
        [*texts, *limits_of_cell] if counts[tuple(texts)] > 1 else texts
        for texts, limits_of_cell in zip(used, limits, strict=True)
    ]


def _cell_labels(folders: Sequence[str], overrides: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the folder and the overrides of each cell; the overrides alone if folders are named after them."""
    is_named_after = any("=" in folder for folder in folders)
    if is_named_after and all(overrides) and len({*map(tuple, overrides)}) == len(overrides):
        return [list(texts) for texts in overrides]
    return [[folder, *texts] for folder, texts in zip(folders, overrides, strict=True)]


def _keys_of_summary(overrides: Sequence[Sequence[str]]) -> list[str]:
    """Return the keys by which many cells are summed up: as many of the first ones of the search as fit; else none.

    Cells that differ in the seed of a search are summed up, as those of different worlds are.
    """
    if len(overrides) <= FEW_CELLS:
        return []
    keys = list(dict.fromkeys(override_key(text) for texts in overrides for text in texts))
    keys_of_search = [key for key in keys if section_of_word(key) != "world" and not key.endswith(".seed")]
    candidates = [keys_of_search[:count] for count in range(len(keys_of_search), 0, -1)]
    candidates += [[key] for key in keys]
    for candidate in candidates:
        summaries = {tuple(text for text in texts if override_key(text) in candidate) for texts in overrides}
        if len(overrides) == len(summaries) <= _MAX_LINES:
            return []
        if 1 < len(summaries) <= _MAX_LINES:
            return candidate
    return []


def _swept(overrides: Sequence[Sequence[str]]) -> list[str]:
    """Return each swept key with its first values, such as ``world.size=4,5,6``."""
    values_of_key: dict[str, dict[str, None]] = {}
    for texts in overrides:
        for text in texts:
            key, sign, value = text.partition("=")
            values_of_key.setdefault(f"{key}{sign}", {})[value] = None
    swept = []
    for key, values in values_of_key.items():
        more = f",... ({len(values):,} values)" if len(values) > _MAX_VALUES else ""
        swept.append(key + ",".join(list(values)[:_MAX_VALUES]) + more)
    return swept
