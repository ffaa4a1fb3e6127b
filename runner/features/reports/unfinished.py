"""Rows of sweeps that are planned and missing, because a sweep was interrupted or still runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from runner.base import plural
from runner.features.reports.tables import listed
from runner.records import SweepFolder, SweepLogs, searched_instances


def missing_rows(homes: Mapping[Path, int]) -> str:
    """Return how many rows of the newest commands of sweeps are missing, and in which cells; empty if none is.

    Parameters
    ----------
    homes : mapping of Path to int
        Folders of runs and sweeps, each with its number of rows of searches that were not interrupted.
    """
    missing = planned = 0
    cells = list[str]()
    for home, rows in homes.items():
        sweep = SweepFolder(home)
        recorded = sweep.recorded()
        if rows >= sum(job.instances for job in recorded):
            continue
        jobs = [job for job in recorded if job.is_current]
        total = sum(job.instances for job in jobs)
        logs = SweepLogs(home, [])
        if not logs.logs:  # as in an archive
            missing += max(0, total - rows)
            jobs = []
        for job in jobs:
            log = logs.logs.get(home / job.folder)  # None if it is corrupt, or has no rows yet
            lost = job.instances - (0 if log is None else len(searched_instances(job, log)))
            missing += max(0, lost)
            name = ", ".join(f"{key}={job.values[key]}" for key in job.swept if key in job.values) or job.folder
            cells += [f"{name}: {lost:,} of {job.instances:,}"] if lost > 0 else []
        planned += total
    where = f" ({listed(cells)})" if cells else ""
    return f"{missing:,} of {plural(planned, 'planned row')} are missing{where}" if missing else ""
