"""What every package may import, and what imports nothing of ours: errors, the registry, columns and statuses."""
