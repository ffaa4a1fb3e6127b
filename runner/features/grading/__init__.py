"""Marks of submissions of students: a heuristic, an algorithm, a world or a program, judged by criteria.

The submission runs in a process of its own (`worker`), which only answers questions: the value of a state, the next
state to expand. It gets no reference; only numbers, JSON and text come back from it (`channel`). This process
(`submission`) never imports it, and computes all marks itself from the answers, which an `Exam` keeps. Of a submitted
world these are numbered states (`numbered_world`), which the grader explores and checks itself (`submitted_world`). A
program in any language is built and started as those of sweeps, and its plans are replayed (`submitted_program`).

A criterion is a registered dataclass with `judge`, and a line in docs/teaching_reference.md.
"""
