"""Machine code follows every change of what a kernel can reach, and nothing else compiles a kernel again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.worlds.compile.conftest import Processes
from worlds.compile import digest as kernel_digest
from worlds.compile.digest import Unknown
from worlds.compile.kernels import helper, kernel
from worlds.compile.operations import count_ones

FILES = {
    "kernels.py": '''
import functools, math
import numpy as np
import constants as c, kinds, package
from constants import BY_NAME
from helpers import by_function, by_module, jitted, operation, recursive
from kinds import Kind
from tables import PAIR
import tables
from worlds.compile.kernels import Kernel, helper, kernel, named

@kernel("int64(int64)")
def own(x):
    """Words."""
    return x + 1  # a comment

@kernel("int64(int64)")
def constant_by_name(x):
    return x + BY_NAME

@kernel("int64(int64)")
def constant_of_module(x):
    return x + c.WEIGHT

@kernel("int64(int64)")
def other_constant_of_module(x):
    return x + c.OTHER

@kernel("int64(int64)")
def attribute_of_attribute(x):
    return x + package.inner.DEEP

@kernel("int64(int64)")
def member(x):
    return x + Kind.ONE + kinds.Kind.TWO

@kernel("int64(int64)")
def array(x):
    return x + tables.ARRAY[1]

@kernel("int64(int64)")
def arrays(x):
    return x + PAIR[1][0]

@kernel("int64(int64)")
def calls(x):
    return by_function(x)

@kernel("int64(int64)")
def calls_reader(x):
    return by_module(x)

@kernel("int64(int64)")
def calls_jitted(x):
    return jitted(x) + recursive(x)

@kernel("int64(int64)")
def calls_intrinsic(x):
    return operation(x)

def factory(number, function):
    def made(x):
        return function(x) + number
    return made

closure = Kernel(factory(c.CLOSED, by_function), "int64(int64)")

def make_helper(number):
    @helper
    def made_helper(x):
        """Words."""
        return x + number
    return made_helper

factory_in_closure = Kernel(named(factory(0, make_helper(c.INNER)), "calls_made"), "int64(int64)")
''',
    "constants.py": "BY_NAME, WEIGHT, OTHER, CLOSED, READ = 2, 3, 4, 5, 6\nINNER = 1\n",
    "kinds.py": "from enum import IntEnum\n\nclass Kind(IntEnum):\n    ONE = 1\n    TWO = 2\n",
    "tables.py": "import numpy as np\n\nARRAY = np.array([1, 2])\nPAIR = (np.array([3]), np.array([4]))\n",
    "package/__init__.py": "from package import inner\n",
    "package/inner.py": "DEEP = 7\n",
    "helpers.py": '''
import numba
from numba.extending import intrinsic
from worlds.compile.kernels import helper
import constants

@helper
def by_function(x):
    """Words."""
    return innermost(x)

@helper
def innermost(x):
    return x + 8

@helper
def by_module(x):
    return x + constants.READ

@numba.njit
def jitted(x):
    return x + 9

@numba.njit
def recursive(x):
    return x if x < 10 else recursive(x - 10)

@intrinsic
def operation(context, x):
    def generate(context, builder, signature, arguments):
        return builder.add(arguments[0], arguments[0].type(10))
    return x(x), generate
''',
}

SHOW = """
import kernels
from worlds.compile.kernels import Kernel
for name, kernel in vars(kernels).items():
    if isinstance(kernel, Kernel):
        dispatcher = kernel.compiled
        print(name, sum(dispatcher.stats.cache_misses.values()), dispatcher(100))
"""

CHANGES = {
    "own code": ("kernels.py", "x + 1 ", "x + 2 ", {"own": 102}),
    "constant imported by name": ("constants.py", "= 2,", "= 12,", {"constant_by_name": 112}),
    "constant of a module": ("constants.py", "3, 4,", "13, 4,", {"constant_of_module": 113}),
    "constant that a helper reads": ("constants.py", "5, 6", "5, 16", {"calls_reader": 116}),
    "constant in a closure": ("constants.py", "5, 6", "15, 6", {"closure": 123}),
    "attribute of an attribute": ("package/inner.py", "7", "17", {"attribute_of_attribute": 117}),
    "constant in a closure in a closure": ("constants.py", "INNER = 1", "INNER = 11", {"factory_in_closure": 111}),
    "code in a closure": (
        "kernels.py",
        "x + number\n    return made_helper",
        "x - number\n    return made_helper",
        {"factory_in_closure": 99},
    ),
    "member of an enumeration": ("kinds.py", "TWO = 2", "TWO = 12", {"member": 113}),
    "array": ("tables.py", "[1, 2]", "[1, 12]", {"array": 112}),
    "tuple of arrays": ("tables.py", "([4])", "([14])", {"arrays": 114}),
    "helper": ("helpers.py", "x + 8", "x + 18", {"calls": 118, "closure": 123}),
    "function of numba.njit": ("helpers.py", "x + 9", "x + 19", {"calls_jitted": 119}),
    "options of numba.njit": (
        "helpers.py",
        "njit\ndef jitted",
        "njit(fastmath=True)\ndef jitted",
        {"calls_jitted": 109},
    ),
    "intrinsic": ("helpers.py", "type(10)", "type(20)", {"calls_intrinsic": 120}),
    "docstrings": ("helpers.py", "Words", "Other words", {}),
    "docstring in a closure": (
        "kernels.py",
        '"""Words."""\n        return',
        '"""Other words.\n\n        More."""\n        return',
        {},
    ),
    "comment": ("kernels.py", "a comment", "another comment", {}),
    "line numbers": ("kernels.py", "import functools", "\n\nimport functools", {}),
    "parameter type": ("kernels.py", "def own(x)", "def own(x: int) -> int", {}),
}


class Modules:
    """Modules of a user, and a cache that only they use."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes, self.folder = processes, folder
        for name, text in FILES.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        first = processes.start(folder, SHOW, NUMBA_CACHE_DIR=str(folder / "cache"))  # its sets have another order
        self.first = self.values(first.communicate(timeout=300)[0])

    def run(self) -> dict[str, tuple[int, int]]:
        return self.values(self.processes.run(self.folder, SHOW, NUMBA_CACHE_DIR=str(self.folder / "cache"))[0])

    def values(self, output: str) -> dict[str, tuple[int, int]]:
        """Return for each kernel how often it was compiled, and its value of 100."""
        rows = (line.split() for line in output.splitlines())
        return {name: (int(compiled), int(value)) for name, compiled, value in rows}


@pytest.fixture(scope="module")
def modules(processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Modules:
    modules = Modules(processes, tmp_path_factory.mktemp("modules"))
    assert len(modules.first) == 14
    assert all(compiled == 1 for compiled, _ in modules.first.values())
    return modules


@pytest.mark.parametrize("change", CHANGES)
def test_exactly_the_kernels_that_can_reach_a_change_are_compiled_again(modules: Modules, change: str) -> None:
    name, before, after, affected = CHANGES[change]
    expected = {kernel: (0, value) for kernel, (_, value) in modules.first.items()}
    expected |= {kernel: (1, value) for kernel, value in affected.items()}
    text = FILES[name]
    assert before in text
    (modules.folder / name).write_text(text.replace(before, after))
    try:
        assert modules.run() == expected
    finally:
        (modules.folder / name).write_text(text)


def test_another_checkout_compiles_nothing(modules: Modules, processes: Processes, tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = processes.start(tmp_path, SHOW, NUMBA_CACHE_DIR=str(modules.folder / "cache")).communicate(timeout=300)[0]
    assert modules.values(found) == {name: (0, value) for name, (_, value) in modules.first.items()}


def digest(function: Callable[..., Any]) -> str:
    return kernel_digest.kernel_digest(function)


def test_the_implementation_of_an_operation_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    @kernel("int64(uint64)")
    def with_ones(word: int) -> int:
        return count_ones(word)

    @kernel("int64(uint64)")
    def without(word: int) -> int:
        return word

    assert with_ones.compiled(7) == 3
    before = [digest(each.function) for each in (with_ones, without)]
    monkeypatch.setitem(kernel_digest.implementations, count_ones, lambda word: word)
    after = [digest(each.function) for each in (with_ones, without)]
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_names_of_reached_functions_are_part_of_the_digest() -> None:
    """Two helpers that change places."""

    @helper
    def one(x: int) -> int:
        return x + 1

    @helper
    def two(x: int) -> int:
        return x + 2

    def factory(first: Callable[[int], int], second: Callable[[int], int]) -> Callable[[int], int]:
        def function(x: int) -> int:
            return first(x) * second(second(x))

        return function

    assert digest(factory(one, two)) != digest(factory(two, one))
    assert digest(factory(one, two)) == digest(factory(one, two))


def test_a_value_of_unknown_content_is_not_cached() -> None:
    values = [1, 2]

    def reads() -> int:
        return values[0]

    with pytest.raises(Unknown, match="list"):
        digest(reads)
