"""Digests of source files, which are part of the fingerprint of code."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from runner.records.code import _PARTS, digest_of_files, plugin_sources
from tests.test_architecture import LAYERS


def test_the_digest_depends_on_contents_and_not_on_the_order(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("1")
    two.write_text("2")
    digest = digest_of_files([one, two])
    assert digest == digest_of_files([two, one])
    assert len(digest) == 64
    two.write_text("3")
    assert digest_of_files([one, two]) != digest
    two.unlink()
    assert digest_of_files([one, two]) not in (digest, digest_of_files([one]))


def test_the_fingerprint_covers_all_rooms_that_make_rows() -> None:
    """Also what a row is made of (`runner.base`), and what measures a search (`runner.machine`)."""
    makers = LAYERS[: LAYERS.index("runner.cli")]
    assert {*_PARTS} == {room.replace(".", "/") for room in makers}


def test_modules_that_a_plugin_imports_from_its_folder_without_init_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bare_folder").mkdir()
    for name, code in {
        "late": "from bare_folder.helper import FACTOR\nfrom bare_folder import third",
        "helper": "import bare_folder.deep\nFACTOR = 1", "deep": "", "third": "", "unused": "",
    }.items():  # fmt: skip
        (tmp_path / "bare_folder" / f"{name}.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("bare_folder.late")
    names = [file.stem for file in plugin_sources((), ["bare_folder.late"])]
    assert names == ["deep", "helper", "late", "third"]
