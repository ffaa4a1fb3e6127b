"""Search problems of Pacman: reach the food, eat all of it, or visit the four corners, without ghosts."""

from worlds.pacman import sources as sources
