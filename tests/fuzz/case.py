"""One input: the arguments of a command and the files in its working directory."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Link:
    """A symbolic link, to wherever."""

    target: str


@dataclass(frozen=True)
class Fifo:
    """A pipe with a name, that nobody writes to."""


@dataclass(frozen=True)
class Folder:
    """A folder where a file is expected."""


Content = bytes | Link | Fifo | Folder


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes
    ----------
    kind : {"overrides", "configs", "worlds"}
    arguments : tuple of str
        Of the command.
    files : dict of str to content
        By their paths in the working directory.
    path : str, optional
        Of a world file, where nothing else is unusual: such a case needs no configuration composed for it.
    """

    kind: str
    arguments: tuple[str, ...]
    files: dict[str, Content] = field(default_factory=dict)
    path: str | None = None

    @property
    def text(self) -> str:
        """All that may say something to the program."""
        contents = (content for content in self.files.values() if isinstance(content, bytes))
        return "\n".join([*self.arguments, *(content.decode(errors="replace") for content in contents)])

    @property
    def chooses_folder(self) -> bool:
        """Whether the user says where results go, other than to `outputs`."""
        return any(word in self.text for word in ("hydra.run", "hydra.sweep", "hydra:", "${hydra"))

    @property
    def is_sweep(self) -> bool:
        """Whether there may be several jobs, each with lines of its own."""
        return any(word in self.text for word in ("-m", "--multirun", "MULTIRUN", "mode"))

    def write(self, directory: Path) -> None:
        """Make the files in a directory; those whose names the file system does not take are left out."""
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
