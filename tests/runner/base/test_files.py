"""Limits for reading files of users: regular files only, with a maximum size."""

from __future__ import annotations

import os
import shutil
import tracemalloc
from pathlib import Path

import pytest
import yaml

from runner.base import bounded_yaml
from runner.base.errors import UserError
from runner.base.files import MAX_BYTES, atomic_write, find_files, open_regular, read_bytes, read_lines, walked


@pytest.mark.skipif(os.name != "posix", reason="named pipes and devices exist on POSIX only")
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "nowhere").symlink_to("missing")
    for name, problem in {
        "pipe": "not a regular file",
        "zero": "not a regular file",
        ".": "is a directory",
        "nowhere": "No such file or directory",
        "a\0b": "embedded null byte",
    }.items():
        with pytest.raises(UserError, match=problem):
            open_regular(tmp_path / name)


def test_files_over_the_size_limit_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a\nbb\nccc")
    assert read_bytes(file, 8) == b"a\nbb\nccc"
    os.truncate(file, MAX_BYTES + 1)
    with pytest.raises(UserError, match=r"file: too large \(more than 16 MiB\)"):
        open_regular(file)
    with open_regular(file, max_bytes=None) as opened:
        assert opened.read(3) == b"a\nb"


def test_reading_does_not_allocate_the_bound(tmp_path: Path) -> None:
    """A limit of the address space would end even the smallest file."""
    file = tmp_path / "file"
    file.write_bytes(b"x" * 3_000_000)
    tracemalloc.start()
    try:
        assert read_bytes(file, 1 << 30) == b"x" * 3_000_000
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()


def test_temporary_files_that_nobody_writes_are_removed(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    with atomic_write(file):
        (own,) = tmp_path.iterdir()
    for other in (".results.csv.0a.tmp", ".results.csv.0b.tmp"):
        (tmp_path / other).touch()
    os.utime(tmp_path / ".results.csv.0a.tmp", (0, 0))
    with atomic_write(file):
        pass
    assert own.name.startswith(".results.csv.")
    assert {each.name for each in tmp_path.iterdir()} == {"results.csv", ".results.csv.0b.tmp"}


def test_lines_over_the_length_limit_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a\nbb\nccc")
    assert list(read_lines(file, 3)) == [b"a\n", b"bb\n", b"ccc"]
    lines = read_lines(file, 2)
    assert next(lines) == b"a\n"
    with pytest.raises(UserError, match="file: line 2 is longer than 2 bytes"):
        next(lines)
    os.truncate(file, 40 * 10**9)
    with pytest.raises(UserError, match="file: line 3 is longer than"):
        list(read_lines(file))


def test_yaml_over_the_limit_of_values_is_refused() -> None:
    assert len(bounded_yaml.load("[x, y, z]", 4)) == 3
    with pytest.raises(yaml.YAMLError, match="more than 3 values"):
        bounded_yaml.load("[x, y, z]", 3)


def tree(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()


def found(folder: Path, pattern: str, *, is_recursive: bool = False) -> list[str]:
    files = find_files(str(folder / pattern), (".txt",), "boards", is_recursive=is_recursive)
    return [file.relative_to(folder).as_posix() for file in files]


def test_what_exists_under_its_name_is_no_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "data [v1]"
    tree(folder, "w[1]/a.txt", "w[1]/b[12].txt", "w[1]/b1.txt", "w[1]/in/c.txt", "w1/other.txt", "x?/d.txt", "xy/e.txt")
    (tmp_path / "data v").mkdir()
    assert found(folder, "w[1]") == ["w[1]/a.txt", "w[1]/b1.txt", "w[1]/b[12].txt"]
    assert found(folder, "w[1]", is_recursive=True) == [*found(folder, "w[1]"), "w[1]/in/c.txt"]
    assert found(folder, "w[1]/[ac].txt") == ["w[1]/a.txt"]
    assert found(folder, "*/b[12].txt") == ["w[1]/b[12].txt"]
    assert found(folder, "x?/*") == ["x?/d.txt"]
    with pytest.raises(UserError, match=r"no file matches .*; \[...\] stands for one of its characters"):
        found(folder, "w[2]")


def test_hidden_files_are_found_only_by_their_names(tmp_path: Path) -> None:
    tree(tmp_path, "a.txt", "._a.txt", ".git/b.txt", "in/c.txt", "in/._c.txt", "*", "in/*")
    assert found(tmp_path, ".") == found(tmp_path, "*.txt") == ["a.txt"]
    assert found(tmp_path, ".", is_recursive=True) == found(tmp_path, "**/*.txt") == ["a.txt", "in/c.txt"]
    assert found(tmp_path, "._a.txt") == found(tmp_path, "._*") == ["._a.txt"]
    assert found(tmp_path, ".git") == [".git/b.txt"]


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_folders_that_are_links_are_searched_once(tmp_path: Path) -> None:
    tree(tmp_path, "elsewhere/ferry/p1.txt", "elsewhere/ferry/hard/p2.txt", "tasks/spanner/p3.txt")
    links = {"ferry": "../elsewhere/ferry", "zoo": "../elsewhere/ferry/hard", "again": "spanner", "gone": "nowhere"}
    for name, target in {**links, "round": ".", "self": "self", "spanner/up": ".."}.items():
        (tmp_path / "tasks" / name).symlink_to(target)
    expected = ["tasks/ferry/hard/p2.txt", "tasks/ferry/p1.txt", "tasks/spanner/p3.txt"]
    assert found(tmp_path, "tasks", is_recursive=True) == found(tmp_path, "tasks/**/*.txt") == expected


def test_a_folder_that_vanishes_while_its_parent_is_walked_is_left_out(tmp_path: Path) -> None:
    for name in ("", "a", "b"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "rows.csv").touch()
    files = walked(tmp_path)
    first = next(files)
    shutil.rmtree(tmp_path / "a")
    assert [first, *files] == [tmp_path / "rows.csv", tmp_path / "b" / "rows.csv"]
