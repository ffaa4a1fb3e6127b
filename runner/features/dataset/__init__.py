"""Data to learn heuristics from: states with h_star, their steps and optimal actions, as one npz or Parquet file.

``python -m runner dataset world=... --out FILE`` explores the spaces of small instances (`spaces`), and
``python -m runner dataset FOLDER --out FILE`` plays the plans of a finished sweep (`trajectories`). Each gives parts,
which `table` joins into arrays, and `formats` writes these.
"""
