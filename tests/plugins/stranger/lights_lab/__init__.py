"""A stranger's package, which uses `runner` and `runner.plugin` alone."""

from lights_lab import marking, searching  # noqa
