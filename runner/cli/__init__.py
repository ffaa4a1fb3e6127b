"""Command line: one module per command, and the modules that the commands share."""
