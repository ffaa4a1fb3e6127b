"""Hydra's and OmegaConf's errors in one line: what is wrong, where, what is allowed, and the nearest spelling."""

from __future__ import annotations

import re
from pathlib import Path

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf.errors import ConfigKeyError, InterpolationResolutionError, MissingMandatoryValue, OmegaConfBaseException

from runner.registry import suggest

CONF = Path(__file__).resolve().parent.parent / "conf"
FOREIGN = (HydraException, OmegaConfBaseException)


def explain(error: BaseException) -> str:
    """One line for an error of Hydra's or OmegaConf's."""
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        return _missing_choice(error)
    if isinstance(error, OverrideParseException):
        return f"{error.override}: cannot be read as KEY=VALUE ({_first_line(error.message)})"
    override = re.match(r"Could not override '([^']+)'", str(error))
    if override:
        return _unknown_key(override[1])
    group = re.search(r"[Nn]o match in the defaults list|Could not find '([^']+)'", str(error))
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(cause, MissingMandatoryValue):
        key = cause.full_key or ""
        return f"{key}: missing; set it as {key}=..."
    if isinstance(cause, (ConfigKeyError, InterpolationResolutionError)) and cause.full_key:
        return f"{cause.full_key}: {_first_line(str(cause))}"
    return _first_line(str(cause if group is None else error))


def _missing_choice(error: MissingConfigException) -> str:
    group, _, name = str(error.missing_cfg_file).partition("/")
    if error.options is None or not name:
        return _first_line(str(error))
    if (CONF / group).is_dir():
        options = choices(group)
    else:
        group, _, name = str(error.missing_cfg_file).rpartition("/")
        options = list(error.options)
    return f"{group}: there is no '{name}'{suggest(name, options)}"


def _unknown_key(key: str) -> str:
    section, _, name = key.rpartition(".")
    top = [folder.name for folder in sorted(CONF.iterdir()) if folder.is_dir() and not folder.name.startswith("_")]
    if not section:
        return f"{key}: unknown key{suggest(name, [*top, 'plugins', 'progress'])}"
    return f"{key}: the chosen {section} has no key '{name}'; see --cfg job for those it has, or add it with +{key}=..."


def choices(group: str) -> list[str]:
    """Names in a configuration group, those in subfolders as folder/name."""
    folder = CONF / group
    return sorted(file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.yaml"))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "unknown error")
