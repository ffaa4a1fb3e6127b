"""Reports: from folders of runs to the tables and charts that people publish (``python -m runner.report``)."""
