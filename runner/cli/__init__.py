"""Command line of the core: runs and sweeps, ``resume``, ``status``, ``collect``, ``warm``, help and completion.

`main` finds commands by their names (`runner.config.commands`); those of features are in the features. Only commands
that work on an existing sweep read its files. Tests of commands call ``main(argv)`` in their own process
(`tests/runner_cli.py`), and mistakes in commands are lines of one table, `tests/runner/cli/test_mistakes.py`.
"""
