"""Machine of a process, and what searches take of it: processor time, memory, processors.

Linux is supported in full. On other systems, and where the system does not allow something, functions return None or do
nothing, and nothing fails.

- `interference`: what else the machine did while a cell was searched.
- `instructions`: how many instructions a search executes, as the processor counts them.
- `processors`: physical cores and memory nodes, and how a process keeps to one of them.
- `control_groups`: groups of version 2 that limit and measure the memory and the processor time of processes.
- `usage`: what the search of an instance has taken, measured in the process that searches.
- `processes`: the memory of a process tree, seen from outside.
"""
