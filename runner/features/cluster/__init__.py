"""Sweeps on a cluster: ``python -m runner submit`` gives slices of the plan of a sweep to SLURM.

For other schedulers, and for shells, it divides the sweep into parts, which ``python -m runner part`` runs.
"""

SUBMITTED, LOGS = "submitted.json", "slurm"
"""Record of the submitted tasks, and folder of their logs, in the folder of a sweep."""
PARTS, SCRIPT = "parts.json", "part.sh"
"""Record of the parts of a sweep, and script that runs one, in the folder of the sweep."""
