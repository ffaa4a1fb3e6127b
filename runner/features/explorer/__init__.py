"""Explorer: one page that plays a search, and its trace in other formats."""
