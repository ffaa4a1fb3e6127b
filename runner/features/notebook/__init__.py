"""Sweeps and reports in notebooks and scripts: ``runner.sweep`` and ``runner.report``."""
