"""Folders of runs in one file, to send or publish: rows and plans, or all that is needed to run them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names

if TYPE_CHECKING:
    from runner.features.archive.parquet_files import pyarrow as pyarrow

__getattr__ = lazy_names(__name__, {"parquet_files": ("pyarrow",)})
