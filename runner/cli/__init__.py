"""Command line of the core: runs and sweeps, ``resume``, ``status``, ``collect``, ``warm``, help and completion.

`main` finds commands by their names (`runner.config.doors.commands`); those of features are in the features. Only
commands that work on an existing sweep read its files. Tests of commands call ``main(argv)`` in their own process
(`tests/runner_cli.py`), and mistakes in commands are lines of one table, `tests/runner/cli/test_mistakes.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.base import lazy_names

if TYPE_CHECKING:
    from runner.cli.display import TerminalDisplay as TerminalDisplay
    from runner.cli.information import run_single as run_single
    from runner.cli.main import run_command as run_command
    from runner.cli.progress import TerminalProgress as TerminalProgress
    from runner.cli.run import run_prepared as run_prepared
    from runner.cli.status import SubmittedTask as SubmittedTask

_MODULES = {
    "display": ("TerminalDisplay",),
    "information": ("run_single",),
    "main": ("run_command",),
    "progress": ("TerminalProgress",),
    "run": ("run_prepared",),
    "status": ("SubmittedTask",),
}

__getattr__ = lazy_names(__name__, _MODULES)
