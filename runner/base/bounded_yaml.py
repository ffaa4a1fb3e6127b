"""YAML with bounds: a few lines with aliases can stand for billions of values, and deep nesting exhausts the stack."""

from __future__ import annotations

from typing import Any

import yaml

MAX_DEPTH = 50
MAX_VALUES = 20_000
MAX_DIGITS = 100
"""Python cannot print numbers of more than 4,300 digits, but reads them in hexadecimal notation."""
INTEGER = "tag:yaml.org,2002:int"


class BoundedLoader(yaml.SafeLoader):
    """A safe loader that bounds the depth and the number of values of a document.

    An alias counts as all values that it stands for. All errors are `yaml.YAMLError`s; PyYAML itself raises other
    exceptions for some tags.

    Attributes
    ----------
    max_depth, max_values : int
        Bounds of a document.
    """

    max_depth = MAX_DEPTH
    max_values = MAX_VALUES

    def __init__(self, stream: Any) -> None:
        super().__init__(stream)
        self._depth = self._count = 0
        self._sizes: dict[int, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a value.

        Raises
        ------
        yaml.YAMLError
            If the document exceeds a bound.
        """
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self._depth >= self.max_depth:
            raise _error(f"values are nested more than {self.max_depth} deep", mark)
        is_alias, before = self.check_event(yaml.AliasEvent), self._count
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        if is_alias and id(node) not in self._sizes:
            raise _error("an alias refers to a value that contains it", mark)
        if isinstance(node, yaml.ScalarNode) and node.tag == INTEGER and len(node.value) > MAX_DIGITS:
            raise _error(f"a number of more than {MAX_DIGITS} digits", mark)
        self._count += self._sizes[id(node)] if is_alias else 1
        self._sizes.setdefault(id(node), self._count - before)
        if self._count > self.max_values:
            raise _error(f"more than {self.max_values:,} values, aliases included", mark)
        return node

    def get_single_data(self) -> Any:
        """Return the only document."""
        try:
            return super().get_single_data()
        except yaml.YAMLError:
            raise
        except Exception as error:
            raise _error(f"{type(error).__name__}: {error}", self.get_mark()) from error


def load(text: str, max_values: int = MAX_VALUES) -> Any:
    """Return the only document of a text.

    Parameters
    ----------
    text : str
    max_values : int
        Maximum number of values. An alias counts as all values that it stands for.

    Raises
    ------
    yaml.YAMLError
        If the text is not valid, or exceeds a bound.
    """
    loader = BoundedLoader(text)
    loader.max_values = max_values
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def reason_of(error: yaml.YAMLError) -> str:
    """Return the problem and its line."""
    mark = getattr(error, "problem_mark", None)
    return f"{getattr(error, 'problem', None) or error}{f' at line {mark.line + 1}' if mark else ''}"


def _error(problem: str, mark: Any) -> yaml.YAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
