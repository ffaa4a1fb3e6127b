"""The tests of this folder and of some commands, with Hydra 1.4: ``python -m pytest -m hydra14``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner_cli import ROOT

HYDRA = "hydra-core==1.4.0rc3"
TESTS = ("tests/runner/config", "tests/runner/cli/test_sweep.py", "tests/runner/cli/test_run.py")


@pytest.mark.hydra14
def test_configurations_with_hydra_1_4(tmp_path: Path) -> None:
    """Hydra and OmegaConf come from a folder that stands before the installed packages."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(tmp_path / "packages"), HYDRA]
    installed = subprocess.run(install, capture_output=True, text=True, check=False)
    if installed.returncode != 0:
        pytest.skip(f"{HYDRA} cannot be installed: {installed.stderr.strip().splitlines()[-1]}")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "packages")}
    version = [sys.executable, "-c", "import hydra; print(hydra.__version__)"]
    assert HYDRA.endswith(subprocess.check_output(version, env=environment, text=True).strip())
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *TESTS]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-10_000:]
