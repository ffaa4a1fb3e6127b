"""Start a SLURM of one node for the tests of this folder, if it can be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CANNOT_RUN = 75


@pytest.fixture(scope="session")
def slurm() -> Iterator[dict[str, str]]:
    """Return the environment variables that the commands of SLURM need."""
    if shutil.which("sbatch") is None and not os.environ.get("CI"):
        pytest.skip("SLURM is not installed; slurm_up.sh in this folder installs and starts it, as root on Debian")
    # the paths of sockets must be short, and the user munge must reach them
    folder = tempfile.mkdtemp(prefix="slurm.", dir="/tmp")
    Path(folder).chmod(0o755)
    up = subprocess.run(
        [HERE / "slurm_up.sh", folder],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    try:
        if up.returncode == CANNOT_RUN:
            pytest.skip(up.stderr.strip())
        assert up.returncode == 0, up.stderr
        yield dict([up.stdout.strip().split("=", 1)])
    finally:
        subprocess.run([HERE / "slurm_down.sh", folder], timeout=120, check=False)
