"""Marks of submissions of students: a heuristic, an algorithm or a world, judged by the criteria of an exercise.

The submission runs in a process of its own (`worker`), which only answers questions: the value of a state, the next
state to expand. This process (`submission`) never imports it, and computes all marks itself from the answers.
"""
