"""Sweeps: which cells, in which folder, what is finished there, and one table of all rows."""
