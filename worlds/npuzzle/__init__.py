"""The n-puzzle: slide the tiles of a board until they are in order."""

from worlds.npuzzle import exhaustive as exhaustive
from worlds.npuzzle import sources as sources
