"""Snake and candies: eat all candies on a torus without running into yourself."""

from worlds.snake import exhaustive as exhaustive
from worlds.snake import sources as sources
