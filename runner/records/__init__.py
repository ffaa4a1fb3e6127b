"""Write, index, read and collect rows on disk."""
