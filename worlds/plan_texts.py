"""Plans as texts that programs write: words with their lines, and what all domains read from them.

A text that is no plan raises a `ValueError` of one line, which names the line and the word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from runner.base.errors import UserError, suggest

MAX_ACTIONS = 10_000_000
"""Largest number of actions of a plan: a short text may stand for many."""
_MAX_NAMES = 20
"""Largest number of names that a message lists."""
_BETWEEN = re.compile(r"[\s,]+")
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_BETWEEN_NUMBERS = re.compile(r"(?:->|=>|[\s,;:|()\[\]{}])+")


class Word(NamedTuple):
    """Part of a text, and where it is, such as "line 1"."""

    place: str
    text: str

    def fail(self, problem: str) -> ValueError:
        """Return the error that this word has a problem."""
        return ValueError(f"{self.place}: '{self.text[:60]}' {problem}")


def unknown_format(domain: str, name: str, formats: Iterable[str]) -> UserError:
    """Return the error that a domain has no format of this name."""
    return UserError(f"plans of {domain} have no format '{name[:40]}'{suggest(name, formats)}")


def words(text: str, between: re.Pattern[str] = _BETWEEN) -> Iterator[Word]:
    """Yield the words of a text. White space and commas separate them, or another pattern."""
    for number, line in enumerate(text.splitlines(), 1):
        place = f"line {number}"
        yield from (Word(place, word) for word in between.split(line) if word)


def lines(text: str) -> Iterator[Word]:
    """Yield the lines that are not empty. One blank stands for all white space between two words."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield Word(f"line {number}", " ".join(line.split()))


def names(text: str, format: str, actions: Iterable[str]) -> Iterator[Word]:
    """Yield the names of a plan: the texts of a list in JSON, else words, or lines.

    Parameters
    ----------
    text : str
    format : {"names", "json"}
    actions : iterable of str
        Names of actions. If one has blanks or commas, each line is a name.

    Raises
    ------
    ValueError
        If the text is not a list of texts in JSON.
    """
    if format == "json":
        return json_texts(json_list(text))
    return lines(text) if any(_BETWEEN.search(name) for name in actions) else words(text)


def known(found: Iterable[Word], actions: Collection[str]) -> tuple[str, ...]:
    """Return words as names of actions.

    Raises
    ------
    ValueError
        If a word is not one of `actions`.
    """
    plan = []
    for word in found:
        if word.text not in actions:
            likely = suggest(word.text, actions) if len(actions) <= _MAX_NAMES else ""
            raise word.fail(f"is no action{likely}")
        plan.append(word.text)
    return tuple(plan)


def numbers(text: str) -> Iterator[Word]:
    """Yield the whole numbers of a text. Blanks, commas, semicolons, colons, brackets and arrows separate them.

    Raises
    ------
    ValueError
        If there is anything else.
    """
    for word in words(text, _BETWEEN_NUMBERS):
        if not _NUMBER.fullmatch(word.text):
            raise word.fail("is no whole number")
        yield word


def pairs(text: str) -> Iterator[tuple[Word, tuple[int, int]]]:
    """Yield the pairs of whole numbers of a text, each with its first word.

    Raises
    ------
    ValueError
        If there is anything else than numbers, or a number is left over.
    """
    found = numbers(text)
    for first in found:
        second = next(found, None)
        if second is None:
            raise first.fail("is a number too many; expected pairs of numbers")
        yield first, (int(first.text), int(second.text))


def json_list(text: str) -> list[Any]:
    """Return a list in JSON.

    Raises
    ------
    ValueError
        If the text is not one list in JSON.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise ValueError("line 1: the lists in JSON are nested too deeply") from None
    if not isinstance(value, list):
        raise ValueError(f"line 1: expected a list in JSON, got '{text.strip()[:60]}'")
    return value


def json_texts(items: Iterable[Any]) -> Iterator[Word]:
    """Yield the texts of a list in JSON.

    Raises
    ------
    ValueError
        If an item is no text.
    """
    for number, item in enumerate(items, 1):
        word = Word(f"item {number}", item if isinstance(item, str) else json.dumps(item))
        if not isinstance(item, str):
            raise word.fail("is no name of an action")
        yield word
