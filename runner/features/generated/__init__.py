"""Candidates that a program wrote or chose: choice among them, ``python -m runner select``, and their evaluation.

Each is given by overrides. `evaluation` searches with one in a process of its own; behind it `evaluate` is a command, a
server and, by `tuners`, a target program. `select` makes cells of `candidates`, and `selection` compares their rows.
"""
