"""Errors of Hydra, OmegaConf and PyYAML as one line: what is wrong, where, what is allowed, the nearest spelling."""

from __future__ import annotations

from pathlib import Path

import yaml
from hydra.errors import HydraException, OverrideParseException
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from runner.messages import shown
from runner.registry import UserError, one_line
from worlds.bounded_yaml import reason_of

FOREIGN = (HydraException, OmegaConfBaseException, yaml.YAMLError, RecursionError)
"""Exceptions of these libraries for mistakes that a user can correct."""


def explained(error: BaseException) -> UserError:
    """Return a `UserError` for an error of Hydra, OmegaConf or PyYAML."""
    return UserError(_text(error))


def _text(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "the configuration is nested too deeply, or refers to itself"
    if isinstance(error, yaml.YAMLError):
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        return f"{shown(Path(getattr(mark or error, 'name', 'YAML')))}: {reason_of(error)}"
    if isinstance(error, OverrideParseException):
        return _unreadable(str(error.override), str(error.message))
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    key = getattr(cause, "full_key", None) or ""
    if isinstance(cause, MissingMandatoryValue):
        return missing_value(str(key))
    line = first_line(str(cause))
    return f"{key}: {line}" if key else line


def missing_value(key: str) -> str:
    """Say that a value must be given."""
    return f"{key}: missing; set it as {key}=..."


def _unreadable(override: str, problem: str) -> str:
    why = first_line(problem.removeprefix(f"Error parsing override '{override}'"))[:300]
    odd = next((c for c in override.partition("=")[2] if not c.isascii()), None)
    hint = "" if odd is None else f"; a value with '{odd}' needs quotes that reach Hydra, \"KEY='VALUE'\""
    return f"{override[:300]}: cannot be read as KEY=VALUE ({why}){hint}"


def first_line(text: str) -> str:
    """Return the first line that is not blank, and the one that it announces with a colon."""
    lines = [one_line(line) for line in text.splitlines() if line.strip()] or ["unknown error"]
    goes_on = lines[0].endswith(":") or (len(lines) > 1 and lines[1].startswith("To append"))
    return " ".join(lines[:2]) if goes_on else lines[0]
