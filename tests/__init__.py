"""Tests: the same tree as the code. `naive` has slow reference implementations, `data` expected numbers.

Tests are parametrised over the registries: they test a new entry without further work. What they need of a domain is
one table, `domains`. Tests of combinations and of large families of instances take a sample, the same in every run; the
long tests take all (`sampling`). The tests of a file run in one process, which makes the fixtures of the module once.
`durations` has the budget of processor time of each file.

Tests of the command line call ``main(argv)`` in their own process (`runner_cli`). `Forked` runs a command in a fork,
for tests of signals, and `run_process` in a new process, for tests of pipes and start-up. The plug-in `gated` holds a
search until its test has sent a signal. What starts slowly is started once: `browser` shows the pages of a file in
tabs, and exercises with the same plug-ins share the process of submissions (`runner/features/grading/conftest`).
``python -m tests.fuzz`` tries thousands of bad overrides, configurations and world files: each gives one line, or a
valid run. ``python -m tests.faults`` compares sweeps that are killed, interrupted and corrupted with an undisturbed
one; with ``--sweep program`` their algorithm is a program of others.
"""
