"""Searches by novelty: iterated width and best-first width search. `novelty` has the facts that states have had."""

from algorithms.novelty import best_first_width as best_first_width
from algorithms.novelty import iterated_width as iterated_width
