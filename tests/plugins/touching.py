"""Create the file ``owned`` when this module is imported."""

from pathlib import Path

Path("owned").touch()
