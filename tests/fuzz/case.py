"""Input of one run: the arguments of a command and the files in its working directory."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Link:
    """A symbolic link to any target."""

    target: str


@dataclass(frozen=True)
class Fifo:
    """A named pipe to which no process writes."""


@dataclass(frozen=True)
class Folder:
    """A folder in place of a file."""


Content = bytes | Link | Fifo | Folder


@dataclass(frozen=True)
class Case:
    """Input of one run.

    Attributes
    ----------
    kind : {"overrides", "configs", "worlds"}
    arguments : tuple of str
        Arguments of the command.
    files : dict of str to content
        Contents by paths in the working directory.
    path : str, optional
        Value of `world.path`, if it is the only unusual setting. The configuration is then composed before the run.
    """

    kind: str
    arguments: tuple[str, ...]
    files: dict[str, Content] = field(default_factory=dict)
    path: str | None = None

    @property
    def text(self) -> str:
        """Arguments and contents of files as one text."""
        contents = (content for content in self.files.values() if isinstance(content, bytes))
        return "\n".join([*self.arguments, *(content.decode(errors="replace") for content in contents)])

    @property
    def chooses_folder(self) -> bool:
        """Whether the input may choose an output folder other than `outputs`."""
        return any(word in self.text for word in ("hydra.run", "hydra.sweep", "hydra:", "${hydra"))

    @property
    def is_sweep(self) -> bool:
        """Whether the command may be a sweep, whose cells print lines of their own."""
        return any(word in self.text for word in ("-m", "--multirun", "MULTIRUN", "mode"))

    def write(self, directory: Path) -> None:
        """Write the files into a directory, except those with names that the file system refuses."""
        for name, content in self.files.items():
            path = directory / name
            with suppress(OSError, ValueError):
                path.parent.mkdir(parents=True, exist_ok=True)
                if isinstance(content, Link):
                    path.symlink_to(content.target)
                elif isinstance(content, Fifo):
                    os.mkfifo(path)
                elif isinstance(content, Folder):
                    path.mkdir(exist_ok=True)
                else:
                    path.write_bytes(content)

    def __str__(self) -> str:
        lines = [f"  arguments: {' '.join(shlex.quote(_shown(argument)) for argument in self.arguments)}"]
        lines += [f"  file {name!r}: {_shown(repr(content))}" for name, content in self.files.items()]
        return "\n".join(lines)


def _shown(text: str) -> str:
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= 1200 else f"{text[:700]} ... {text[-300:]} ({len(text)} characters)"
