"""Zero-filled memory that grows in place, so that growth does not need the nodes twice."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SMALL = 1 << 20
"""Below this many bytes, an ordinary array is faster than mapped pages, and copying it costs little."""
HUGE_PAGES = range(1 << 22, 1 << 27)
"""Sizes in bytes for which huge pages save more time than they cost."""


class Memory:
    """Block of bytes, viewed as arrays.

    Large blocks are private anonymous mappings. A page takes up memory only after it is written to, and the operating
    system enlarges a mapping by moving page table entries. Where it cannot, the contents are copied.

    Blocks of medium size ask for huge pages: searches of up to a million nodes were up to 7 % faster with them. Larger
    blocks refuse them, because they take longer to grow: searches of 23 million nodes were 12 to 17 % slower.

    Parameters
    ----------
    nbytes : int
        Size of the block.
    """

    def __init__(self, nbytes: int) -> None:
        self._block: mmap.mmap | NDArray[np.uint8] = _allocate(nbytes)

    @property
    def nbytes(self) -> int:
        """Size of the block."""
        return len(self._block)

    def view(self, dtype: Any) -> NDArray[Any]:
        """Return the whole block as an array. All views must be gone before `resize` is called."""
        return np.frombuffer(self._block, dtype)

    def resize(self, nbytes: int) -> None:
        """Enlarge the block; new bytes are zero."""
        if isinstance(self._block, mmap.mmap):
            try:
                self._block.resize(nbytes)
                _advise(self._block)
                return
            except (OSError, SystemError, ValueError):  # the system cannot resize mappings
                pass
        old = self.view(np.uint8)
        self._block = _allocate(nbytes)
        self.view(np.uint8)[: old.size] = old


class GrowingArrays:
    """Arrays that grow in place, together.

    Parameters
    ----------
    length : int
        Length at first.
    *columns : tuple of (type, int)
        Type of each array, and how many elements it has for each 1 of the length.

    Attributes
    ----------
    views : tuple of ndarray
        The arrays. Do not keep them: growth needs all views gone.
    """

    def __init__(self, length: int, *columns: tuple[Any, int]) -> None:
        self.length, self._columns = length, columns
        self._blocks = [Memory(size) for size in self._sizes()]
        self._view()

    def double(self) -> None:
        """Double the length; new elements are 0."""
        self.resize(2 * self.length)

    def resize(self, length: int) -> None:
        """Enlarge the arrays; new elements are 0."""
        self.length = length
        del self.views
        for block, size in zip(self._blocks, self._sizes(), strict=True):
            block.resize(size)
        self._view()

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(self._sizes())

    def _sizes(self) -> list[int]:
        return [self.length * count * np.dtype(dtype).itemsize for dtype, count in self._columns]

    def _view(self) -> None:
        self.views = tuple(block.view(dtype) for block, (dtype, _) in zip(self._blocks, self._columns, strict=True))


def _allocate(nbytes: int) -> mmap.mmap | NDArray[np.uint8]:
    if nbytes < _SMALL:
        return np.zeros(nbytes, np.uint8)
    if not hasattr(mmap, "MAP_PRIVATE"):
        return mmap.mmap(-1, nbytes)
    mapping = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _advise(mapping)
    return mapping


def _advise(mapping: mmap.mmap) -> None:
    """Ask for huge pages, or refuse them, according to the size."""
    if hasattr(mmap, "MADV_HUGEPAGE") and len(mapping) >= HUGE_PAGES.start:
        with suppress(OSError):
            mapping.madvise(mmap.MADV_HUGEPAGE if len(mapping) in HUGE_PAGES else mmap.MADV_NOHUGEPAGE)
