"""Commands of installed packages, and their sections; in the process of the test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from runner.base.errors import UserError
from runner.base.own_places import PACKAGES
from runner.cli.main import main
from runner.config.cell.keys import OWN_KEYS, SECTIONS
from runner.config.cell.schema import cell_sections
from runner.config.doors.commands import COMMANDS, ArgumentParser, command
from tests.isolated import isolated
from tests.plugins import installed
from tests.runner_cli import ROOT

MODULE = """
from dataclasses import dataclass
from runner.plugin import ArgumentParser, command

def parser():
    return ArgumentParser()

{section}
@command("{name}", "profiles a search", parser=parser{more})
def main(arguments):
    {body}
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that installs a package with one command, whose entry point has its name."""
    made: list[str] = []
    monkeypatch.chdir(tmp_path)

    def write(
        package: str, name: str = "profile", body: str = "return 0", *, text: str = "", section: str = "",
        offered: str = "",
    ) -> None:  # fmt: skip
        more = ", section=Profile" if section else ""
        content = text or MODULE.format(name=name, body=body, section=section, more=more)
        folder = tmp_path / package
        folder.mkdir()
        (folder / f"{package}.py").write_text(content)
        points = f"[search_runner.commands]\n{name} = {package}:main\n{offered}"
        installed(folder, package, monkeypatch, points)
        made.append(package)

    with isolated(PACKAGES):
        yield write
    for package in made:
        sys.modules.pop(package, None)


def test_help_lists_the_others_if_a_command_is_broken(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("broken_commands", text="import no_such_module")
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    problem = "command 'profile' of the installed package broken_commands cannot be imported"
    assert f"  profile   {problem}; repair it, or remove it: pip uninstall broken_commands\n" in listed
    assert "  resume    " in listed
    assert main(["profile"]) == 2
    shown = capsys.readouterr().err.splitlines()
    assert shown[0] == f"error: {problem}; repair it, or remove it: pip uninstall broken_commands"
    assert shown[-1] == "ModuleNotFoundError: No module named 'no_such_module'"


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("return None", 2, "error: command 'profile': expected an exit code, such as 0, got None"),
        ("return 'done'", 2, "error: command 'profile': expected an exit code, such as 0, got 'done'"),
        ("raise SystemExit('bye')", 1, "bye"),
    ],
)
def test_a_command_returns_an_exit_code(
    body: str, code: int, line: str, install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("returning", body=body)
    assert (main(["profile"]), capsys.readouterr().err) == (code, f"{line}\n")


@pytest.mark.parametrize("name", ["my-cmd", "two words", "", "3d"])
def test_the_name_of_a_command_is_an_identifier(name: str) -> None:
    with pytest.raises(ValueError, match=f"command '{name}': expected a name of letters, digits and _"):
        command(name, "what it does", parser=ArgumentParser)(lambda _: 0)


def test_a_refused_name_is_explained_when_it_is_used(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("dashed", name="my-cmd")
    assert main(["my-cmd"]) == 2
    assert "ValueError: command 'my-cmd': expected a name of letters" in capsys.readouterr().err


def test_two_packages_with_one_command_are_named(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("first_lab")
    install("second_lab")
    assert main(["profile"]) == 2
    assert "'profile': the packages second_lab and first_lab have one; keep one: pip uninst" in capsys.readouterr().err


def test_our_command_is_used_if_another_package_has_one(
    install: Install, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("other_lab", name="warm")
    monkeypatch.delitem(COMMANDS._entries, (None, "warm"), raising=False)
    monkeypatch.delitem(sys.modules, "runner.cli.warm", raising=False)
    assert main(["warm", "--help"]) == 0
    assert capsys.readouterr().err == "note: command 'warm' is that of search-runner, and not that of other_lab\n"


def test_a_plugin_cannot_replace_a_name_of_ours_before_it_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "runner.cli.warm", raising=False)
    monkeypatch.delitem(COMMANDS._entries, (None, "warm"), raising=False)
    with pytest.raises(ValueError, match=r"'warm' is registered already, by runner\.cli\.warm"):
        COMMANDS.add("warm", main)


@dataclass
class Wrong:
    count: int = "three"  # type: ignore[assignment]


@dataclass
class Unwritable:
    place: Path = field(default_factory=Path)


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        (dict, "expected a dataclass"),
        (Wrong(), "expected a dataclass"),
        (Wrong, "the default of count: expected int, got str"),
        (Unwritable, "parameter place: the default cannot stand in YAML"),
    ],
)
def test_a_section_is_a_dataclass_with_defaults_that_yaml_can_give(section: Any, problem: str) -> None:
    with pytest.raises((ValueError, UserError), match=f"section 'profile': {problem}"):
        command("profile", "what it does", parser=ArgumentParser, section=section)(lambda _: 0)
    assert "profile" not in {name for _, name, _ in (*SECTIONS.entries(), *COMMANDS.entries())}


@pytest.mark.parametrize("name", ["world", "limits", "plugins", "hydra", "sweep", "config"])
def test_a_section_is_no_key_of_every_configuration(name: str) -> None:
    assert name in OWN_KEYS
    section: Any = dataclass(type("Section", (), {}))
    with pytest.raises(ValueError, match=f"section '{name}': is a key of every configuration; choose another name"):
        command(name, "what it does", parser=ArgumentParser, section=section)(lambda _: 0)


def test_own_keys_are_those_of_the_primary_configuration() -> None:
    """Or sections of features."""
    keys = [
        line.partition(":")[0]
        for line in (ROOT / "conf" / "config.yaml").read_text().splitlines()
        if line[:1].isalpha()
    ]
    assert {*keys} <= {*OWN_KEYS, *SECTIONS.names()}
    with pytest.raises(UserError, match="wrold: unknown key; did you mean 'world'"):
        cell_sections({"wrold": {}})


SECTION = "@dataclass\nclass Profile:\n    depth: int = 3\n"
SHOWS = "from runner.plugin import parse_run, run_parser, COMMANDS; request = parse_run(run_parser(''), arguments)[1]\n"
COMPOSES = f"{SHOWS}    print(request.of_command(COMMANDS.find('profile')).composed().section); return 0"


def test_a_section_that_no_entry_point_names_is_refused(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("unnamed_section", body=COMPOSES, section=SECTION)
    assert main(["profile"]) == 2
    expected = "error: command 'profile': the entry points of its package lack its section; name the dataclass in "
    assert capsys.readouterr().err.startswith(f'{expected}[project.entry-points."search_runner.sections"]')


def test_a_section_that_an_entry_point_names_is_composed(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    offered = "[search_runner.sections]\nprofile = named_section:Profile\n"
    install("named_section", body=COMPOSES, section=SECTION, offered=offered)
    assert main(["profile"]) == 0
    assert capsys.readouterr().out == "Profile(depth=3)\n"
