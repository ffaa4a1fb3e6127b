"""Programs of others: how they are started, limited and ended."""
