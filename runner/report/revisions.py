"""Revisions: results of the same searches by different versions of the code, which have other labels or folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from runner.report.grouping import group_codes
from runner.report.reading import FOLDER

NO_LABEL = "no label"
OLDER_ID = r"[0-9a-f]{12}"
"""Form of a `run_id` of older versions, which cannot be compared with the present one."""


def folder_names(folders: Sequence[Path]) -> list[str]:
    """Return short names of folders: as many of the last parts of their paths as make the names unique."""
    paths = [folder.resolve() for folder in folders]
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
