"""TopSpin: reverse neighbouring tokens of a ring until all tokens are in order."""

from worlds.topspin import sources as sources
