"""Rubik's cube: turn faces until each has one colour."""

from worlds.rubik import sources as sources
