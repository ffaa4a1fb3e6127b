"""Folders of runs in one file, to send or publish: rows and plans, or all that is needed to run them again."""
