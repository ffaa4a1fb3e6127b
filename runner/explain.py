"""Hydra's and OmegaConf's errors in one line: what is wrong, where, what is allowed, and the nearest spelling."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from runner.registry import UserError, one_line, suggest

CONF = Path(__file__).resolve().parent.parent / "conf"
MISTAKES = (UserError, HydraException, OmegaConfBaseException, yaml.YAMLError)
"""What is raised for something that a user can mend."""
_NO_GROUPS = ("__pycache__", "hydra")


def explain(error: BaseException) -> str:
    """One line for an error of ours, Hydra's, OmegaConf's or PyYAML's; of a plug-in, its own lines."""
    return str(error) if isinstance(error, UserError) else one_line(_explained(error))


def _explained(error: BaseException) -> str:
    if isinstance(error, yaml.YAMLError):
        from worlds.bounded_yaml import reason_of  # not before `load_built_in`

        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        file = Path(getattr(mark or error, "name", "YAML"))
        return f"{file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file}: {reason_of(error)}"
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        return _missing_choice(error)
    if isinstance(error, OverrideParseException):
        reason = str(error.message).removeprefix(f"Error parsing override '{error.override}'")
        odd = next((c for c in str(error.override).partition("=")[2] if not c.isascii()), None)
        hint = "" if odd is None else f"; a value with '{odd}' needs quotes that reach Hydra, \"KEY='VALUE'\""
        return f"{str(error.override)[:300]}: cannot be read as KEY=VALUE ({_first_line(reason)[:300]}){hint}"
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    override = re.match(r"Could not override '([^']+)'", str(error))
    if override:
        return _unknown_key(getattr(cause, "full_key", None) or override[1], getattr(cause, "parent_node", None))
    if str(error).startswith("Config group override must be"):
        return f"a choice must be a name, as in algorithm=astar ({_first_line(str(error))})"
    key = getattr(cause, "full_key", None) or ""
    if isinstance(cause, MissingMandatoryValue):
        return f"{key}: missing; set it as {key}=..."
    if str(error).startswith("Ambiguous value for argument"):
        return f"{_first_line(str(error))[len('Ambiguous value for argument ') :]}: several values make a sweep; add -m"
    return f"{key}: {_first_line(str(cause))}" if key else _first_line(str(error))


def _missing_choice(error: MissingConfigException) -> str:
    asked = str(error.missing_cfg_file)
    groups = [group for group in _groups() if asked.startswith(f"{group}/")]
    group, name = (groups[0], asked[len(groups[0]) + 1 :]) if groups else asked.rpartition("/")[::2]
    choices = _choices(group) if groups else []
    folders = {choice.rpartition("/")[0] for choice in choices} - {*choices}
    beside = name.rpartition("/")[0]
    known = {f"{beside}/{option}" if beside else option for option in error.options or []}
    options = sorted((known | {*choices}) - folders)
    return f"{group or 'config'}: there is no '{name}'{suggest(name, options)}"


def _unknown_key(key: str, parent: Any) -> str:
    section, _, name = key.rpartition(".")
    if key in {folder.relative_to(CONF).as_posix() for folder in CONF.rglob("*/")}:
        return f"{key}: choose it with a plus sign, +{key}=NAME{suggest('', _choices(key))}"
    if not section:
        own = map(str, parent) if isinstance(parent, DictConfig) else ()
        return f"{key}: unknown key{suggest(name, sorted({*_groups(), *own}))}"
    allowed = [str(k) for k in parent if k != "name"] if isinstance(parent, DictConfig) else []
    if not allowed and section in _groups():
        return f"{key}: what is chosen as {section} has no parameters; choose from: {', '.join(_choices(section))}"
    return f"{key}: unknown key{suggest(name, allowed)}"


def _groups() -> list[str]:
    return sorted(folder.name for folder in CONF.iterdir() if folder.is_dir() and folder.name not in _NO_GROUPS)


def _choices(group: str) -> list[str]:
    """Names in a configuration group, those in subfolders as folder/name."""
    folder = CONF / group
    return sorted(file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.yaml"))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "unknown error")
