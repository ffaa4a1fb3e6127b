"""Operations for kernels that numba does not offer, and what they are in Python.

`worlds.compile.intrinsics` has what numba compiles in their place.
"""

from __future__ import annotations


def call(signature, address, *arguments):
    """Call the kernel with a signature at an address, `Kernel.address`. Only inside kernels.

    The signature is a constant, such as `EXPAND`. Nothing checks that it is that of the kernel at the address: another
    one ends the process.
    """
    raise NotImplementedError("only inside kernels")


def call_python(address, argument):
    """Call the Python function at an address (its `id`) with an integer. Only inside kernels.

    The function must `keep` its exceptions. An exception that escapes (Ctrl-C may come before the function can catch
    it) gives `CALLBACK_FAILED`, too. A call through Python's own interface takes a third of the time of ctypes.
    """
    raise NotImplementedError("only inside kernels")


def count_ones(word):
    """Return the number of set bits of a uint64."""
    return int(word).bit_count()


def trailing_zeros(word):
    """Return the number of zeros below the lowest set bit of a uint64; 64 for 0."""
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


def is_before(high, low, other_high, other_low):
    """Return whether a pair of int64 is smaller than another, compared without branches. `low` is not negative."""
    return (high, low) < (other_high, other_low)


def select(condition, one, other):
    """Return `one` if a condition holds, else `other`, without a branch. Both are computed, and have the same type."""
    return one if condition else other


def prefetch(array, index):
    """Load an element of an array into the processor's cache ahead of its use. Do nothing outside kernels."""


def prefetch_at(address, index):
    """Load the byte at an address plus an index into the processor's cache, as `prefetch`. Only inside kernels."""
    raise NotImplementedError("only inside kernels")


def byte_at(address, index):
    """Return the byte at an address plus an index. Only inside kernels; the caller must keep the memory alive."""
    raise NotImplementedError("only inside kernels")


def int32_at(address, index):
    """Return an element of an array of int32 at an address. Only inside kernels, as `byte_at`."""
    raise NotImplementedError("only inside kernels")
