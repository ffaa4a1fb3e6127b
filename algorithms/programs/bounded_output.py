"""Output of programs, all of it or its end."""

from __future__ import annotations


class WholeOutput:
    """Output of a program. Whoever adds to it bounds its size.

    Attributes
    ----------
    size : int
        Bytes that the program has printed.
    """

    def __init__(self) -> None:
        self._text = bytearray()

    @property
    def size(self) -> int:
        """Bytes that the program has printed."""
        return len(self._text)

    def add(self, text: bytes) -> None:
        """Add what the program has printed."""
        self._text += text

    def first(self, size: int) -> str:
        """Return the text of the first bytes."""
        return self._text[:size].decode(errors="replace")

    def __str__(self) -> str:
        return self._text.decode(errors="replace")


class EndOfOutput:
    """Output of a program whose end is kept.

    Parameters
    ----------
    kept : int
        Bytes to keep.

    Attributes
    ----------
    size : int
        Bytes that the program has printed.
    """

    def __init__(self, kept: int) -> None:
        self.size = 0
        self._kept = kept
        self._end = bytearray()

    def add(self, text: bytes) -> None:
        """Add what the program has printed."""
        self.size += len(text)
        self._end += text
        if len(self._end) > 2 * self._kept:
            del self._end[: -self._kept]

    def first(self, size: int) -> str:
        """Return the text that is kept."""
        return str(self)

    def __str__(self) -> str:
        """Return the text, with a line in place of what is left out."""
        end = self._end[-self._kept :]
        text = end.decode(errors="replace")
        left_out = self.size - len(end)
        return f"[{left_out:,} bytes are left out]\n{text}" if left_out else text
