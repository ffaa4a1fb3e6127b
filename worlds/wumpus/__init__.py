"""The Wumpus cave: fetch the gold, climb out, and do not die."""

from worlds.wumpus import exhaustive as exhaustive
from worlds.wumpus import sources as sources
