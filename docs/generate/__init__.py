"""Generators of documentation: ``python -m docs.generate`` writes what follows from the registries and docstrings."""
