"""The pancake problem: flip the top of a stack until the pancakes lie in order."""

from worlds.pancake import sources as sources
