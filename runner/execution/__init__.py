"""Execution of cells: the plan, the pool of workers, and the searches."""
