"""Benchmarks: commands that print tables. README.md in this folder has figures of past runs."""
