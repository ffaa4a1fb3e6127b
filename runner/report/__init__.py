"""Reports: tables and charts of folders of runs.

On the command line: ``python -m runner report FOLDER``. From Python, call this module:
``runner.report("outputs/sweep/mine")``.
"""

from __future__ import annotations

from runner.callable_module import make_callable

make_callable(__name__, "runner.notebook.report", "report")
