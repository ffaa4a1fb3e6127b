"""Tests of errors, registries, columns, and files within bounds."""
