"""Real-time search: the algorithms, and the entries of their control array."""

from algorithms.real_time import real_time as real_time
