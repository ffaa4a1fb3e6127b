"""Examples of bad input: configurations, overrides and world files. Each is refused with one line."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.config.cell import sections
from tests.bad_input import CAVE, DOMAINS, error_of_file
from tests.fuzz.configurations import LOG_ELSEWHERE
from tests.runner_cli import run


def refused(directory: Path, *arguments: str) -> str:
    """Run a command that must be refused with one line and leave no files behind. Return the line."""
    before = {path for path in directory.parent.rglob("*") if path.name not in ("outputs", "run")}
    done = run(directory, *arguments)
    assert (done.returncode, done.stderr.count("\n"), done.stdout) == (2, 1, ""), done.stderr
    assert done.stderr.startswith("error: ")
    assert done.stderr[:-1].isprintable()
    assert {path for path in directory.parent.rglob("*") if path.name not in ("outputs", "run")} == before
    return done.stderr


CONFIGURATIONS: dict[str, tuple[str | bytes, str]] = {
    "a recursive alias": ("name: &a [*a]\n", "the configuration is nested too deeply, or refers to itself"),
    "too deep": (f"name: {'[' * 5000}", "the configuration is nested too deeply, or refers to itself"),
    "a recursive interpolation": ("name: ${world.name}\n", "world.name: Recursive interpolation detected"),
    "a tag of Python": (
        "name: !!python/object/apply:os.system [touch owned]\n", "mine/world/x.yaml: could not determine a constructor",
    ),
    "a tag with a wrong value": ("name: !!int x\n", "world=x: ValueError"),
    "a key twice": ("name: wumpus/static\nname: x\n", "mine/world/x.yaml: found duplicate key name at line 2"),
    "a number": ("3\n", "world=x: "),
    "gzip": (gzip.compress(b"name: wumpus/static\n"), "world=x: UnicodeDecodeError"),
    "another encoding": ("name: wumpus/static\n".encode("utf-16"), "world=x: UnicodeDecodeError"),
    "zero bytes": (b"\0" * 100, "mine/world/x.yaml: unacceptable character"),
    "output_subdir outside": (
        "# @package _global_\nhydra:\n  output_subdir: ../../owned\n", "hydra.output_subdir: expected a name inside",
    ),
    "another log file": (LOG_ELSEWHERE, "hydra.job_logging: the log is runner.log in the folder of the run"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), CONFIGURATIONS.values(), ids=CONFIGURATIONS.keys())
def test_bad_configurations_are_refused_with_one_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    work = tmp_path / "work"
    (work / "mine" / "world").mkdir(parents=True)
    (work / "mine" / "world" / "x.yaml").write_bytes(content if isinstance(content, bytes) else content.encode())
    assert message in refused(work, "--config-dir", "mine", "world=x")


OVERRIDES: dict[str, tuple[tuple[str, ...], str]] = {
    "NaN": (("limits.time=nan",), "limits.time: "),
    "a weight of NaN": (("weighting=constant", "weighting.weight=nan", "heuristic=manhattan"), "weighting.weight: "),
    "a probability of NaN": (("world=wumpus/random", "world.pit_probability=nan"), "world.pit_probability: "),
    "a huge integer": (("world=wumpus/random", f"world.count={10**400}"), "world.count: "),
    "too many digits for Python": (("world=wumpus/random", f"world.seed={'9' * 4400}"), "world.seed="),
    "a surrogate": (("world.suite=a\udcff",), "\\udcff"),
    "a line break": (("world.suite=a\nb",), "error: world.suite"),
    "an escape sequence": (("world.suite='\x1b[31m'",), "\\x1b[31m"),
    "too deep": ((f"heuristic.stack={'[' * 600}{']' * 600}",), "the configuration is nested too deeply"),
    "output_subdir outside": (("hydra.output_subdir=../../owned",), "hydra.output_subdir: expected a name inside"),
    "a job name outside": (("hydra.job.name=../../owned",), "hydra.job.name: expected a name inside"),
    "a range without end": (("-m", "algorithm.ties=range(1,1000000000)"), "expected 1 to 100,000 values, got more"),
    "an integer too large for a float": ((f"limits.nodes={10**400}",), "limits.nodes: "),
    "a text instead of a section": (("hydra.run=${oc.select:a,3}",), "hydra.run: expected a mapping"),
    "a range with step 0": (("-m", "limits.nodes=range(1,5,0)"), "limits.nodes=range(1,5,0): a range needs numbers"),
    "a range to NaN": (("-m", "limits.time=range(1.5,nan)"), "a range needs numbers, and a step other than 0"),
    "an empty range": (
        ("-m", "limits.nodes=range(3,1)"), "limits.nodes=range(3,1): expected 1 to 100,000 values, got none",
    ),
    "too many cells": (
        ("-m", "limits.nodes=range(0,400)", "limits.time=range(0,400)"), "a sweep of 160,000 cells; at most",
    ),
    "no such option": (("--no-such-option",), "error: unrecognized arguments: --no-such-option"),
    "an option without its value": (("--cfg",), "error: argument -c/--cfg"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), OVERRIDES.values(), ids=OVERRIDES.keys())
def test_bad_overrides_are_refused_with_one_line(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    (tmp_path / "work").mkdir()
    assert message in refused(tmp_path / "work", *arguments)


def _make_circular_links(folder: Path) -> None:
    for name in ("one", "two", "up"):
        (folder / name).symlink_to(".." if name == "up" else ".")


SPECIAL: dict[str, tuple[Callable[[Path], object], str]] = {
    "a named pipe": (os.mkfifo, "not a regular file"),
    "an endless device": (lambda path: path.symlink_to("/dev/zero"), "not a regular file"),
    "a link to itself": (lambda path: path.symlink_to(path.name), "world.path: "),
    "a broken link": (lambda path: path.symlink_to("nowhere"), "does not exist"),
    "an empty folder": (Path.mkdir, "holds no "),
    "gzip": (lambda path: path.write_bytes(gzip.compress(CAVE.encode())), "not a text file (UTF-8)"),
    "too large": (lambda path: path.write_bytes(b" " * (16 * 1024 * 1024 + 1)), "too large (more than 16 MiB)"),
    "all byte values": (lambda path: path.write_bytes(bytes(range(256))), "not a text file (UTF-8)"),
    "zero bytes": (lambda path: path.write_bytes(b"\0" * 1000), ""),
}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize(("make", "message"), SPECIAL.values(), ids=SPECIAL.keys())
def test_files_that_hold_no_world_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, domain: str, make: Callable[[Path], object], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / f"x{DOMAINS[domain]}")
    error = error_of_file(domain, f"x{DOMAINS[domain]}")
    assert error
    assert message in error


CAVES: dict[str, tuple[str, str]] = {
    "nested": (f'{{"size": {"[" * 100_000}', "neither JSON nor YAML"),
    "nested YAML": (f"size: {'[' * 300}", "values are nested more than 50 deep"),
    "NaN": ('{"size": [NaN, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}', "size: expected [width, height]"),
    "infinity": ('{"size": [3, 3], "hunters": [[0, 0]], "golds": [[Infinity, 1]]}', "golds: expected [x, y]"),
    "huge": (
        f'{{"size": [{10**400}, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}}', "size: width and height must be 1 to",
    ),
    "too many digits for Python": (f'{{"size": [{"9" * 5000}, 3]}}', "neither JSON nor YAML"),
    "a large number as text": (f"size {'9' * 5000}\n", "line 1: size takes 1 whole number"),
    "a surrogate": ('{"id": "\\udcff", "size": [3, 3], "hunters": [[0, 0]], "golds": [[1, 1]]}', "id: expected"),
    "long YAML": (
        f"size: [3, 3]\ngolds: [{'[1, 1], ' * 50_000}]\n", "too long for YAML (more than 256 KiB), and not JSON",
    ),
    "a long hexadecimal number": (f"size: 0x{'f' * 5000}\n", "a number of more than 100 digits at line 1"),
    "an unknown key with a bell": ("size 3\n\x07\n", "unknown key '\\x07'"),
}  # fmt: skip


@pytest.mark.parametrize(("content", "message"), CAVES.values(), ids=CAVES.keys())
def test_bad_caves_are_refused_with_a_short_message(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.json").write_text(content)
    error = error_of_file("wumpus", str(tmp_path / "x.json"))
    assert message in error
    assert len(error) <= 1500


WORLDS_AS_TEXT = {"wumpus": "size 4\nwumpus 3 3\ngold 2 3\n", "npuzzle": "0 1 2 3\n", "snake": "3,3\n0,0\n0\n"}


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ["a\udcff", "a\nb", "\x1b[31m", "\u202ea", "x" * 201])
def test_file_names_that_are_no_valid_id_are_refused(tmp_path: Path, domain: str, name: str) -> None:
    (tmp_path / f"{name}.txt").write_text(WORLDS_AS_TEXT[domain])
    assert "id: expected 1 to 200 printable characters" in error_of_file(domain, str(tmp_path / f"{name}.txt"))


@pytest.mark.parametrize("name", ["x" * 201, "\x1b[31m"])
def test_invalid_ids_of_boards_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.txt").write_text(f"{name}: 0 1 2 3\n")
    assert "line 1: id: expected 1 to 200 printable" in error_of_file("npuzzle", str(tmp_path / "x.txt"))


def test_patterns_find_each_file_once_despite_circular_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "caves" / "more").mkdir(parents=True)
    (tmp_path / "caves" / ".hidden").mkdir()
    for file in ("caves/a.json", "caves/more/b.json", "caves/.hidden/c.json", "caves/.d.json"):
        (tmp_path / file).write_text(CAVE)
    _make_circular_links(tmp_path / "caves")
    monkeypatch.chdir(tmp_path)

    def found(pattern: str) -> list[str]:
        return [instance.id for instance in sections.source_of({"name": "wumpus/file", "path": pattern}).instances()]

    assert found("**/*.json") == found("caves/**") == found("**") == found("./caves/../**/*.json") == ["a", "b"]
    assert found(f"{tmp_path}/*/*.json") == found("cav?s/**/a.json") == ["a"]
    assert found("caves/one/more/*") == ["b"]
    assert "no file matches" in error_of_file("wumpus", "**/x/*.json")


def test_world_files_may_be_links_or_in_parent_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "cave.json").write_text(CAVE)
    (tmp_path / "work" / "link.json").symlink_to("../cave.json")
    monkeypatch.chdir(tmp_path / "work")
    assert error_of_file("wumpus", "../cave.json") == error_of_file("wumpus", "link.json") == ""
