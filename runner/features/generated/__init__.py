"""Choice among heuristics that a program wrote, by training instances: ``python -m runner select``."""
