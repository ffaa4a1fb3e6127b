"""Plans as texts that programs write: words with their lines, and what all domains read from them.

A text that is no plan raises a `ValueError` of one line, which names the line and the word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from runner.base import UserError, one_line, suggest

MAX_ACTIONS = 10_000_000
"""Largest number of actions of a plan, which is read and replayed without a limit of time."""
_MAX_NAMES = 20
"""Largest number of names that a message lists."""
_WORD = re.compile(r"[^\s,]+")
_LINE = re.compile(r"\S.*")
_NUMBER_OR_OTHER = re.compile(r"[^\s,;:|()\[\]{}]+")
_NUMBER = re.compile(r"-?[0-9]{1,9}", re.ASCII)
_ARROWS = ("->", "=>")


class PlanWords(NamedTuple):
    """Words of a text.

    Attributes
    ----------
    items : list of str
    place : callable
        Returns where the word with a number, from 0, is in the text, such as "line 1". Only messages need it.
    """

    items: list[str]
    place: Callable[[int], str]

    def fail(self, number: int, problem: str) -> ValueError:
        """Return the error that the word with a number has a problem."""
        return ValueError(f"{self.place(number)}: '{one_line(self.items[number][:60])}' {problem}")

    def check_length(self, number: int, actions: int) -> None:
        """Raise `ValueError` if a plan has more than `MAX_ACTIONS` actions up to the word with a number."""
        if actions > MAX_ACTIONS:
            raise ValueError(f"{self.place(number)}: a plan of more than {MAX_ACTIONS:,} moves")


def unknown_format(domain: str, name: str, formats: Iterable[str]) -> UserError:
    """Return the error that a domain has no format of this name."""
    return UserError(f"plans of {domain} have no format '{name[:40]}'{suggest(name, formats)}")


def words(text: str) -> PlanWords:
    """Return the words of a text, which white space and commas separate."""
    return _matches(text, _WORD)


def lines(text: str) -> PlanWords:
    """Return the lines that are not empty. One blank stands for all white space between two words."""
    found = _matches(text, _LINE)
    return found._replace(items=[" ".join(line.split()) for line in found.items])


def _matches(text: str, pattern: re.Pattern[str]) -> PlanWords:
    return PlanWords(pattern.findall(text), partial(_line_of_match, text, pattern))


def _line_of_match(text: str, pattern: re.Pattern[str], number: int) -> str:
    match = next(islice(pattern.finditer(text), number, None))
    line = text.count("\n", 0, match.start()) + 1
    return f"line {line}"


def names(text: str, format: str, actions: Iterable[str]) -> PlanWords:
    """Return the names of a plan: the texts of a list in JSON, else words, or lines.

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
    are_words = all(_WORD.fullmatch(name) for name in actions)
    return words(text) if are_words else lines(text)


def known(found: PlanWords, actions: Collection[str]) -> tuple[str, ...]:
    """Return words as names of actions.

    Raises
    ------
    ValueError
        If a word is not one of `actions`.
    """
    for number, name in enumerate(found.items):
        if name not in actions:
            likely = suggest(name, actions) if len(actions) <= _MAX_NAMES else ""
            raise found.fail(number, f"is no action{likely}")
    return tuple(found.items)


def numbers(text: str) -> PlanWords:
    """Return the whole numbers of a text. Blanks, commas, semicolons, colons, brackets and arrows separate them.

    Raises
    ------
    ValueError
        If there is anything else.
    """
    for arrow in _ARROWS:
        text = text.replace(arrow, "  ")
    found = _matches(text, _NUMBER_OR_OTHER)
    if not all(map(_NUMBER.fullmatch, found.items)):
        wrong = next(number for number, item in enumerate(found.items) if not _NUMBER.fullmatch(item))
        raise found.fail(wrong, "is no whole number")
    return found


def pairs(text: str) -> tuple[PlanWords, list[tuple[int, int]]]:
    """Return the pairs of whole numbers of a text, and the first word of each.

    Raises
    ------
    ValueError
        If there is anything else than numbers, or a number is left over.
    """
    found = numbers(text)
    if len(found.items) % 2 == 1:
        raise found.fail(len(found.items) - 1, "is a number too many; expected pairs of numbers")
    firsts = found.items[::2]
    seconds = found.items[1::2]
    values = zip(map(int, firsts), map(int, seconds), strict=True)
    return PlanWords(firsts, lambda pair: found.place(2 * pair)), list(values)


def numbered(text: str, action: str) -> PlanWords:
    """Return the names of the actions whose numbers a text has; {} stands for each number in `action`.

    Raises
    ------
    ValueError
        If there is anything else than numbers, or a number is left over.
    """
    if action.count("{}") == 1:
        found = numbers(text)
        return found._replace(items=[action.format(number) for number in found.items])
    found, values = pairs(text)
    return found._replace(items=[action.format(*pair) for pair in values])


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
    except ValueError as error:  # a number of thousands of digits
        raise ValueError(f"line 1: no JSON: {error}") from None
    except RecursionError:
        raise ValueError("line 1: the lists in JSON are nested too deeply") from None
    if not isinstance(value, list):
        raise ValueError(f"line 1: expected a list in JSON, got '{one_line(text.strip()[:60])}'")
    return value


def json_texts(items: Sequence[Any]) -> PlanWords:
    """Return the texts of a list in JSON.

    Raises
    ------
    ValueError
        If an item is no text.
    """
    found = json_items(items)
    wrong = next((number for number, item in enumerate(items) if not isinstance(item, str)), None)
    if wrong is not None:
        raise found.fail(wrong, "is no name of an action")
    return found


def json_items(items: Iterable[Any]) -> PlanWords:
    """Return the items of a list in JSON: texts as they are, others in JSON."""
    texts = [item if isinstance(item, str) else json.dumps(item) for item in items]
    return PlanWords(texts, lambda number: f"item {number + 1}")
