"""A stranger's package, which uses `runner` and `runner.plugin` alone."""

from lights_lab import checking, combining, marking, reporting, searching, sources  # noqa: F401 - they register their entries
