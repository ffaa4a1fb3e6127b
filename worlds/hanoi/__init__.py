"""The Tower of Hanoi with any number of pegs."""

from worlds.hanoi import sources as sources
