"""From cells to rows: the plan, the pool of workers, and the searches themselves."""
