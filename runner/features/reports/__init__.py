"""Reports: tables and charts of folders of runs. On the command line: ``python -m runner report FOLDER``.

A table is a function of the rows (`Runs`) that returns a `Table`, and a chart one that returns a `Chart`; all formats
follow from that. Texts in charts pass through `literal` or `short`, which escape them; `tip` sets tooltips.
``python -m tests.runner.features.reports.test_golden`` writes the expected numbers of the tests again.
"""
