"""Sweeps on a cluster: ``python -m runner submit`` gives slices of the plan of a sweep to SLURM."""

SUBMITTED, LOGS = "submitted.json", "slurm"
"""Record of the submitted tasks, and folder of their logs, in the folder of a sweep."""
