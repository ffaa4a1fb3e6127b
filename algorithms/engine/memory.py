"""Zero-filled memory that grows in place, so that a search that grows never holds its nodes twice."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SMALL = 1 << 20
"""Below this many bytes an ordinary array is quicker than mapped pages; copying it is nothing."""
_LARGE = 1 << 22
"""From this many bytes on huge pages are worth what they waste."""


class Memory:
    """A block of bytes that is looked at as arrays.

    Large blocks are private anonymous mappings: pages take up memory only once they are written to, and the operating
    system enlarges a mapping by renaming its pages. Where it cannot, the contents are copied.

    Parameters
    ----------
    nbytes : int
    """

    def __init__(self, nbytes: int) -> None:
        self._block: mmap.mmap | NDArray[np.uint8] = _allocate(nbytes)

    def view(self, dtype: Any) -> NDArray[Any]:
        """The whole block as an array. All views must be gone before `resize` is called."""
        return np.frombuffer(self._block, dtype)

    def resize(self, nbytes: int) -> None:
        """Enlarge the block; new bytes are zero."""
        if isinstance(self._block, mmap.mmap):
            try:
                self._block.resize(nbytes)
                _advise(self._block)
                return
            except (OSError, SystemError, ValueError):  # no such call on this system
                pass
        old = self.view(np.uint8)
        self._block = _allocate(nbytes)
        self.view(np.uint8)[: old.size] = old


def _allocate(nbytes: int) -> mmap.mmap | NDArray[np.uint8]:
    return np.zeros(nbytes, np.uint8) if nbytes < _SMALL else _mapped(nbytes)


def _mapped(nbytes: int) -> mmap.mmap:
    if hasattr(mmap, "MAP_PRIVATE"):
        mapping = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        _advise(mapping)
        return mapping
    return mmap.mmap(-1, nbytes)


def _advise(mapping: mmap.mmap) -> None:
    """Ask for huge pages: a search touches its nodes in no order, and most of its time goes into looking up pages."""
    if len(mapping) >= _LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        try:
            mapping.madvise(mmap.MADV_HUGEPAGE)
        except OSError:
            return
