"""Greedy best-first search: the algorithms, and their open lists.

`alternating_list` has a queue for each term of a stack, `exploring_list` takes random nodes in between, and
`preferring` searches with preferred successors (`preferring_list`).
"""

from algorithms.greedy import greedy as greedy
