"""Sweeps in notebooks and scripts: the command, with a table as its result."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from runner.base.errors import UserError
from runner.features.notebook.progress import NotebookDisplay
from runner.plugin import Stop, collect_rows, execute, parse_run, prepare_sweep, read, run_parser, text

if TYPE_CHECKING:
    import pandas


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
    _, request = parse_run(run_parser("runner.sweep"), ["-m", *overrides, f"hydra.sweep.dir={text(path)}"])
    display = NotebookDisplay()
    prepared = prepare_sweep(request, display)
    if prepared.settings.dry_run:
        raise UserError("dry_run: is for the command; runner.sweep searches")
    stop = Stop(second=signal.default_int_handler)
    with prepared.begun(display) as planned:
        prepared.record(planned)
        recorder = execute(planned, prepared.folder, prepared.settings, stop, display)
        if any(totals.rows for totals in recorder.totals) or planned.logs.rows:
            collect_rows(prepared, planned, recorder)
    if stop.requested:
        raise KeyboardInterrupt
    return read(prepared.folder.path)
