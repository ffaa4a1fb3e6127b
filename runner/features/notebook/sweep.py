"""Sweeps in notebooks and scripts: the command, with a table as its result."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from runner.base import UserError, override_text, plural
from runner.cli import TerminalDisplay, TerminalProgress
from runner.config import parse_run, run_parser
from runner.execution import Stop, Sweep
from runner.records import read

if TYPE_CHECKING:
    import pandas

_REFRESH_SECONDS = 0.2


def sweep(*overrides: str, folder: str | os.PathLike[str]) -> pandas.DataFrame:
    """Run a sweep, as ``python -m runner -m`` does with the same words, and return its rows.

    Rows are on disk as soon as their searches end. If the sweep is interrupted, or the kernel of the notebook ends, the
    same call goes on where it stopped. What is finished is not searched again.

    Parameters
    ----------
    *overrides : str
        Words of the command, such as ``"algorithm=astar,idastar"``, ``"world.count=30"`` or ``"workers=all"``. Plug-ins
        that the notebook itself defines need no name.
    folder : path
        Folder of the sweep.

    Returns
    -------
    pandas.DataFrame
        All rows of the folder, as `runner.read` returns them.

    Raises
    ------
    runner.UserError
        If the configuration is wrong, or no cell can run.
    KeyboardInterrupt
        On Ctrl-C or "Interrupt" in a notebook, after the rows of the searches that have ended are collected.

    Examples
    --------
    >>> rows = runner.sweep("algorithm=astar,ucs", "world.count=20", folder="outputs/mine")  # doctest: +SKIP
    """
    path = os.path.abspath(os.fspath(folder))  # noqa: PTH100
    _, request = parse_run(run_parser("runner.sweep"), ["-m", *overrides, f"hydra.sweep.dir={override_text(path)}"])
    prepared = Sweep.of(request, TerminalDisplay(shows_cells=False, progress=_progress))
    if prepared.settings.dry_run:
        raise UserError("dry_run: is for the command; runner.sweep searches")
    stop = Stop(second=signal.default_int_handler)
    with prepared.begun():
        prepared.collect(prepared.search(stop))
    if stop.requested:
        raise KeyboardInterrupt
    return read(prepared.folder.path)


def _progress(title: str, total: int, _: bool) -> NotebookProgress | TerminalProgress:
    """Return a bar below the cell of a notebook; outside of notebooks, that of the command."""
    return NotebookProgress(title, total) if _is_notebook() else TerminalProgress(title, total, enabled=True)


def _is_notebook() -> bool:
    """Return whether this code runs in a notebook that shows HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return type(get_ipython()).__name__ == "ZMQInteractiveShell"


class NotebookProgress:
    """Display of the number of instances that have rows, below the cell of a notebook.

    Parameters
    ----------
    title : str
        Text before the bar.
    total : int
        Number of instances.
    """

    def __init__(self, title: str, total: int) -> None:
        self._title = title
        self._total = total
        self._done = 0
        self._began = self._refreshed = time.monotonic()
        self._ipython: Any = import_module("IPython.display")
        self._handle: Any = None

    def __enter__(self) -> NotebookProgress:
        self._handle = self._ipython.display(self._ipython.HTML(self._bar()), display_id=True)
        return self

    def __exit__(self, *exception: object) -> None:
        self._show(self._bar())

    def advance(self, count: int) -> None:
        """Count instances that have got a row."""
        self._done += count

    def show_building(self, title: str, share: float) -> None:
        """Show what is built, and the share of it that is done."""
        self._show(f"{escape(title)}: {share:.0%}")

    def show_workers(self, workers: Sequence[object]) -> None:  # noqa: ARG002
        """Show the bar, unless it was shown less than 0.2 s ago."""
        if time.monotonic() > self._refreshed + _REFRESH_SECONDS:
            self._show(self._bar())

    def _show(self, text: str) -> None:
        self._refreshed = time.monotonic()
        if self._handle is not None:
            self._handle.update(self._ipython.HTML(text))

    def _bar(self) -> str:
        seconds = time.monotonic() - self._began
        done = f"{self._done:,} of {plural(self._total, 'instance')}, {seconds:.1f} s"
        bar = f'<progress value="{self._done}" max="{max(1, self._total)}" style="width: 16em"></progress>'
        return f"{escape(self._title)} {bar} {done}"
