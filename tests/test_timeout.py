"""A test that never ends is named, and ends its process, which no exception could do in a kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runner.waiting import HANGING
from tests.runner_cli import ROOT

HANGING_TEST = """
import ctypes

def test_of_a_search_with_a_wrong_bound():
    ctypes.PyDLL(None).pause()  # keeps the lock of the interpreter, as a kernel does
"""


@pytest.mark.skipif(os.name != "posix", reason="other systems have no pause")
def test_a_test_that_hangs_ends_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING_TEST)
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    command += ["--rootdir", ".", "-o", "faulthandler_timeout=1", "test_hanging.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=HANGING, check=False)
    assert done.returncode == 1
    assert "Timeout" in done.stderr
    assert "in test_of_a_search_with_a_wrong_bound" in done.stderr
