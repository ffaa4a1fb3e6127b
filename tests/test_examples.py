"""The notebooks of the examples run from the first to the last cell."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest

from tests.runner_cli import ROOT, environment

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")
def test_notebooks_run(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    content = nbformat.read(notebook, as_version=4)
    assert not any(cell.get("outputs") for cell in content.cells), "commit notebooks without outputs"
    client = nbclient.NotebookClient(content, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    assert {each.name for each in tmp_path.iterdir()} <= {"ipython", notebook.stem}
