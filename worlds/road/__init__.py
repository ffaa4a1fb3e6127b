"""Road networks and other explicit graphs whose arcs have one to five costs.

`network` has the arcs as arrays, and shortest distances on them; `shared` what all queries of a network share.
"""

from worlds.road import sources as sources
