"""Overrides as texts, such as ``algorithm.weight=1.5,2``: write one, take it apart, and refuse other words."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import Any

from runner.base.errors import UserError, suggest

_SIMILAR = 0.65
"""Similarity from which on a word may stand for a command. Words such as `solve` or `plot` stand for none."""
_SPECIAL = ("null", "true", "false", "nan", "inf")
_IN_KEYS = re.compile(r"[\\()\[\]{}:=, \t]")
"""Characters with a backslash before them in the key of a mapping in Hydra's grammar."""
_CALL = re.compile(r"([A-Za-z_]\w*)\(.*\)", re.DOTALL)
_HYDRA_FUNCTIONS = (
    "bool", "choice", "extend_list", "float", "glob", "int", "interval", "json_str", "range", "shuffle", "sort", "str",
    "tag",
)  # fmt: skip

PARTS = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\$\{(?:[^{}]|\{[^{}]*\})*\}|[][{}(),]|(?:\\.|[^][{}(),'"\\])+|.""",
    re.DOTALL,
)
"""Parts of a value in Hydra's grammar: texts in quotes, interpolations, brackets and commas, and what is between."""
_SCALAR = re.compile(
    r"\A(\s*)([+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d[\d_]*)?|[+-]?inf|nan|true|false)(\s*)\Z", re.IGNORECASE
)
"""Text that may be a number or a boolean in Hydra's grammar. Quotes round another text do not change it."""
_LISTS = ("[", "{", "(choice", "(shuffle", "(str")


def section_of_word(key: str) -> str:
    """Return the section of a key or an override, such as ``world`` for ``+world.size=4`` or ``world=snake/random``."""
    return re.split("[./=]", key.lstrip("+~"), maxsplit=1)[0]


def override_text(value: Any) -> str:
    """Return a value as text for an override.

    Examples
    --------
    >>> override_text(["manhattan", {"name": "obstacle", "as_published": True}])
    '[manhattan,{name:obstacle,as_published:true}]'
    >>> override_text(None), override_text("a, b")
    ('null', "'a, b'")
    """
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_key_text(key)}:{override_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(override_text, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return str(value)
    plain = value.replace("_", "").replace("/", "").replace(".", "a")
    if plain.isalnum() and plain.isascii() and not value.lstrip(".")[:1].isdigit() and value.lower() not in _SPECIAL:
        return value
    # in Hydra's grammar a backslash is special only before a quote
    return "'" + re.sub(r"(\\*)('|$)", lambda end: end[1] * 2 + (end[2] and "\\'"), value) + "'"


def _key_text(key: Any) -> str:
    """Return the key of a mapping as text for an override. In Hydra's grammar it cannot stand in quotes."""
    return _IN_KEYS.sub(r"\\\g<0>", key) if isinstance(key, str) else override_text(key)


def with_quoted_calls(word: str) -> str:
    """Return an override in which values such as ``astar(lmcut())`` are in quotes.

    In Hydra's grammar they would be functions, which it does not have.

    Examples
    --------
    >>> with_quoted_calls("algorithm.search=astar(blind()),astar(hmax(),bound=9)")
    'algorithm.search="astar(blind())","astar(hmax(),bound=9)"'
    """
    key, sign, value = word.partition("=")
    if "(" not in value or "'" in value or '"' in value:
        return word
    return key + sign + ",".join(map(_with_quotes_if_call, _items(value)))


def with_quoted_scalars(word: str) -> str:
    """Return an override in which numbers and booleans are in quotes, so that Hydra's grammar reads them as texts.

    Examples
    --------
    >>> with_quoted_scalars("algorithm.command=[./show,010,True,{a: 1.10},'a b']")
    "algorithm.command=[./show,'010','True',{a: '1.10'},'a b']"
    """
    key, sign, value = word.partition("=")
    around: list[str] = []
    parts: list[str] = []
    for part in PARTS.findall(value):
        if part in "[{(":
            call = re.sub(r".*\W", "", "".join(parts[-1:]), flags=re.DOTALL) if part == "(" else ""
            around.append(part + call)
        elif part in "]})":
            around = around[:-1]
        elif not part.startswith(("'", '"', "${")) and (not around or around[-1] in _LISTS):
            before, colon, scalar = part.partition(":") if around[-1:] == ["{"] else ("", "", part)
            part = before + colon + _SCALAR.sub(r"\1'\2'\3", scalar)
        parts.append(part)
    return key + sign + "".join(parts)


def scalar_text(value: Any) -> str:
    """Return the text of a value: true and false as in YAML, and numbers without a superfluous zero."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _with_quotes_if_call(item: str) -> str:
    call = _CALL.fullmatch(item)
    return item if call is None or call[1] in _HYDRA_FUNCTIONS else f'"{item}"'


def _items(value: str) -> list[str]:
    """Return the parts of a value between the commas that are in no brackets."""
    items = [""]
    depth = 0
    for letter in value:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    return items


def refuse_words(words: Sequence[str], commands: Callable[[], Sequence[str]] | None = None) -> None:
    """Raise `UserError` for a word that is not an override. Suggest quotes, or the nearest command.

    Parameters
    ----------
    commands : callable, optional
        Returns the names of commands, where one is allowed.
    """
    for index, word in enumerate(words):
        if word.startswith("'"):
            raise UserError(f"{word}: single quotes reached the program, as in cmd.exe; use double quotes")
        if not _is_override(word):
            problem = "expected KEY=VALUE or a command" if commands else "expected KEY=VALUE"
            known = commands() if commands else []
            near = difflib.get_close_matches(word, known, cutoff=_SIMILAR)
            raise UserError(f"{word}: {problem}{_joined(words, index) or suggest(word if near else '', known)}")


def _is_override(word: str) -> bool:
    return "=" in word[1:] or word.startswith("~")


def _joined(words: Sequence[str], index: int) -> str:
    """Return a hint if the word at an index belongs to its neighbours: blanks have divided an override."""
    before, word, *after = words[index - 1] if index else "", *words[index:]
    rest = list(itertools.takewhile(lambda each: not _is_override(each), after))
    if rest and rest[0].startswith("="):
        return f"; no blanks round =: {word}{rest[0]}{''.join(rest[1:2]) if rest[0] == '=' else ''}"
    if before.endswith("="):
        return f"; no blanks round =: {before}{word}"
    whole = " ".join([before, word, *rest])
    return f"; put quotes round a value with blanks: {quote(whole)}" if "=" in before else ""
