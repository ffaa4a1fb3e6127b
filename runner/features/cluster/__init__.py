"""Sweeps on a cluster: ``python -m runner submit`` divides a sweep into parts, and gives them to SLURM as a job array.

A task of SLURM, of another scheduler or of a shell runs ``python -m runner part``. Rows on disk decide which instances
are finished. The queue only shows which tasks are queued or running, so SLURM needs no accounting.
"""

PARTS, SCRIPT, LOGS = "parts.json", "part.sh", "slurm"
"""Record of the parts of a sweep, script that runs one, and folder of logs of SLURM, in the folder of the sweep."""
