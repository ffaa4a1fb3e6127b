"""A worker leaves a cell that has no searches left, and with it the programs of the cell."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.runner_cli import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a subreaper and /proc")

SERVER = """
import json, os, sys
servers, counts = sys.argv[1:]
with open(servers, "a+") as file:
    file.seek(0)
    others = [line for line in file.read().split() if os.path.exists("/proc/" + line)]
    file.write(str(os.getpid()) + "\\n")
with open(counts, "a") as file:
    file.write(str(len(others)) + "\\n")
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "status": "cutoff"}), flush=True)
"""


@pytest.mark.parametrize(("order", "others"), [("cells", ["0", "0", "0"]), ("interleaved", ["0", "1", "2"])])
def test_servers_run_as_long_as_their_cells_have_searches(tmp_path: Path, order: str, others: list[str]) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    words = [sys.executable, "-I", "-S", *(str(tmp_path / name) for name in ("server.py", "servers", "counts"))]
    run(
        tmp_path, "-m", "algorithm=program", f"algorithm.command=[{','.join(words)}]", "algorithm.serve=true",
        "world=npuzzle/random", "world.size=3", "world.count=2", "world.seed=1,2,3", f"order={order}",
        "hydra.sweep.dir=out",
    )  # fmt: skip
    assert (tmp_path / "counts").read_text().split() == others
