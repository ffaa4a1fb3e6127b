"""Words of a command (`arguments`), and what follows from them, computed once (`request`)."""
