"""From cells to rows: the plan, the pool of workers, and the searches.

The `plan` is known before anything runs: duplicates are merged, finished rows subtracted, folders allocated. The `pool`
gives ranges of instances to `process`es, and keeps what each has still to do. A process and its worker share a small
block of memory (`worker_state`) with the instance that the worker searches. If a worker dies, that instance gets a row
`crashed`, and a new worker continues. The same file has the limits by which the system ends a worker.

A worker runs a `searcher` over its ranges, which sends messages to the pool. For each instance the `solver` makes an
attempt, which searches or plays it, validates the plan, and always has a result. With ``workers=0`` the same searcher
runs in the process of the command. Only the parent writes (`recorder`), and a row is on disk before its worker
continues. `stop` sets a flag at a signal and wakes the poll of the pool. It raises nothing; searches check the flag
between steps.

This package prints nothing: it reports events to a `display`, which commands and notebooks show. The exit code of a
sweep follows from its plan and the totals of its rows, in memory.
"""
