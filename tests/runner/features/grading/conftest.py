"""One process that runs submissions for all exercises with the same plug-ins: to start one takes a second."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from runner import load
from runner.features.grading import grader
from runner.features.grading.submission import Server
from worlds.interface import Instance

WORLDS = ("npuzzle/random", "wumpus/static")
"""Worlds whose kernels each process loads, beside those of its exercise."""


class Kept:
    """A server that goes on when a grader closes it."""

    def __init__(self, server: Server) -> None:
        self.start, self.end = server.start, server.end

    def close(self) -> None:
        """Keep the process for the next exercise."""


@pytest.fixture(scope="package")
def kept_server() -> Iterator[Callable[..., Any]]:
    """Return what starts a server for some plug-ins in an environment, or returns that of before.

    A fork of this process gets servers of its own.
    """
    own, servers, common = os.getpid(), dict[object, Server](), [next(iter(load(name))) for name in WORLDS]

    def server(plugins: Sequence[Path], samples: Sequence[Instance]) -> Server | Kept:
        if os.getpid() != own:
            return Server(plugins, samples)
        environment = frozenset((name, text) for name, text in os.environ.items() if not name.startswith("PYTEST_"))
        key = tuple((file.name, file.read_bytes()) for file in plugins), environment
        if key not in servers:
            servers[key] = Server(plugins, [*samples, *common])
        return Kept(servers[key])

    yield server
    for each in servers.values():
        each.close()


@pytest.fixture(autouse=True)
def _kept(kept_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader, "Server", kept_server)
