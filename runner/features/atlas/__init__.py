"""Published tables: what reproduces them, and rows that come with the package.

A folder with entry.yaml is an entry. ``python -m runner reproduce`` runs one and compares the rows with the published
ones; ``atlas:NAME`` names its rows in reports. ``python -m docs.generate atlas`` writes the pages in docs/atlas.
"""
