"""Hyper-parameters of the configurations, as their cells have recorded them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from runner.base import UserError, assignments, bounded_yaml, one_line, read_text
from runner.features.reports.cell_configurations import MAX_READ, CellConfigurations, recorded_files
from runner.features.reports.runs import Runs
from runner.features.reports.tables import NamedCells, Table, listed, texts
from runner.records import CORRUPT, RecordFile

SECTIONS = ("algorithm", "heuristic", "weighting", "limits", "world")
"""Sections of a configuration that have hyper-parameters, in the order of the tables."""
MAX_PARAMETERS = 200
_MAX_TEXT = 200

Parameters = Mapping[str, Mapping[str, str]]
"""Text of each parameter's value, for each configuration that is recorded."""


def recorded_parameters(runs: Runs, folders: Sequence[Path], notes: list[str]) -> Parameters:
    """Return the hyper-parameters of each configuration. If its cells have several values, all of them are listed.

    A configuration that cannot be read becomes a note.
    """
    cells = recorded_files(folders, RecordFile.CONFIGURATION)
    if not cells:
        return {}
    if len(cells) > MAX_READ:
        notes.append(f"the hyper-parameters are those of the first {MAX_READ:,} of {len(cells):,} cells")
    found: dict[str, dict[str, dict[str, None]]] = {}
    configurations = CellConfigurations(runs)
    for folder, file in cells[:MAX_READ]:
        try:
            for name in configurations.of(folder, file.parent.parent):
                for parameter, text in _parameters_in(file):
                    found.setdefault(name, {}).setdefault(parameter, {})[text] = None
        except (UserError, OSError, yaml.YAMLError, *CORRUPT) as error:
            notes.append(f"{file}: cannot read the hyper-parameters ({one_line(str(error))}); left out")
    shown = {name: found[name] for name in runs.configurations if name in found}
    return {name: {key: _shortened(", ".join(each)) for key, each in values.items()} for name, values in shown.items()}


def _parameters_in(file: Path) -> Iterator[tuple[str, str]]:
    """Yield the parameters of a recorded configuration and the texts of their values."""
    for block in re.split(r"^(?=\w)", read_text(file), flags=re.MULTILINE):
        if block.partition(":")[0] in SECTIONS:
            yield from _parameters_of(block)


@lru_cache(maxsize=MAX_READ)
def _parameters_of(block: str) -> list[tuple[str, str]]:
    """Return the parameters of a section, which many cells have in common."""
    section, loaded = block.partition(":")[0], bounded_yaml.load(block)
    content = loaded.get(section) if isinstance(loaded, dict) else None
    renamed = {"name": section, "stack": section}
    given = content.items() if isinstance(content, dict) else ()
    return [(renamed.get(str(key), f"{section}.{key}"), _text(value)) for key, value in given]


def _text(value: Any) -> str:
    """Return the text of a value: heuristics with parameters as calls."""
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]" if value else "none"
    if isinstance(value, dict):
        others = assignments({str(key): _text(each) for key, each in value.items() if key != "name"}, ", ")
        return f"{value['name']}({others})" if others and "name" in value else str(value.get("name", others))
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} ..."


def parameter_tables(runs: Runs, found: Parameters) -> list[Table]:
    """Return two tables: the parameters that differ, by configuration, and those that are the same in all."""
    keys = dict.fromkeys(key for each in found.values() for key in each)
    shown = sorted(keys, key=lambda key: SECTIONS.index(key.partition(".")[0]))[:MAX_PARAMETERS]
    values = {key: [each.get(key, "") for each in found.values()] for key in shown}
    fixed = {key: each[0] for key, each in values.items() if len(set(each)) == 1}
    columns: list[NamedCells] = [("configuration", texts(found))]
    columns += [(key, texts(each)) for key, each in values.items() if key not in fixed]
    made = [Table.of("parameters", "Hyper-parameters that differ", columns)] if len(columns) > 1 else []
    if fixed:
        columns = [("parameter", texts(fixed)), ("value", texts(fixed.values()))]
        missing = [name for name in runs.configurations if name not in found]
        notes = [f"Of {listed(missing)}, no configuration was found."] if missing else []
        made.append(Table.of("parameters_fixed", "Hyper-parameters of all configurations", columns, notes))
    return made
