"""Names of configurations: each is called by the choices in which it differs from the others in the same report.

Revisions of the code and plug-ins are added to a name where a configuration has several. Users may rename all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

import numpy as np
import pandas as pd

from runner.base import UserError, assignments, scalar_text, suggest
from runner.features.reports.columns import FOLDER, Codes, categorical, differs, distinct, group_codes, telling
from runner.features.reports.origin import plugin_files

CHOICES = ("algorithm", "heuristic", "weighting", "parameters", "ties")
"""Columns in which configurations may differ. `heuristic` stands for the whole stack."""
NO_LABEL = "no label"
_WHOLE = re.compile(r"(?<=\d)\.0(?=\s|$)")
"""End of a whole number in a parameter: `weight=2` is the one spelling of a weight."""


@dataclass(frozen=True)
class Configurations:
    """Names of the configurations of rows.

    Attributes
    ----------
    labels : Series of categories
        Name of the configuration of each row.
    meanings : dict of str
        Full description of each name.
    constants : dict of str
        Columns that have the same value in all rows, with this value.
    """

    labels: pd.Series
    meanings: dict[str, str]
    constants: dict[str, str]


def swept_limits(table: pd.DataFrame) -> list[str]:
    """Return the columns of the limits that were swept."""
    return [name for name in map(str, table) if name.startswith(("limits.", "choice.limits"))]


def name_configurations(table: pd.DataFrame, by_limits: bool) -> Configurations:
    """Name the configuration of each row. If `by_limits`, rows under other limits are other configurations."""
    columns = [*CHOICES, "limits"] if by_limits else [*CHOICES]
    identity = ["stack", *(name for name in columns if name != "heuristic")]
    searches, search_of_row = distinct(table, ["stack", *columns])
    searches["stack"] = searches["stack"].where(searches["stack"] != "", searches["heuristic"])
    configurations = _with_documented_names(searches, identity)
    choices = configurations[["stack", *columns]].assign(heuristic=_heuristic_names(configurations))
    order = pd.MultiIndex.from_frame(configurations[identity])
    configuration_of_row = order.get_indexer(pd.MultiIndex.from_frame(searches[identity]))[search_of_row]
    choices = _with_swept_defaults(choices, table, configuration_of_row)
    stacks = choices.pop("stack")
    meanings: dict[str, str] = {}
    for label, meaning in zip(_labels(choices), _meanings(choices, stacks), strict=True):
        meanings[meaning if label in meanings else label] = meaning
    labels = pd.Series(categorical(configuration_of_row, list(meanings)), index=table.index)
    return Configurations(labels, meanings, _constants(table, choices, stacks))


def _with_documented_names(searches: pd.DataFrame, identity: Sequence[str]) -> pd.DataFrame:
    """Return one row for each configuration, with the documented name of its stack if a search has this name."""
    is_plain = searches["heuristic"] == searches["stack"]
    documented_first = searches.loc[is_plain.sort_values(kind="stable").index]
    return documented_first.drop_duplicates(identity).sort_index()


def _with_swept_defaults(choices: pd.DataFrame, table: pd.DataFrame, configuration_of_row: Codes) -> pd.DataFrame:
    """Return choices in which a swept parameter has its value also where it is the default, which rows leave out."""
    choices = choices.copy()
    for column in map(str, table):
        section, _, key = column.partition(".")
        if section not in ("algorithm", "heuristic") or not key or column == "algorithm.ties":
            continue
        pairs = pd.DataFrame({"number": configuration_of_row, "value": table[column]}).dropna().drop_duplicates()
        of_one = pairs.drop_duplicates("number", keep=False).to_numpy().tolist()  # others do not depend on it
        values = {number: scalar_text(value) for number, value in of_one}
        texts = [values.get(number, "") for number in range(len(choices))]
        if section == "algorithm":
            rows = zip(choices["parameters"], choices["weighting"], texts, strict=True)
            choices["parameters"] = [_with_value(*row, key) for row in rows]
            continue
        pattern = rf"(\w+)\((?:[^()]*,)?{re.escape(key)}="
        for owner in {name for text in choices["stack"] for name in re.findall(pattern, text)}:
            for name in ("stack", section):
                choices[name] = [_with_parameter(*each, key, owner) for each in zip(choices[name], texts, strict=True)]
    return choices


def _with_value(parameters: str, weighting: str, value: str, key: str) -> str:
    """Return the parameters of an algorithm with the value of a key, unless they or the weighting have it."""
    has_it = f" {key.partition('.')[0]}=" in f" {parameters}" or (key == "weight" and weighting)
    return parameters if has_it or not value else f"{parameters} {key}={value}".strip()


def _with_parameter(stack: str, value: str, key: str, owner: str) -> str:
    """Return a stack in which a heuristic has a value of a key, unless it has one."""

    def added(found: re.Match[str]) -> str:
        others = found[1].split(",") if found[1] else []
        has_it = not value or any(each.startswith(f"{key}=") for each in others)
        return found[0] if has_it else f"{owner}({','.join([*others, f'{key}={value}'])})"

    return re.sub(rf"(?<!\w){owner}(?!\w)(?:\(([^()]*)\))?", added, stack)


def _heuristic_names(configurations: pd.DataFrame) -> pd.Series:
    """Return the name of the heuristic of each configuration; the whole stack if several stacks have this name."""
    names = configurations["heuristic"]
    stacks_of_name = configurations.drop_duplicates(["heuristic", "stack"])["heuristic"].value_counts()
    return names.where(names.map(stacks_of_name) == 1, configurations["stack"])


def _labels(choices: pd.DataFrame) -> list[str]:
    """Return the label of each configuration: the shortened values of the columns in which they differ."""
    varying = telling(choices, map(str, choices))
    short_texts: dict[str, dict[str, str]] = {}
    if "heuristic" in varying:
        short_texts["heuristic"] = _last_heuristics(choices["heuristic"])
    if "weighting" in varying:
        short_texts["weighting"] = _differences(choices["weighting"])
    if "parameters" in varying:
        short_texts["parameters"] = {text: _WHOLE.sub("", text) for text in choices["parameters"]}
    labels = []
    for row in choices.to_dict("records"):
        values = {name: row[name] for name in varying if row[name] not in ("", "none")}
        shortened = [short_texts.get(name, {}).get(value, value) for name, value in values.items()]
        labels.append(" ".join(shortened) or row["heuristic" if "heuristic" in varying else "algorithm"])
    return labels


def _meanings(choices: pd.DataFrame, stacks: pd.Series) -> list[str]:
    """Return the full description of each configuration, with the stack if its name does not say it."""
    unnamed_stacks = stacks.where(stacks != choices["heuristic"], "")
    rows = choices.assign(stack=unnamed_stacks).to_dict("records")
    return [assignments({str(name): value for name, value in row.items() if value}, " ") for row in rows]


def _constants(table: pd.DataFrame, choices: pd.DataFrame, stacks: pd.Series) -> dict[str, str]:
    """Return the columns that have the same value in all rows, with this value; not those that are empty."""
    constants = {str(name): choices[name].iloc[0] for name in choices if choices[name].nunique() == 1}
    if stacks.nunique() == 1 and stacks.iloc[0] != constants.get("heuristic"):
        constants["stack"] = stacks.iloc[0]
    for name in ("world", "label"):
        texts = _texts(table[name]).unique()
        if len(texts) == 1:
            constants[name] = texts[0]
    return {name: text for name, text in constants.items() if text}


def _texts(column: pd.Series) -> pd.Series:
    """Return a column of categories with "" for missing values."""
    return column.cat.add_categories("").fillna("")


def _last_heuristics(stacks: Iterable[str]) -> dict[str, str]:
    """Return the last heuristic of each stack, as in the names of documented stacks; empty if these are not unique."""
    stacks = list(dict.fromkeys(stacks))
    last = {stack: stack if stack.startswith("max(") else stack.rsplit("+", 1)[-1] for stack in stacks}
    plain = {stack: name if name.startswith("max(") else name.split("(")[0] for stack, name in last.items()}
    if len(set(plain.values())) == len(stacks):
        return {stack: name if name == stack else plain[stack] for stack, name in last.items()}
    return last if len(set(last.values())) == len(stacks) else {}


def _differences(texts: Iterable[str]) -> dict[str, str]:
    """Return texts such as ``name(a=1,b=2)`` without the parameters that are the same for all texts with this name."""
    matches = [match for text in dict.fromkeys(texts) if (match := re.fullmatch(r"(\w+)\((.*)\)", text))]
    short_texts = {}
    for match in matches:
        if match[1] == "constant":
            short_texts[match[0]] = f"weight={match[2]}"
            continue
        name = match[1]
        parameters = match[2].split(",")
        namesakes = [other[2].split(",") for other in matches if other[1] == name]
        if len(namesakes) > 1:
            parameters = [text for text in parameters if not all(text in others for others in namesakes)]
        short_texts[match[0]] = f"{name}({','.join(parameters)})"
    return short_texts


def with_revisions(
    configurations: Configurations, revisions: pd.Series, key: str = "revision"
) -> tuple[Configurations, dict[str, dict[str, str]]]:
    """Add the revision to the names of configurations with several revisions.

    Parameters
    ----------
    key : str
        What the revisions are, for the descriptions of the names.

    Returns
    -------
    configurations : Configurations
        Configurations in their order, with the revisions of each side by side.
    variants : dict
        For each configuration with several revisions: the names of its revisions, with the new name of each.
    """
    names = list(configurations.labels.cat.categories)
    texts = list(revisions.cat.categories)
    name_codes = configurations.labels.cat.codes.to_numpy().astype(int)
    pairs, pair_of_row = np.unique(name_codes * len(texts) + revisions.cat.codes.to_numpy(), return_inverse=True)
    present = [(names[pair // len(texts)], texts[pair % len(texts)]) for pair in pairs]
    revision_counts = Counter(name for name, _ in present)
    meanings: dict[str, str] = {}
    variants: dict[str, dict[str, str]] = {}
    for name, revision in present:
        if revision_counts[name] == 1:
            meanings[name] = configurations.meanings[name]
            continue
        label = _unused(f"{name} [{revision}]", {*meanings, *names})
        meanings[label] = f"{configurations.meanings[name]} {key}={revision}"
        variants.setdefault(name, {})[revision] = label
    labels = pd.Series(categorical(pair_of_row, list(meanings)), index=configurations.labels.index)
    return Configurations(labels, meanings, configurations.constants), variants


def _unused(name: str, taken: set[str]) -> str:
    """Return a name, with a number if it is taken."""
    number = 1
    unused = name
    while unused in taken:
        number += 1
        unused = f"{name} ({number})"
    return unused


def renames(texts: Sequence[str], names: Sequence[str], variants: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return new names of configurations.

    Parameters
    ----------
    texts : sequence of str
        Texts ``NAME=NEW``. NAME is a configuration, or one with revisions: then all of them have the new name. Or it is
        a part of names, such as an algorithm or a heuristic: then it is replaced in all of them, or removed if there is
        no NEW.
    names : sequence of str
        Names of all configurations.
    variants : mapping of str to mapping of str
        Revisions, as `with_revisions` returns them.
    """
    new_names = {name: name for name in (*names, *variants)}
    for text in texts:
        old, new = _split_rename(text, new_names)
        if old in new_names:
            new_names[old] = new
            new_names |= {label: f"{new} [{revision}]" for revision, label in variants.get(old, {}).items()}
        else:
            replaced = new.replace("\\", r"\\")
            new_names = {name: _tidy(_part(old).sub(replaced, current)) for name, current in new_names.items()}
    for name, new in new_names.items():
        if not new.strip():
            raise UserError(f"--rename: nothing is left of the name of the configuration '{name}'")
    for name, count in Counter(new_names[name] for name in names).items():
        if count > 1:
            raise UserError(f"--rename: {count} configurations would have the name '{name}'")
    return new_names


def _split_rename(text: str, new_names: Mapping[str, str]) -> tuple[str, str]:
    """Split ``NAME=NEW`` at the first ``=`` before which there is a configuration, else a part of names."""
    splits = [(text[:index], text[index + 1 :]) for index, character in enumerate(text) if character == "="]
    of_configurations = [(old, new) for old, new in splits if old in new_names]
    known = of_configurations or [(old, new) for old, new in splits if _is_part(old, new_names.values())]
    if not splits:
        raise UserError(f"--rename: '{text}': expected NAME=NEW, as in 'astar octile=A*'")
    old, new = known[0] if known else splits[-1]
    if not known:
        parts = dict.fromkeys(part for name in new_names for part in (name, *name.split()))
        raise UserError(f"--rename: there is no configuration '{old}'{suggest(old, parts)}")
    return old, new


def _tidy(name: str) -> str:
    """Return a name without the blanks and plus signs round a part that was removed."""
    return " ".join(re.sub(r"\+(?=[+\s)]|$)|(?<![^\s(])\+", "", name).split())


def _part(text: str) -> re.Pattern[str]:
    """Return a pattern for a text that is a part of a name: one or more words, or a name in a stack."""
    return re.compile(rf"(?<![^\s+(]){re.escape(text)}(?![^\s+()])")


def _is_part(text: str, names: Iterable[str]) -> bool:
    return bool(text.strip()) and any(_part(text).search(name) for name in names)


def folder_names(folders: Sequence[Path]) -> list[str]:
    """Return short names of folders: as many of the last parts of their paths as make the names unique."""
    return _path_ends([folder.resolve() for folder in folders])


def _path_ends(paths: Sequence[PurePath]) -> list[str]:
    length = 1
    while len({path.parts[-length:] for path in paths}) < len(set(paths)):
        length += 1
    return ["/".join(path.parts[-length:]).encode(errors="replace").decode() for path in paths]


def name_revisions(table: pd.DataFrame) -> pd.Series:
    """Return the revision of each row, as categories in the order of their first rows; "" if there is only one.

    The revision is the label, if labels differ. The given folder is added if several folders have the same search of
    the same instance with the same label.
    """
    parts: list[pd.Series] = []
    labels = _texts(table["label"])
    if labels.nunique() > 1:
        can_be_named = NO_LABEL not in labels.cat.categories
        parts.append(labels.cat.rename_categories({"": NO_LABEL}) if can_be_named else labels)
    folders = table[FOLDER]
    if folders.nunique() > 1:
        searches = group_codes(table, ["label", "run_id"])
        pairs = pd.DataFrame({"search": searches, "folder": folders.cat.codes.to_numpy()}).drop_duplicates()
        if pairs["search"].duplicated().any():
            parts.append(folders)
    if not parts:
        return pd.Series("", index=table.index, dtype="category")
    revisions, codes = distinct(pd.concat(parts, axis=1), [str(part.name) for part in parts])
    names = [" ".join(texts) for texts in revisions.to_numpy().tolist()]
    return pd.Series(categorical(codes, names), index=table.index)


def plugin_codes(table: pd.DataFrame) -> Codes:
    """Return the number of the code of each row's plug-ins."""
    column = table["code"].cat
    fingerprints = [_plugin_fingerprint(text) for text in column.categories]
    numbers = pd.factorize(np.array([*fingerprints, ""], object))[0]  # the last one is that of missing values
    return numbers[column.codes.to_numpy()].astype(np.int64)


def _plugin_fingerprint(code: str) -> str:
    """Return the part of the column `code` for plug-ins, which follows a ``+``."""
    return code.partition("+")[2]


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
    codes = _texts(table["code"]).cat.remove_unused_categories()
    names = _names_of_codes(list(codes[is_named].unique()), plugin_files(folders))
    texts = codes.astype(str).map(names).where(is_named, "")
    return texts.astype(pd.CategoricalDtype(list(dict.fromkeys(texts))))


def _names_of_codes(codes: Sequence[str], files: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Name codes by the plug-ins in which they differ, or by the fingerprints of these."""
    plugins = {code: set(files.get(code, ())) for code in codes}
    common = set.intersection(*plugins.values())
    differing = {code: sorted(paths - common) for code, paths in plugins.items()}
    all_paths = sorted(set().union(*differing.values()))
    short_paths = dict(zip(all_paths, _path_ends([PurePath(path) for path in all_paths]), strict=True))
    names = {code: "+".join(short_paths[path] for path in paths) for code, paths in differing.items()}
    fingerprints = {code: _plugin_fingerprint(code) or "no plug-in" for code in codes}
    counts = Counter(name for name, _ in {(names[code], fingerprints[code]) for code in codes})
    is_clear = {code: bool(name) and counts[name] == 1 for code, name in names.items()}
    return {code: name if is_clear[code] else f"{name} {fingerprints[code]}".strip() for code, name in names.items()}
