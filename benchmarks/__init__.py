"""Benchmarks: commands that print tables. Figures of past runs are in README.md beside this file."""
