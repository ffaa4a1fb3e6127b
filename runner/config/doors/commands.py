"""Commands: functions of the words after ``python -m runner COMMAND``.

A command is imported when it is used. Ours are listed in `own_entries`; one of another package comes by an entry point
in the group ``search_runner.commands`` with the name of the command.
"""

from __future__ import annotations

import argparse
import reprlib
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from runner.base import PluginError, Registry, UserError, is_own_module, one_line, own_entries, suggest
from runner.config.cell.keys import SECTIONS


class ArgumentParser(argparse.ArgumentParser):
    """Parser of options that raises `UserError` instead of printing its usage.

    Attributes
    ----------
    documented : list of (str, str)
        Each argument and its help, for the documentation.
    """

    def __init__(self, **keywords: Any) -> None:
        self.documented: list[tuple[str, str]] = []
        super().__init__(**keywords)

    def add_argument(self, *names: str, **options: Any) -> argparse.Action:
        """Add an argument as `argparse` does, but with `suggest` in the message about a wrong choice."""
        if "choices" in options:
            options.setdefault("type", partial(_choice, names[-1], list(options["choices"])))
        added = super().add_argument(*names, **options)
        values = added.metavar if isinstance(added.metavar, tuple) else (added.metavar or "",)
        shown = (", ".join(added.option_strings), *(values if added.nargs != 0 else ()))
        meaning = (added.help or "").replace("%(default)s", str(added.default))
        self.documented.append((" ".join(filter(None, shown)), meaning))
        return added

    def error(self, problem: str) -> NoReturn:
        """Raise a `UserError` of one line."""
        raise UserError(f"{one_line(problem)}; see {self.prog} --help")


def _choice(option: str, choices: Collection[str], text: str) -> str:
    if text not in choices:
        raise UserError(f"{option}: there is no {option.lstrip('-')} '{text}'{suggest(text, choices)}")
    return text


Main = Callable[[Sequence[str]], int]


@dataclass(frozen=True)
class Command:
    """Command of the command line.

    Attributes
    ----------
    name : str
    description : str
        What it does, in one line.
    main : callable
        Function of the words after the command. It returns the exit code.
    parser : callable
        Function that returns the parser of the words, for tab completion and the reference.
    takes_run : bool
        Whether the words are those of a run: choices and values of a configuration.
    section : type or None
        Dataclass of the section of the configuration that has the name of the command. Its fields are the keys and
        their defaults. A file ``conf/NAME.yaml`` beside the module may replace them as the primary configuration of
        the command, to explain the keys and to change other defaults, such as limits.
    purpose, usage : str
        First paragraph of ``--help`` and line of usage, of a command with a section.
    more : tuple of str
        Lines after the choices in ``--help``.
    noun : str
        What one call of a command with a section makes, with its article, for messages.
    takes_several : bool
        Whether several values of a key are several calls of a command with a section (`Request.separate`).
    instead_of_sweep : str
        Advice in the message that refuses a sweep.
    """

    name: str
    description: str
    main: Main
    parser: Callable[[], ArgumentParser]
    takes_run: bool = False
    section: type[Any] | None = None
    purpose: str = ""
    usage: str = ""
    more: tuple[str, ...] = ()
    noun: str = ""
    takes_several: bool = False
    instead_of_sweep: str = ""

    def __call__(self, arguments: Sequence[str]) -> int:
        """Run the command and return the exit code.

        Raises
        ------
        PluginError
            If the command of a plug-in raises an exception that is no `UserError`.
        UserError
            If it returns no exit code, or no installed package offers its section.
        """
        if self.section is not None:
            SECTIONS.check_offered(self.name)
        try:
            code: object = self.main(arguments)
        except (UserError, OSError):
            raise
        except Exception as error:
            if is_own_module(self.main.__module__):
                raise
            raise PluginError(f"{self.name}: the command failed", error) from None
        if not isinstance(code, int):
            raise UserError(f"command '{self.name}': expected an exit code, such as 0, got {reprlib.repr(code)}")
        return code

    @property
    def __wrapped__(self) -> Main:
        """Function by which a registry tells two commands of one name apart."""
        return self.main

    @property
    def folder(self) -> Path | None:
        """Folder of the primary configuration; None if the defaults are those of the dataclass."""
        folder = Path(sys.modules[self.main.__module__].__file__ or "").parent / "conf"
        return folder if (folder / f"{self.name}.yaml").is_file() else None


COMMANDS: Registry[Command] = Registry("command", "search_runner.commands", own_entries.COMMANDS)
"""All commands, those of the core and of features, and of installed packages."""


def command(
    name: str, description: str, *, parser: Callable[[], ArgumentParser], takes_run: bool = False,
    section: type[Any] | None = None, **texts: Any,
) -> Callable[[Main], Main]:  # fmt: skip
    """Register a function of the words as a command.

    The package names the function in its entry points, so that it is found before it is imported, and the dataclass of
    its section::

        [project.entry-points."search_runner.commands"]
        profile = "my_package.profile:main"

        [project.entry-points."search_runner.sections"]
        profile = "my_package.profile:Profile"

    Parameters
    ----------
    name, description, parser, takes_run, section
        As in `Command`. The name is an identifier.
    **texts
        Further fields of `Command`.

    Raises
    ------
    ValueError
        If the name is no identifier, another command has it, or the section cannot be one (`SectionRegistry`).
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"command {name!r}: expected a name of letters, digits and _ that does not begin with a digit")

    def register(main: Main) -> Main:
        if section is not None:
            SECTIONS.add(name, section)
        takes = takes_run or section is not None
        COMMANDS.add(name, Command(name, description, main, parser, takes, section, **{"noun": f"a {name}", **texts}))
        return main

    return register


def commands() -> dict[str, Command]:
    """Import all commands, and return them by their names."""
    return {name: COMMANDS.find(name) for name in sorted(COMMANDS.names())}
