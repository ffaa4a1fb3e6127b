"""Rows on disk: written, indexed, read and collected."""
