"""Package of the examples of plug-ins: `runner.examples.NAME` is the file ``examples/NAME.py``.

In a checkout they are in its folder `examples`, in an installed wheel in a folder of `runner`.
"""

from __future__ import annotations

from runner.base import DATA

__path__ = [str(DATA / "examples")]
