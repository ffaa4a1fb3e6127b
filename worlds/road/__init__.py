"""Road networks and other explicit graphs whose arcs have one to five costs.

`network` has the arcs as arrays, and shortest distances on them.
"""
