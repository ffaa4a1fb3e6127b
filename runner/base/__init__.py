"""Modules that every package may import, and that import nothing of ours: errors, registry, columns, statuses."""
