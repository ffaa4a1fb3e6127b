"""Commands: placeholders, their values, and programs that cannot be started."""

import dataclasses
import shutil
import sys
from pathlib import Path

import pytest

from algorithms.engine.search import Limits
from algorithms.programs.commands import CommandTemplate, Placeholders, check_names, executable_of
from runner import load
from runner.base.errors import UserError
from runner.base.overrides import scalar_text
from worlds.interface.world import InputFile

WHERE = "algorithm.command"


def filled(command: str | list[str], **values: str) -> list[str]:
    return CommandTemplate.of(command, WHERE).filled(values.__getitem__)


def test_a_text_is_split_as_a_shell_would_and_words_are_not() -> None:
    assert filled("solve 'a b' {size}x", size="4") == ["solve", "a b", "4x"]
    assert filled(["solve", "a b", "$HOME;rm"]) == ["solve", "a b", "$HOME;rm"]


def test_double_braces_are_braces() -> None:
    assert filled(["solve", "{{{size}}}"], size="4") == ["solve", "{4}"]


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("", "expected the words of a command"),
        ("solve 'a", "no closing quotation"),
        ("solve {size", "write {{ for a brace"),
        ("solve {}", "expected a name in braces"),
        ("solve {size.real}", "expected a name in braces"),
        ("solve {size-2}", "expected a name in braces"),
        ("solve {size:>4}", "expected a name in braces"),
    ],
)
def test_a_wrong_command_is_one_line(command: str, says: str) -> None:
    with pytest.raises(UserError, match=r"algorithm\.command: ") as refused:
        CommandTemplate.of(command, WHERE)
    assert says in str(refused.value)


def test_every_input_of_a_domain_has_a_value(tmp_path: Path) -> None:
    (instance,) = load("gridmap/random", size=4, count=1)
    shared, folder = tmp_path / "shared", tmp_path / "own"
    shared.mkdir()
    folder.mkdir()
    limits = Limits(time=2.5, memory=3 << 20)
    placeholders = Placeholders(instance, {"weight": 1.0, "flag": True}, limits, folder, shared)
    assert Path(placeholders["instance"]).parent == folder
    assert Path(placeholders["map"]).parent == shared
    assert (placeholders["time"], placeholders["memory"]) == ("2", "3")
    assert (placeholders["time-1"], placeholders["time-2"]) == ("1", "1")
    assert Placeholders(instance, {}, Limits(time=0.1), folder, shared)["time"] == "1"
    assert (placeholders["weight"], placeholders["flag"]) == ("1", "true")
    assert placeholders["seed"] == str(instance.seed)
    assert placeholders.words().keys() >= {"map", "start", "goal"}


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (1.5, "1.5"), (2.0, "2"), (3, "3"), ("x y", "x y")])
def test_arguments_are_written_as_in_yaml(value: str | float, text: str) -> None:
    assert scalar_text(value) == text


def test_paths_become_absolute_and_other_words_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "solve.py").write_text("")
    command = CommandTemplate.of([sys.executable, "solve.py", "astar", "./build", "{board}"], WHERE)
    located = command.located()
    assert located.words[1:] == (str(tmp_path / "solve.py"), "astar", str(tmp_path / "build"), "{board}")
    assert command.files == [tmp_path / "solve.py"]


def test_a_program_is_found_on_path_or_by_its_path(tmp_path: Path) -> None:
    assert executable_of("sh", WHERE) == Path(str(shutil.which("sh")))
    script = tmp_path / "solve"
    script.write_text("#!/bin/sh\n")
    with pytest.raises(UserError, match=r"is not executable; first: chmod \+x"):
        executable_of(str(script), WHERE)
    script.chmod(0o755)
    assert executable_of(str(script), WHERE) == script
    with pytest.raises(UserError, match="there is no program solve on PATH"):
        executable_of("solve", WHERE)


@pytest.mark.skipif(sys.platform != "linux", reason="ELF")
def test_a_program_for_another_processor_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "solve"
    program.write_bytes(b"\x7fELF" + bytes(14) + b"\xff\x7f" + bytes(44))
    program.chmod(0o755)
    with pytest.raises(UserError, match="is made for another processor"):
        executable_of(str(program), WHERE)
    program.write_bytes(b"text")
    with pytest.raises(UserError, match="is no program"):
        executable_of(str(program), WHERE)


def test_a_world_without_files_has_no_instance_file(tmp_path: Path) -> None:
    (instance,) = load("pancake/random", size=4, count=1)
    bare = dataclasses.replace(instance, world=type("Bare", (), {"inputs": dict, "family": None, "domain": "bare"})())
    with pytest.raises(UserError, match=r"{instance}: bare has no such placeholder"):
        check_names(["instance"], bare, {}, WHERE)


def test_a_file_that_instances_share_is_written_once(tmp_path: Path) -> None:
    calls: list[str] = []
    file = InputFile(".map", lambda: calls.append("text") or "rows", key="k1")  # type: ignore[func-returns-value]
    (instance,) = load("pancake/random", size=4, count=1)
    world = type("Mapped", (), {"inputs": lambda _: {"map": file}})()
    for folder in (tmp_path / "a", tmp_path / "b"):
        found = Placeholders(dataclasses.replace(instance, world=world), {}, Limits(), folder, tmp_path)["map"]
        assert Path(found) == tmp_path / "k1.map"
    assert calls == ["text"]


def test_a_file_with_a_byte_order_mark_is_copied_without_it(tmp_path: Path) -> None:
    """Also a file of a map, which many instances share."""
    rows = "type octile\nheight 2\nwidth 2\nmap\n..\n..\n"
    for mark in ("", "\ufeff"):
        file = tmp_path / f"{len(mark)}.map"
        file.write_text(mark + rows, encoding="utf-8")
        (instance,) = load("gridmap/map", path=str(file), count=1)
        found = Path(Placeholders(instance, {}, Limits(), tmp_path, tmp_path)["map"])
        assert (found == file) == (not mark)
        assert found.read_text(encoding="utf-8") == rows
