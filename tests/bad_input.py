"""Error messages for bad input, and a valid cave to start from."""

from __future__ import annotations

from collections.abc import Callable

from runner.base import own_packages
from runner.base.errors import UserError
from runner.config.cell import sections

own_packages.load()

CAVE = '{"size": [3, 3], "hunters": [[0, 0, "N"]], "golds": [[2, 2]]}'
DOMAINS = {"wumpus": ".json", "npuzzle": ".txt", "snake": ".txt"}
"""Extension of world files by domain."""


def error_of(action: Callable[[], object]) -> str:
    """Return the message of the `UserError` that an action raises; empty if it raises none."""
    message = ""
    try:
        action()
    except UserError as error:
        message = str(error) or "nothing"
    assert message.isprintable()
    return message


def error_of_file(domain: str, path: str, **parameters: object) -> str:
    """Return the error message for a world file; empty if the file is valid."""

    def load() -> None:
        source = sections.source_of({"name": f"{domain}/file", "path": path, **parameters})
        source.check()
        assert list(source.samples())

    return error_of(load)
