"""The Wumpus cave: fetch the gold and climb out alive."""

from worlds.wumpus import exhaustive as exhaustive
from worlds.wumpus import sources as sources
