"""Reports: tables and charts of folders of runs (``python -m runner report``)."""
