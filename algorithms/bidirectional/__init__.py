"""Searches from both ends: MM, BAE*, NBS, DVCBS and reverse A*.

`bidirectional` has the algorithms, which share one `search` and one `kernel`, compiled with each rule of `selection`.
`twins` is their node store, `clusters` has the nodes of equal g with minimum vertex covers, and `must_expand` the least
number of expansions that any such search needs.
"""

from algorithms.bidirectional import bidirectional as bidirectional
