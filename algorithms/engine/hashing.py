"""Hash function of all tables: multiply and shift, with the constants of MurmurHash3's finaliser (Appleby)."""

from __future__ import annotations

import numpy as np

from worlds.compile import helper


@helper
def hash_state(states, at, words):
    """Hash the words from offset `at` on to a uint64."""
    hashed = np.uint64(0)
    for i in range(words):
        hashed = add_word(hashed, states[at + i])
    return finish(hashed)


@helper
def add_word(hashed, word):
    """Mix a word into an unfinished hash."""
    hashed = (hashed ^ word) * np.uint64(0xFF51AFD7ED558CCD)
    return hashed ^ (hashed >> np.uint64(33))


@helper
def finish(hashed):
    """Mix the bits of a hash once more, so that the high half depends on all words."""
    hashed *= np.uint64(0xC4CEB9FE1A85EC53)
    return hashed ^ (hashed >> np.uint64(33))
