"""Checked cells: keys and sections of a configuration, the registries behind them, and `Cell` (`schema`)."""
