"""SplitMix64 (Steele, Lea and Flood 2014), as its authors give it in C."""

from __future__ import annotations

_MASK = (1 << 64) - 1


class SplitMix64:
    """Stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self._state = seed

    def bits(self, count: int) -> int:
        """Return the highest bits of the next number."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((self._state ^ (self._state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return (mixed ^ (mixed >> 31)) >> (64 - count)

    def unit(self) -> float:
        """Return a number from 0 to 1 (excluded)."""
        return self.bits(53) / 2**53

    def below(self, count: int) -> int:
        """Return an integer from 0 to `count` (excluded)."""
        return int(self.unit() * count)
