"""Errors of Hydra, OmegaConf and PyYAML as messages of one line: what is wrong, and where."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from hydra.errors import HydraException, OverrideParseException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue, OmegaConfBaseException

from runner.base.bounded_yaml import reason_of
from runner.base.errors import UserError
from runner.base.messages import shown

FOREIGN = (HydraException, OmegaConfBaseException, yaml.YAMLError, RecursionError)
"""Exceptions of these libraries for mistakes that a user can correct."""

_ODD_WORD = re.compile(r"[^\[\]{},:]*[^\x00-\x7f\[\]{},:][^\[\]{},:]*")
"""Item of a value that has a character other than ASCII."""
_MAX_SHOWN = 300
"""Maximum number of characters of an override, and of what is wrong with it."""


def explained(error: BaseException) -> UserError:
    """Return a `UserError` for an error of Hydra, OmegaConf or PyYAML."""
    return UserError(_text(error))


def missing_value(key: str) -> str:
    """Return the message that a value must be given."""
    return f"{key}: missing; set it as {key}=..."


def _text(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return "the configuration is nested too deeply, or refers to itself"
    if isinstance(error, yaml.YAMLError):
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        return f"{shown(Path(getattr(mark or error, 'name', 'YAML')))}: {reason_of(error)}"
    if isinstance(error, OverrideParseException):
        return _unreadable(error)
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    return _of_omegaconf(cause) if isinstance(cause, OmegaConfBaseException) else str(cause)


def _of_omegaconf(error: OmegaConfBaseException) -> str:
    key = error.full_key or ""
    if isinstance(error, MissingMandatoryValue):
        return missing_value(key)
    if isinstance(error, (ConfigKeyError, ConfigAttributeError)) and key:
        return f"{key}: unknown key"
    problem = _first_line(error.msg or str(error))  # the other lines repeat the key
    return f"{key}: {problem}" if key else problem


def _unreadable(error: OverrideParseException) -> str:
    """Return the message for an override that Hydra's grammar refuses; only the text of the error has the reason."""
    message = re.sub(r"^Error when parsing index: 0, [^\n]*\n", "", error.message)  # Hydra 1.4 begins with it
    why = _first_line(message.removeprefix(f"Error parsing override '{error.override}'"))[:_MAX_SHOWN]
    key, sign, value = error.override.partition("=")
    is_odd = not value.isascii() and value.isprintable() and not set(value) & {"'", '"'}
    hint = f'; write "{key}{sign}{_ODD_WORD.sub(_quoted, value)}": quotes must reach Hydra' if is_odd else ""
    return f"{error.override[:_MAX_SHOWN]}: cannot be read as KEY=VALUE ({why}){hint}"


def _quoted(word: re.Match[str]) -> str:
    return f"'{word[0].strip()}'"


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["unknown error"])[0]
