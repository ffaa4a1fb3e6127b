"""Hydra's grammar of overrides and its errors, and settings of Hydra that have no effect here."""
