"""Errors of Hydra, OmegaConf and PyYAML as messages of one line: what is wrong, and where."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote

import yaml
from hydra.errors import HydraException, OverrideParseException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, MissingMandatoryValue, OmegaConfBaseException

from runner.base import PARTS, UserError, override_text, reason_of, shown

FOREIGN = (HydraException, OmegaConfBaseException, yaml.YAMLError, RecursionError)
"""Exceptions of these libraries for mistakes that a user can correct."""

_ODD = re.compile(r"[^\w/\\+.$%*@?|\s:,(){}[\]-]", re.ASCII)
"""Character that needs quotes in Hydra's grammar."""
_ITEM = re.compile(r"[^][{}(),:]+")
_PAIRS = {"]": "[", "}": "{", ")": "("}
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
        return _unreadable(error.override or "")
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    return _of_omegaconf(cause) if isinstance(cause, OmegaConfBaseException) else str(cause)


def _of_omegaconf(error: OmegaConfBaseException) -> str:
    key = error.full_key or ""
    if isinstance(error, MissingMandatoryValue):
        return missing_value(key)
    if isinstance(error, (ConfigKeyError, ConfigAttributeError)) and key:
        return f"{key}: unknown key"
    problem = (error.msg or str(error)).strip().partition("\n")[0]  # the other lines repeat the key
    return f"{key}: {problem}" if key else problem


def _unreadable(override: str) -> str:
    """Return the message for an override that Hydra's grammar refuses. Its parser only lists what it expects."""
    key, _, value = override.partition("=")
    shown_override = override[:_MAX_SHOWN]
    if not re.fullmatch(r"~?\+{0,2}[\w./@:$-]+", key, re.ASCII):
        return f"{shown_override}: '{key[:_MAX_SHOWN]}' cannot be the name of a key"
    mistake = "'=' stands twice" if value.startswith("=") else _misplaced(value)
    if mistake:
        return f"{shown_override}: {mistake}"
    odd = _ITEM.sub(_quoted_if_odd, value)
    advice = f"{key}=" + (override_text(value) if odd == value or set(value) & {"'", '"'} else odd)
    advice = quote(advice) if set(advice) & set('"$`\\!') else f'"{advice}"'
    return f"{shown_override}: the value needs quotes; write {advice}: quotes must reach Hydra"


def _misplaced(value: str) -> str:
    """Return which quote, bracket or comma of a value is in the wrong place; empty if none is."""
    around: list[str] = []
    before = ""
    for part in [*filter(None, map(str.strip, PARTS.findall(value))), ""]:
        if part in ("'", '"'):
            return f"the quote {part} is not closed"
        if part in _PAIRS and around[-1:] != [_PAIRS[part]]:
            return f"'{part}' closes no '{_PAIRS[part]}'"
        if not part and around:
            return f"'{around[-1]}' is not closed"
        if before == "," and part in ("", ",", *_PAIRS):
            return {"": "a value ends with a comma", ",": "two commas stand without a value between them"}.get(
                part, f"a comma stands before '{part}'"
            )
        if part == "," and before in ("", *_PAIRS.values()):
            return f"a comma stands after '{before}'" if before else "a value begins with a comma"
        around = around[:-1] if part in _PAIRS else [*around, part] if part in _PAIRS.values() else around
        before = part
    return ""


def _quoted_if_odd(item: re.Match[str]) -> str:
    return f"'{item[0].strip()}'" if _ODD.search(item[0]) else item[0]
