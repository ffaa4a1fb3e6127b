"""Generators of documentation: ``python -m docs.generate`` writes what follows from the registries and docstrings.

These are the files in ``conf/world``, ``conf/algorithm``, ``conf/heuristic`` and ``conf/weighting``, the pages in
``docs/reference/``, tables of docs/metrics.md and docs/algorithms.md, and ``docs/atlas/``. Words choose parts (`conf`,
`reference`, `metrics`, `atlas`, `algorithms`) and pages (``docs/metrics.md``). In the table of expansions, it measures
the rows that are missing, and those whose counts differ on a sample
(``docs/generate/expansions.json``); with ``--again``, all. ``conf/config.yaml``, stacks, experiments and limits are
written by hand.

Figures and outputs in pages stand below a comment with what gives them, as `tests/test_figures.py` describes.
``zensical build --strict`` makes the documentation site in ``outputs/site``, and ``zensical serve`` shows it while you
write.
"""
