"""Audits: check that a heuristic is admissible and consistent, and that an algorithm keeps its promises.

On the command line: ``python -m runner audit world=... heuristic=...``. From Python:
``runner.audit("wumpus/all", heuristic="flood_fill")``.
"""

AUDIT, TEXT, RECORD = "audit.csv", "audit.md", "audit.json"
"""Files of an audit: the table of checks, the audit as text, and the record that reports read."""
