"""Experiment files that are given by their paths."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hydra.core.override_parser.types import Glob, Override
from omegaconf import DictConfig, OmegaConf

from runner.base import KINDS, UserError, file_error, reason, shown, suggest
from runner.config.grammar import versions
from runner.config.grammar.explain import FOREIGN, explained

EXPERIMENT = "experiment"
_EXTENSIONS = (".yaml", ".yml")


def is_path(value: object) -> bool:
    """Whether a choice of an experiment, or a word of the command line, is the path of a file."""
    return isinstance(value, str) and value.endswith(_EXTENSIONS)


def given_by_path(overrides: Sequence[Override]) -> list[Path]:
    """Return the files that overrides such as ``+experiment=PATH.yaml`` name."""
    chosen = (each for each in overrides if each.key_or_group == EXPERIMENT and not each.is_delete())
    return [Path(str(value)) for each in chosen for value in values_of(each) if is_path(value)]


def values_of(override: Override) -> list[Any]:
    """Return the values of an override: several for a sweep or a list, and none for a pattern."""
    if override.is_sweep_override():
        is_listed = override.is_choice_sweep() and not isinstance(override.value(), Glob)
        return list(override.sweep_iterator()) if is_listed else []
    value = override.value()
    return value if isinstance(value, list) and value else [value]


def offer(path: Path, content: Mapping[str, Any]) -> str:
    """Offer the content of a file to Hydra as a choice of experiments, and return the name of the choice."""
    file = Path(os.path.abspath(path))  # noqa: PTH100 - Hydra 1.4 takes no ".."
    folder, name = file.parent.as_posix().strip("/"), file.name
    if not name.endswith(".yaml"):  # Hydra 1.4 takes no other ending
        name = f"{name}.yaml"
    versions.offer(f"{EXPERIMENT}/{folder}", name, content, "_global_", "file")
    return f"{folder}/{name}"


def read(path: Path) -> dict[str, Any]:
    """Return the content of an experiment file, with interpolations.

    A text for a group, such as ``algorithm: greedy``, becomes a choice of the defaults list.

    Raises
    ------
    UserError
        If the file cannot be read, or holds no mapping.
    """
    path = Path(shown(path))
    try:
        content = OmegaConf.load(path)
    except FOREIGN as error:
        raise explained(error) from None
    except FileNotFoundError:
        beside = sorted(each.name for each in path.parent.glob("*") if is_path(each.name))
        raise UserError(f"{path}: there is no such file{suggest(path.name, beside)}") from None
    except OSError as error:
        raise UserError(reason(error, path)) from None
    except ValueError as error:  # the encoding
        raise file_error(path, str(error)) from None
    if not isinstance(content, DictConfig):
        raise file_error(path, "expected a mapping of keys to values, such as algorithm: ...")
    return _with_choices(path, OmegaConf.to_container(content, resolve=False))


def _with_choices(path: Path, content: Any) -> dict[str, Any]:
    given = {key: content.get(key) for key in (*KINDS, "limits")}
    given = {key: value for key, value in given.items() if isinstance(value, list) or _is_name(value)}
    defaults = content.get("defaults") or []
    if not isinstance(defaults, list):
        raise file_error(path, f"defaults: expected a list, got {defaults!r}")
    for key, value in given.items():
        if isinstance(value, list):
            raise file_error(
                path, f"{key}: expected one name, got a list; for a sweep, sweep: {{product: {{{key}: [...]}}}}"
            )
        if any(isinstance(each, dict) and f"override /{key}" in each for each in defaults):
            raise file_error(path, f"{key}: is chosen twice, here and in defaults; keep one")
    rest = {key: value for key, value in content.items() if key not in given}
    chosen = [*defaults, *({f"override /{key}": name} for key, name in given.items())]
    return {**rest, "defaults": [_listed(each) for each in chosen]} if chosen else content


def _listed(entry: object) -> object:
    """Return an entry of a defaults list, with a list of one name for a name with a slash.

    Hydra 1.4 takes ``world: wumpus/static`` for the choice ``static`` of a group ``world/wumpus``.
    """
    if not isinstance(entry, dict):
        return entry
    return {key: [value] if _is_name(value) and "/" in value else value for key, value in entry.items()}


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value not in ("", "???") and "${" not in value
