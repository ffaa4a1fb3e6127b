"""Results of the same searches by different versions of the code.

Revisions have other labels or folders. Within a folder, the code of plug-ins may differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from runner.reports.grouping import Codes, group_codes
from runner.reports.origin import plugin_files
from runner.reports.reading import FOLDER

NO_LABEL = "no label"
OLDER_ID = r"[0-9a-f]{12}"
"""Form of a `run_id` of older versions, which cannot be compared with the present one."""


def folder_names(folders: Sequence[Path]) -> list[str]:
    """Return short names of folders: as many of the last parts of their paths as make the names unique."""
    return _tails([folder.resolve() for folder in folders])


def _tails(paths: Sequence[PurePath]) -> list[str]:
    length = 1
    while len({path.parts[-length:] for path in paths}) < len(set(paths)):
        length += 1
    return ["/".join(path.parts[-length:]).encode(errors="replace").decode() for path in paths]


def name_revisions(table: pd.DataFrame, configurations: pd.Series) -> pd.Series:
    """Return the revision of each row, as categories in the order of their first rows; "" if there is only one.

    The revision is the label, if labels differ. The given folder is added if several folders have the same search of
    the same instance with the same label.
    """
    labels = table["label"].cat.add_categories("").fillna("")
    folders = table[FOLDER]
    parts = []
    if labels.nunique() > 1:
        parts.append(labels.cat.rename_categories({"": NO_LABEL}) if NO_LABEL not in labels.cat.categories else labels)
    if folders.nunique() > 1 and _overlap(table, configurations):
        parts.append(folders)
    if not parts:
        return pd.Series("", index=table.index, dtype="category")
    named = {str(number): part for number, part in enumerate(parts)}
    codes = group_codes(pd.DataFrame(named), list(named))
    firsts = np.unique(codes, return_index=True)[1]
    names = [" ".join(str(part.iloc[first]) for part in parts) for first in firsts]
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(names)), index=table.index)


def _overlap(table: pd.DataFrame, configurations: pd.Series) -> bool:
    """Return whether several folders have the same search of the same instance with the same label."""
    is_older = table["run_id"].cat.categories.astype(str).str.fullmatch(OLDER_ID)
    identity = ["run_id"]
    if is_older.any() and not is_older.all():  # run_ids of both forms, which cannot be compared
        identity = ["world", "instance", "configuration"]
    searches = group_codes(table.assign(configuration=configurations), ["label", *identity])
    places = pd.DataFrame({"search": searches, "folder": table[FOLDER].cat.codes.to_numpy()}).drop_duplicates()
    return bool(places["search"].duplicated().any())


def plugin_codes(table: pd.DataFrame) -> Codes:
    """Return the number of the code of each row's plug-ins, which follows a ``+`` in the column `code`."""
    code = table["code"].cat
    plugins = pd.factorize(np.array([*(text.partition("+")[2] for text in code.categories), ""], object))[0]
    return plugins[code.codes.to_numpy()].astype(np.int64)


def differs(values: Codes, searches: Codes) -> NDArray[np.bool_]:
    """Return, for each row, whether the rows of its search have several values."""
    return (pd.Series(values).groupby(searches).transform("nunique") > 1).to_numpy()


def name_plugins(
    table: pd.DataFrame, searches: Codes, configurations: pd.Series, folders: Sequence[Path], notes: list[str]
) -> pd.Series:
    """Return the plug-ins of each row, as categories; "" for configurations without several codes for a search.

    Parameters
    ----------
    searches : array of int
        Number of the search of each row.
    configurations : Series of categories
    folders : sequence of Path
        Folders of the rows, where the files of plug-ins are recorded.
    notes : list of str
        Receives a note if there are such configurations.
    """
    several = configurations[differs(plugin_codes(table), searches)].unique()
    if not len(several):
        return pd.Series("", index=table.index, dtype="category")
    notes.append(
        f"{', '.join(several)}: plug-ins with different code made the same searches (column `code`), so they are "
        "different configurations"
    )
    is_named = configurations.isin(several).to_numpy()
    code = table["code"].cat.add_categories("").fillna("").cat.remove_unused_categories()
    names = _names_of_codes(list(code[is_named].unique()), plugin_files(folders))
    texts = code.astype(str).map(names).where(is_named, "")
    return texts.astype(pd.CategoricalDtype(list(dict.fromkeys(texts))))


def _names_of_codes(codes: Sequence[str], files: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name codes by the plug-ins in which they differ, or by the fingerprints of these."""
    sets = [set(files.get(code, ())) for code in codes]
    common = sets[0].intersection(*sets)
    own = {code: sorted(found - common) for code, found in zip(codes, sets, strict=True)}
    paths = sorted({file for found in own.values() for file in found})
    short = dict(zip(paths, _tails([PurePath(path) for path in paths]), strict=True))
    names = {code: "+".join(short[file] for file in found) for code, found in own.items()}
    fingerprints = {code: code.partition("+")[2] or "no plug-in" for code in codes}
    counts = Counter(name for name, _ in {(names[code], fingerprints[code]) for code in codes})
    return {
        code: name if name and counts[name] == 1 else f"{name} {fingerprints[code]}".strip()
        for code, name in names.items()
    }
