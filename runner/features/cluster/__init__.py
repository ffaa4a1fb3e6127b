"""Clusters: submission of sweeps to SLURM."""

SUBMITTED, LOGS = "submitted.json", "slurm"
"""Record of the submitted tasks, and folder of their logs, in the folder of a sweep."""
