"""The cache of compiled kernels: damaged files, read-only folders, and several processes at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from worlds.code_digest import ROOT

KERNEL = """
from worlds.compile.kernel import kernel
from part import value

@kernel("int64(int64)")
def double(x):
    return 2 * x + value(x)

@kernel("int64(int64, int64)")
def product(x, y):
    return x * y
"""

HELPER = """
from worlds.compile.kernel import helper

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
for kernels in ((double,), (double, product), (double, product)):
    if (pid := os.fork()) == 0:
        show(*kernels)
        sys.exit()
    os.waitpid(pid, 0)
"""
FULL_DISK = """
import resource
from mine import double, product
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
print(double.compiled(10), product.compiled(10, 20))
"""


class Place:
    """Modules of a user with two kernels, and the folders that their processes use."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache, self.temporary = folder, folder / "cache", folder / "temporary"
        self.temporary.mkdir(parents=True, exist_ok=True)
        (folder / "mine.py").write_text(KERNEL)
        self.set_helper(1)

    def set_helper(self, value: int) -> None:
        (self.folder / "part.py").write_text(HELPER.format(value))

    def start(self, code: str = BOTH, **variables: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ, "PYTHONPATH": f"{self.folder}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self.temporary), "NUMBA_CACHE_DIR": str(self.cache), **variables,
        }  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-c", code], cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, code: str = BOTH, **variables: str) -> tuple[str, str]:
        """Run a process. Return its standard output and standard error."""
        process = self.start(code, **variables)
        output, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        return output, errors

    def files(self, pattern: str) -> list[Path]:
        return sorted(self.cache.rglob(pattern))


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("warm"))
    assert place.run() == ("2 compiled, 21 200\n", "")
    return place


@pytest.fixture
def place(warm: Place, tmp_path: Path) -> Place:
    """Copy the modules and the compiled kernels."""
    copy = Place(tmp_path)
    for folder in warm.cache.iterdir():
        shutil.copytree(folder, copy.cache / folder.name)
    return copy


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
    pattern, change = DAMAGES[damage]
    for file in place.files(pattern):
        file.write_bytes(change(file.read_bytes()))
    assert place.run() == ("2 compiled, 21 200\n", "")
    assert place.run() == ("0 compiled, 21 200\n", "")


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_missing_files_are_compiled_again(place: Place, pattern: str) -> None:
    place.files(pattern)[0].unlink()
    assert place.run() == ("1 compiled, 21 200\n", "")
    assert place.run() == ("0 compiled, 21 200\n", "")


@pytest.mark.parametrize(
    "damage",
    [
        "empty index",
        "no cache",
        pytest.param("truncated object", marks=pytest.mark.long),
    ],
)
def test_several_processes_may_repair_or_fill_the_cache_at_once(place: Place, damage: str) -> None:
    if damage == "no cache":
        shutil.rmtree(place.cache)
    else:
        pattern, change = DAMAGES[damage]
        for file in place.files(pattern):
            file.write_bytes(change(file.read_bytes()))
    processes = [place.start() for _ in range(4)]
    for process in processes:
        output, errors = process.communicate(timeout=300)
        assert (process.returncode, errors) == (0, "")
        assert output.endswith("compiled, 21 200\n")
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


def test_a_read_only_cache_is_replaced_by_a_temporary_folder(tmp_path: Path) -> None:
    """Forked workers share the temporary folder of their parent. Only the parent removes it."""
    place = Place(tmp_path)
    output, errors = place.run(FORKED, NUMBA_CACHE_DIR=unwritable(place))
    assert output.splitlines() == ["1 compiled, 21", "1 compiled, 21 200", "0 compiled, 21 200"]
    assert_one_message(errors, "file/cache")
    assert not list(place.temporary.iterdir())
    assert not [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]


def test_without_a_home_folder_kernels_are_compiled(tmp_path: Path) -> None:
    place = Place(tmp_path)
    output, errors = place.run(NUMBA_CACHE_DIR="", XDG_CACHE_HOME=unwritable(place), HOME="/dev/null/home")
    assert output == "2 compiled, 21 200\n"
    assert_one_message(errors, "file/cache/search-runner/kernels")


def test_a_changed_helper_is_compiled_again_with_a_read_only_cache(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert place.run(NUMBA_CACHE_DIR=unwritable(place))[0] == "2 compiled, 21 200\n"
    place.set_helper(2)
    assert place.run(NUMBA_CACHE_DIR=unwritable(place))[0] == "2 compiled, 22 200\n"


def test_kernels_run_with_a_full_disk(tmp_path: Path) -> None:
    place = Place(tmp_path)
    output, errors = place.run(FULL_DISK)
    assert output == "21 200\n"
    assert_one_message(errors, str(place.cache))
    assert not list(place.temporary.iterdir())
    assert not list(tmp_path.glob("__pycache__"))


def test_numba_never_uses_the_folder_of_the_sources(place: Place) -> None:
    """A file takes the place of a kernel's folder, so that the cache fails after it was found writable."""
    folder = next(path.parent for path in place.files("kernel.py"))
    shutil.rmtree(folder)
    folder.touch()
    output, errors = place.run()
    assert output.endswith("compiled, 21 200\n")
    assert_one_message(errors, str(place.cache))
    assert not list(place.folder.glob("__pycache__"))
