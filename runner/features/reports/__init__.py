"""Reports: tables and charts of folders of runs. On the command line: ``python -m runner report FOLDER``."""
