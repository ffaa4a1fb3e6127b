"""Rows on disk: write, index, read and collect them.

A `Result` (`result`) becomes a line of metrics.csv (`row`), which the `Log` of its cell keeps (`log`). `rule` decides
which rows count: of each `run_id`, the newest finished row of the current code (`code` has the fingerprint). `view` has
all logs of a sweep: results.csv, `status` and the next plan are made of it. `folder` locks the folder of a sweep and
records its cells. `reader` and `plans` read what is beside the rows as data, within bounds
(`runner.base.bounded_files`); `given` finds the results that users name, and features add formats to it.

`Instance.source` is the name of the source. It, `Instance.key` (the name and `World.identity`) and the effective search
(`runner.config.sections.search_key`) determine the `run_id`. `Algorithm.effective` maps different spellings of a search
to one; weights belong to weightings.
"""
