"""Handlers of signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True)
class Harmless:
    """Handler of signals that raises nothing, so that it may run while foreign code calls back into Python.

    Attributes
    ----------
    handle : callable
        Function that does the work.
    """

    handle: Callable[[int, FrameType | None], object]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        self.handle(number, frame)
