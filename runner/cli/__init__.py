"""The command line: a module for every command, and what they share."""
