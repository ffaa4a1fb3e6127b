"""New processes for tests of compiled kernels: forks of one that has loaded numba, which takes most of their time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.base.own_places import ROOT
from tests.runner.waiting import HANGING

SERVER = """
import atexit, contextlib, json, os, sys, tempfile
from worlds.compile import cache, kernels

kernels.Kernel(lambda number: number, "int64(int64)").compiled  # load the compiler, too

for line in sys.stdin:
    process = os.fork()
    if process == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
else:
    sys.exit()
request = json.loads(line)
for number in (1, 2):
    os.dup2(os.open(request["streams"][number - 1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
os.chdir(request["folder"])
os.environ.update(request["variables"])
sys.path.insert(0, request["folder"])
tempfile.tempdir = None
cache._root.__init__()  # it chose its folder when this process was forked
with contextlib.suppress(SystemExit):  # of a fork of the program
    exec(compile(request["code"], "<string>", "exec"), {"__name__": "__main__"})
atexit._run_exitfuncs()
sys.stdout.flush()
os._exit(0)  # the end of Python would take as long as the program
"""


class Processes:
    """Processes that run a program in a folder with modules of a user."""

    def __init__(self, folder: Path) -> None:
        self._streams = [str(folder / "output"), str(folder / "errors")]
        self._server = self.start(folder, SERVER, NUMBA_CACHE_DIR=str(folder / "cache"))

    def start(self, folder: Path, code: str, **variables: str) -> subprocess.Popen[str]:
        """Start a process of its own."""
        environment = {
            **os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1", **variables,
        }  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-c", code], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, folder: Path, code: str, **variables: str) -> tuple[str, str]:
        """Run a program in a fork of the server. Return its standard output and standard error."""
        request = {"folder": str(folder), "code": code, "variables": variables, "streams": self._streams}
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        print(json.dumps(request), file=self._server.stdin, flush=True)
        status = self._server.stdout.readline().strip()
        output, errors = (Path(name).read_text() for name in self._streams)
        assert status == "0", errors
        return output, errors

    def end(self) -> None:
        """End the server."""
        self._server.communicate(timeout=HANGING)


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    processes = Processes(tmp_path_factory.mktemp("processes"))
    yield processes
    processes.end()
