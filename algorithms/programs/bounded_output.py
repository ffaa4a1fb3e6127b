"""Output of programs, all of it or its end."""

from __future__ import annotations


class PrintedOutput:
    """Output of a program: all of it, whose size is bounded by whoever adds to it, or its end.

    Parameters
    ----------
    kept : int or None
        Bytes of the end to keep; None for all.

    Attributes
    ----------
    size : int
        Bytes that the program has printed.
    text, lines : bytearray, int
        Text that is kept since `clear`, and the number of its lines that have ended.
    """

    def __init__(self, kept: int | None = None) -> None:
        self.size = self.lines = 0
        self.text = bytearray()
        self._kept = kept

    def add(self, text: bytes) -> None:
        """Add what the program has printed."""
        self.size += len(text)
        self.lines += text.count(b"\n")
        self.text += text
        if self._kept is not None and len(self.text) > 2 * self._kept:
            del self.text[: -self._kept]

    def clear(self) -> None:
        """Forget the text, which is read."""
        self.text.clear()
        self.lines = 0

    def first(self, size: int) -> str:
        """Return the text of the first bytes."""
        return self.text[:size].decode(errors="replace")

    def __str__(self) -> str:
        """Return the text; of an end, with a line in place of what is left out."""
        if self._kept is None:
            return self.text.decode(errors="replace")
        end = self.text[-self._kept :]
        text, left_out = end.decode(errors="replace"), self.size - len(end)
        return f"[{left_out:,} bytes are left out]\n{text}" if left_out else text
