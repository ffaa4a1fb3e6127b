"""Features: what can be done with searches and rows, each in a package of its own.

A feature has its commands, sections of the configuration, templates and files, and its tests are in
`tests/runner/features`. It comes in through doors, as a package of a user does; `runner.base.own_entries` has the names
of its modules. The core imports no feature: without this folder, sweeps run and resume
(`tests/runner/test_without_features.py`). A feature imports from the rooms of the core and from other features what
their `__init__` offers. Those of features stay cheap to import: pandas and matplotlib are imported when they are used.
"""
