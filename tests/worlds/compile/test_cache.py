"""The cache of compiled kernels: damaged files, read-only folders, and several processes at once."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.worlds.compile.conftest import Processes

KERNEL = """
from worlds.compile.kernels import kernel
from part import value

@kernel("int64(int64)")
def double(x):
    return 2 * x + value(x)

@kernel("int64(int64, int64)")
def product(x, y):
    return x * y
"""

HELPER = """
from worlds.compile.kernels import helper

@helper
def value(x):
    return {0}
"""

COUNT = """
def show(*kernels):
    dispatchers = [kernel.compiled for kernel in kernels]
    compiled = sum(sum(dispatcher.stats.cache_misses.values()) for dispatcher in dispatchers)
    print(compiled, "compiled,", *(each(*(10, 20)[:len(each.signatures[0])]) for each in dispatchers))
"""

BOTH = f"{COUNT}\nfrom mine import double, product\nshow(double, product)"
FORKED = f"""
import os, sys
from mine import double, product
{COUNT}
for kernels in STEPS:
    if (pid := os.fork()) == 0:
        show(*kernels)
        sys.exit()
    os.waitpid(pid, 0)
"""
TWICE = FORKED.replace("STEPS", "2 * [(double, product)]")
AT_ONCE = f"""
import os, sys
from mine import double, product
{COUNT}
children = []
for _ in range(2):
    children.append(os.fork())
    if children[-1] == 0:
        show(double, product)
        sys.exit()
assert not any(os.waitpid(pid, 0)[1] for pid in children)
"""
FULL_DISK = """
import resource
from mine import double, product
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
print(double.compiled(10), product.compiled(10, 20))
"""


class Place:
    """Modules of a user with two kernels, and the folders that their processes use."""

    def __init__(self, processes: Processes, folder: Path) -> None:
        self.processes = processes
        self.folder, self.cache, self.temporary = folder, folder / "cache", folder / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)
        (folder / "mine.py").write_text(KERNEL)
        self.set_helper(1)
        self.variables = {"TMPDIR": str(self.temporary), "NUMBA_CACHE_DIR": str(self.cache)}

    def set_helper(self, value: int) -> None:
        (self.folder / "part.py").write_text(HELPER.format(value))

    def run(self, code: str = BOTH, **variables: str) -> tuple[str, str]:
        """Run a process. Return its standard output and standard error."""
        return self.processes.run(self.folder, code, **{**self.variables, **variables})

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.cache.rglob(pattern))

    def damage(self, name: str) -> None:
        pattern, change = DAMAGES[name]
        for file in self.files(pattern):
            file.write_bytes(change(file.read_bytes()))


@pytest.fixture
def empty(processes: Processes, tmp_path: Path) -> Place:
    return Place(processes, tmp_path)


@pytest.fixture(scope="module")
def warm(processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile in a process of its own, in which sets have another order."""
    place = Place(processes, tmp_path_factory.mktemp("warm"))
    output, errors = processes.start(place.folder, BOTH, **place.variables).communicate(timeout=300)
    assert (output, errors) == ("2 compiled, 21 200\n", "")
    return place.cache


@pytest.fixture
def place(warm: Path, empty: Place) -> Place:
    """Copy the compiled kernels."""
    for folder in warm.iterdir():
        shutil.copytree(folder, empty.cache / folder.name)
    return empty


def test_cached_kernels_are_loaded_without_compilation(place: Place) -> None:
    assert place.run() == ("0 compiled, 21 200\n", "")
    assert len(place.files("*.nbi")) == len(place.files("*.nbc")) == 2


def flip(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(byte ^ 255 for byte in content[middle : middle + 64]) + content[middle + 64 :]


DAMAGES: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "empty index": ("*.nbi", lambda content: b""),
    "truncated index": ("*.nbi", lambda content: content[: len(content) // 2]),
    "garbage index": ("*.nbi", lambda content: b"\x80\x04garbage" * 9),
    "flipped index": ("*.nbi", flip),
    "empty object": ("*.nbc", lambda content: b""),
    "truncated object": ("*.nbc", lambda content: content[:-100]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_compiled_again(place: Place, damage: str) -> None:
    place.damage(damage)
    assert place.run(TWICE) == ("2 compiled, 21 200\n0 compiled, 21 200\n", "")


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_missing_files_are_compiled_again(place: Place, pattern: str) -> None:
    place.files(pattern)[0].unlink()
    assert place.run(TWICE) == ("1 compiled, 21 200\n0 compiled, 21 200\n", "")


@pytest.mark.parametrize("damage", ["empty index", "truncated object", "no cache"])
def test_several_processes_may_repair_or_fill_the_cache_at_once(place: Place, damage: str) -> None:
    if damage == "no cache":
        shutil.rmtree(place.cache)
    else:
        place.damage(damage)
    output, errors = place.run(AT_ONCE)
    assert [line[1:] for line in output.splitlines()] == 2 * [" compiled, 21 200"]
    assert errors == ""
    place.run()  # one process may have removed what another has just written
    assert place.run() == ("0 compiled, 21 200\n", "")


def unwritable(place: Place) -> str:
    """Return a path at which even root cannot make a folder."""
    file = place.folder / "file"
    file.touch()
    return str(file / "cache")


def assert_one_message(errors: str, folder: str) -> None:
    assert errors.count("\n") == 1
    assert folder in errors
    assert "cannot be written" in errors


def test_a_read_only_cache_is_replaced_by_a_temporary_folder(empty: Place) -> None:
    """Forked workers share the temporary folder of their parent, and later commands of the user have it, too."""
    output, errors = empty.run(
        FORKED.replace("STEPS", "((double,), (double, product), (double, product))"), NUMBA_CACHE_DIR=unwritable(empty)
    )
    assert output.splitlines() == ["1 compiled, 21", "1 compiled, 21 200", "0 compiled, 21 200"]
    assert_one_message(errors, "file/cache")
    (shared,) = empty.temporary.iterdir()
    assert f"kernels are kept in {shared};" in errors
    assert shared.stat().st_mode & 0o777 == 0o700
    assert empty.run(NUMBA_CACHE_DIR=unwritable(empty))[0] == "0 compiled, 21 200\n"
    assert list(empty.temporary.iterdir()) == [shared]


def test_a_temporary_folder_that_others_may_write_to_is_not_used(empty: Place) -> None:
    """They could put machine code there. Kernels are then compiled in every process."""
    elsewhere = empty.folder / "elsewhere"
    elsewhere.mkdir()
    shared = empty.temporary / f"search-runner-kernels-{os.getuid()}"
    for is_link in (False, True):
        if is_link:
            shared.rmdir()
            shared.symlink_to(elsewhere)
        else:
            shared.mkdir()
            shared.chmod(0o777)
        output, errors = empty.run(NUMBA_CACHE_DIR=unwritable(empty))
        assert output == "2 compiled, 21 200\n"
        assert_one_message(errors, "file/cache")
        assert list(empty.temporary.iterdir()) == [shared]
        assert not [*empty.folder.rglob("*.nbi")]


def test_without_a_home_folder_kernels_are_compiled(empty: Place) -> None:
    output, errors = empty.run(NUMBA_CACHE_DIR="", XDG_CACHE_HOME=unwritable(empty), HOME="/dev/null/home")
    assert output == "2 compiled, 21 200\n"
    assert_one_message(errors, "file/cache/search-runner/kernels")


def test_kernels_run_with_a_full_disk(empty: Place) -> None:
    output, errors = empty.run(FULL_DISK)
    assert output == "21 200\n"
    assert_one_message(errors, str(empty.cache))
    assert not list(empty.temporary.rglob("*.nbi"))
    assert not list(empty.folder.glob("__pycache__"))


def test_numba_never_uses_the_folder_of_the_sources(place: Place) -> None:
    """A file takes the place of a kernel's folder, so that the cache fails after it was found writable."""
    folder = next(path.parent for path in place.files("kernel.py"))
    shutil.rmtree(folder)
    folder.touch()
    output, errors = place.run()
    assert output.endswith("compiled, 21 200\n")
    assert_one_message(errors, str(place.cache))
    assert not list(place.folder.glob("__pycache__"))


PLUGIN = """
from runner import compiled_heuristic
from {0}_numbers import NUMBER

@compiled_heuristic("{0}", domain="wumpus")
def constant(world, state):
    return {1} + NUMBER
"""

SHOW = """
import runner, one, two
from heuristics.interface import HEURISTICS
cave = runner.load("wumpus/static")[0]
entries = [HEURISTICS.find(name, domain="wumpus") for name in ("one", "two")]
kernels = [entry().term(cave.problem()).kernel for entry in entries]
misses = sum(sum(kernel.compiled.stats.cache_misses.values()) for kernel in kernels)
print(misses, *(int(runner.heuristic(cave, [name])(cave.problem().initial)) for name in ("one", "two")))
"""


def test_heuristics_of_one_name_in_two_files_are_cached_until_they_change(empty: Place) -> None:
    def write(name: str, value: int, number: int = 0) -> None:
        (empty.folder / f"{name}.py").write_text(PLUGIN.format(name, value))
        (empty.folder / f"{name}_numbers.py").write_text(f"NUMBER = {number}\n")

    write("one", 1)
    write("two", 2)
    assert empty.run(SHOW) == ("2 1 2\n", "")
    write("two", 3, 40)
    assert empty.run(SHOW) == ("1 1 43\n", "")
