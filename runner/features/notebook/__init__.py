"""Sweeps in notebooks and scripts."""
