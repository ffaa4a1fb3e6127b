"""Audits: check that a heuristic is admissible and consistent, and that an algorithm keeps its promises.

On the command line: ``python -m runner audit world=... heuristic=...``. From Python:
``runner.audit("wumpus/all", heuristic="flood_fill")``.

An audit works in a worker process, which sends it when it is complete (`worker`). It explores all states from a start
(`algorithms.engine.state_space`), computes h_star backwards over them (`distances`) and evaluates the stack in every
state (`state_values`). Checks of heuristics and of algorithms find violations. Those of worlds take a `Sample`, raise
``Violation("message")`` or ``NotApplicable("reason")``, and return what they have looked at (None: all states of the
sample). All give a `Finding`, which audit.json, the terminal, notebooks and reports show. If a world implements
`smaller`, `starting_at` and `document` and has an exhaustive source, audits shrink counterexamples, and save them.
"""

AUDIT, TEXT, RECORD = "audit.csv", "audit.md", "audit.json"
"""Files of an audit: the table of checks, the audit as text, and the record that reports read."""
