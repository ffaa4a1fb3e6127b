"""Operations of kernels that numba does not offer, against those of Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from worlds.compile.errors import CompileError
from worlds.compile.kernels import ADDRESS, ADDRESSES, Kernel, kernel
from worlds.compile.operations import call, is_before, select

LIMITS = -(1 << 63), -1, 0, 1, (1 << 63) - 1


@kernel("int64(int64, int64, int64, int64)")
def compare(high: int, low: int, other_high: int, other_low: int) -> Any:
    """Return 1 if the first pair is smaller, else 0."""
    return select(is_before(high, low, other_high, other_low), np.int64(1), np.int64(0))


def test_pairs_are_compared_as_in_python() -> None:
    source = random.Random(1)

    def pair() -> tuple[int, int]:
        return source.choice((*LIMITS, source.randint(*LIMITS[::4]))), abs(source.choice(LIMITS[1:]))

    for _ in range(2_000):
        one, other = pair(), pair()
        assert compare.compiled(*one, *other) == (one < other)
        assert is_before(*one, *other) == (one < other)
    assert select(True, 1, 2) == 1
    assert select(False, 1, 2) == 2


QUOTIENT = "int64(int64[::1], int64, int64)"


@kernel(QUOTIENT)
def quotient(numbers: Any, at: int, divisor: int) -> Any:
    """Divide an element."""
    return numbers[at] // divisor


@kernel(f"int64({ADDRESSES}, int64[::1], int64)")
def sum_of_quotients(addresses: Any, numbers: Any, divisor: int) -> Any:
    """Add the quotients of all elements by all kernels."""
    total = 0
    for i in range(addresses.size):
        for at in range(numbers.size):
            total += call(QUOTIENT, addresses[i], numbers, at, divisor)
    return total


def test_kernels_call_kernels_by_their_addresses_and_pass_exceptions_on() -> None:
    addresses, numbers = np.array([quotient.address(QUOTIENT)] * 2), np.arange(20)
    assert sum_of_quotients.compiled(addresses, numbers, 3) == 2 * sum(numbers // 3)
    assert sum_of_quotients.compiled(addresses[:0], numbers, 0) == 0
    with pytest.raises(ZeroDivisionError):
        sum_of_quotients.compiled(addresses, numbers, 0)


def test_a_kernel_of_another_signature_has_no_address() -> None:
    with pytest.raises(TypeError, match=r"kernel quotient: expected the signature int64\(int64\), got int64\(int64\["):
        quotient.address("int64(int64)")


def too_few(address: int, numbers: Any) -> Any:
    return call(QUOTIENT, address, numbers)


def of_another_type(address: int, numbers: Any) -> Any:
    return call(QUOTIENT, address, numbers, 0, 1)


@pytest.mark.parametrize(("function", "numbers"), [(too_few, "int64[::1]"), (of_another_type, "int32[::1]")])
def test_a_call_with_other_arguments_is_not_compiled(function: Any, numbers: str) -> None:
    with pytest.raises(CompileError, match=r"call\(.*array\(int"):
        _ = Kernel(function, f"int64({ADDRESS}, {numbers})").compiled
