"""Nested lists of words, in which PDDL is written, with the line of each list."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from runner.base import UserError, line_error

MAX_DEPTH = 400
"""Largest depth of nested lists."""
_DASH = r"-(?=[^\s()\d.])"  # no name begins with it: (market -place) is (market - place)
_TOKEN = re.compile(rf"[()]|\?[^\s()?]*|{_DASH}|[^\s()?]+")  # (on?a ?b) is (on ?a ?b)
_COMMENT_OR_DASH = re.compile(rf";[^\r\n]*|(?<![^\s()]){_DASH}")

Node: TypeAlias = "str | Expression"
Typed = tuple[str, tuple[str, ...]]
"""A name and its types: one, or those of ``either``."""


@dataclass(frozen=True, eq=False)
class Expression:
    """List of words and lists.

    Attributes
    ----------
    items : tuple of str or Expression
        Content. Words are in lower case, because PDDL does not distinguish cases.
    path : Path
        File, for messages.
    line : int
        Number of the line of the opening bracket, from 1.
    """

    items: tuple[Node, ...]
    path: Path
    line: int

    @property
    def head(self) -> str:
        """First item if it is a word; else empty."""
        return self.items[0] if self.items and isinstance(self.items[0], str) else ""

    def fail(self, message: str) -> UserError:
        """Return an error that names the file and the line."""
        return line_error(self.path, self.line, message)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Names of all variables in the list and the lists in it, each once."""
        found = [
            item.variables if isinstance(item, Expression) else (item,) * item.startswith("?") for item in self.items
        ]
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    def words(self, start: int = 0) -> tuple[str, ...]:
        """Return the items from a position on, which must be words."""
        found = tuple(item for item in self.items[start:] if isinstance(item, str))
        if len(found) < len(self.items) - start:
            raise self.fail(f"expected words in ({self.head} ...), got a list")
        return found

    def lists(self, start: int = 0) -> tuple[Expression, ...]:
        """Return the items from a position on, which must be lists."""
        found = tuple(item for item in self.items[start:] if isinstance(item, Expression))
        if len(found) < len(self.items) - start:
            raise self.fail(f"expected lists in ({self.head} ...), got a word")
        return found


def parse(path: Path, text: str) -> Expression:
    """Return the list that a text holds.

    Raises
    ------
    UserError
        If the text is not exactly one list, or lists are nested too deeply. The message names the line.
    """
    open_lists: list[tuple[list[Node], int]] = []
    whole: Expression | None = None
    number = 0
    words: dict[str, str] = {}  # a word that occurs often is kept once
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        content = line.partition(";")[0]
        if not content.isascii():
            odd = next(character for character in content if not character.isascii())
            raise line_error(path, number, f"{odd!r} is not ASCII; other characters are allowed in comments only")
        for token in _TOKEN.findall(content.lower()):
            if whole is not None:
                raise line_error(path, number, f"'{token[:40]}' after the end of the definition: a bracket too many?")
            if token == "(":
                if len(open_lists) == MAX_DEPTH:
                    raise line_error(path, number, f"lists are nested more than {MAX_DEPTH} deep")
                open_lists.append(([], number))
            elif not open_lists:
                raise line_error(path, number, f"expected '(define ...)', got '{token[:40]}'")
            elif token == ")":
                items, begin = open_lists.pop()
                whole_or_part = Expression(tuple(items), path, begin)
                if open_lists:
                    open_lists[-1][0].append(whole_or_part)
                else:
                    whole = whole_or_part
            else:
                open_lists[-1][0].append(words.setdefault(token, token))
    if whole is None:
        if open_lists:
            raise line_error(path, number, f"the bracket opened in line {open_lists[-1][1]} is never closed")
        raise line_error(path, max(1, number), "the file is empty; expected '(define ...)'")
    return whole


def with_blanks(text: str) -> str:
    """Return a text of PDDL with a blank after each dash before a type, which other readers need."""
    return _COMMENT_OR_DASH.sub(lambda match: "- " if match[0] == "-" else match[0], text)


def typed(where: Expression, items: Sequence[object], *, allows_either: bool = False) -> tuple[Typed, ...]:
    """Read a list such as ``a b - block c - (either x y) d``. The type of names without one is ``object``.

    As in the translator, only predicates may have arguments of several types.
    """
    found: list[Typed] = []
    waiting: list[str] = []
    rest = iter(items)
    for item in rest:
        if item == "-":
            kind = next(rest, None)
            if isinstance(kind, Expression) and kind.head == "either":
                if not allows_either:
                    raise kind.fail("either is not supported here; declare a type above these types")
                types = kind.words(1)
            elif isinstance(kind, str):
                types = (kind,)
            else:
                raise where.fail("expected a type after '-'")
            found += [(name, types) for name in waiting]
            waiting = []
        elif isinstance(item, str):
            waiting.append(item)
        else:
            raise where.fail("expected names and types, got a list")
    return (*found, *((name, ("object",)) for name in waiting))
