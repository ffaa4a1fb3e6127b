"""Text that a program prints, of which the beginning and the end are kept."""

from __future__ import annotations


class BoundedOutput:
    """Output of a program within a bound.

    Parameters
    ----------
    first, last : int
        Bytes to keep from the beginning and from the end.

    Attributes
    ----------
    size : int
        Bytes that the program has printed.
    """

    def __init__(self, first: int, last: int) -> None:
        self.size = 0
        self._first = first
        self._last = last
        self._beginning = bytearray()
        self._end = bytearray()

    def add(self, text: bytes) -> None:
        """Add what the program has printed."""
        self.size += len(text)
        free = self._first - len(self._beginning)
        if free > 0:
            self._beginning += text[:free]
            text = text[free:]
        self._end += text
        if len(self._end) > 2 * self._last:
            del self._end[: -self._last]

    def __str__(self) -> str:
        """Return the text, with a line in place of what is left out."""
        end = self._end[-self._last :]
        left_out = self.size - len(self._beginning) - len(end)
        beginning = self._beginning.decode(errors="replace")
        if not left_out:
            return (self._beginning + end).decode(errors="replace")
        return f"{beginning}\n[{left_out:,} bytes are left out]\n{end.decode(errors='replace')}"
