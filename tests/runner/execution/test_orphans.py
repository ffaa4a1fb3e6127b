"""Workers end together with the process that started them."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.plugins import install
from tests.processes import descendants
from tests.runner.cli.test_resume import GATED
from tests.runner.waiting import wait_for
from tests.runner_cli import Forked, rows, run


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they end with their job")
def test_a_killed_sweep_leaves_no_workers_that_block_the_next_command(tmp_path: Path) -> None:
    install(tmp_path, "gated")
    (tmp_path / "gate").write_text("2")
    process = Forked(tmp_path, *GATED, "workers=2")
    wait_for(lambda: any((tmp_path / "out").glob("*/metrics.csv")) and len(descendants(process.pid)) == 2)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    (tmp_path / "gate").unlink()
    again = run(tmp_path, *GATED)
    assert again.returncode == 0, again.stderr
    assert "another process is writing to this file" not in again.stderr
    assert len(rows(tmp_path / "out" / "results.csv")) == 80
