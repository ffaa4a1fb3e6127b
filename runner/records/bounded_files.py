"""Read JSON and YAML files as data: their size is bounded, and nothing in them is executed.

A `UserError` names the file and what is wrong with it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from runner.base import UserError, bounded_yaml, file_error, read_bytes, read_text

T = TypeVar("T")

CORRUPT = (ValueError, LookupError, TypeError, ArithmeticError, RecursionError)
"""Exceptions that reading a corrupt file may raise."""


class RecordBound:
    """Bounds of the files that are read.

    Attributes
    ----------
    RECORD : int
        Maximum number of bytes of a list of cells or tasks: there may be 100,000 of about a KiB.
    TABLE : int
        Maximum number of bytes of a table that is read as a whole: about five million rows.
    FIELD : int
        Maximum number of characters of a field of a table, as Python's module csv bounds it.
    PLAN : int
        Maximum number of bytes of a plan: about three million actions.
    SHOWN : int
        Maximum number of bytes of a text that is shown.
    VALUES : int
        Maximum number of values of a record in YAML: a sweep may list many.
    """

    RECORD, TABLE, FIELD, PLAN, SHOWN = 256 * 2**20, 2 * 2**30, 2**17, 16 * 2**20, 2**20
    VALUES = 1_000_000


def read_json(file: Path, cls: type[T], max_bytes: int = RecordBound.SHOWN) -> T:
    """Return the contents of a JSON file, checked against a type."""
    try:
        return msgspec.json.decode(read_bytes(file, max_bytes), type=cls)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{file}: is corrupt ({error})") from None


def read_yaml(file: Path, what: str, max_values: int = RecordBound.VALUES) -> dict[str, Any]:
    """Return the contents of a YAML file that holds a mapping.

    Parameters
    ----------
    what : str
        Description of the file, for messages.
    max_values : int
        Maximum number of values, including those of aliases.
    """
    content = load_yaml(file, what, max_values)
    if not isinstance(content, dict):
        raise UserError(f"{file}: not {what} (expected a mapping)")
    return content


def load_yaml(file: Path, what: str, max_values: int = RecordBound.VALUES) -> Any:
    """Return the contents of a YAML file, as `read_yaml`, of any type."""
    try:
        return bounded_yaml.load(read_text(file), max_values)
    except yaml.YAMLError as error:
        raise UserError(f"{file}: not {what} ({bounded_yaml.reason_of(error)})") from None


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Raise `UserError` for what a corrupt table raises in this context."""
    try:
        yield
    except KeyError as error:
        raise _corrupt(file, f"no column {error}") from None
    except csv.Error as error:
        raise _corrupt(file, str(error)) from None
    except CORRUPT as error:
        raise _corrupt(file, f"{type(error).__name__}: {error}") from None


def _corrupt(file: Path, problem: str) -> UserError:
    return file_error(file, f"is corrupt ({problem}). Repair it, or move it elsewhere.")
