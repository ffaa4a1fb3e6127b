"""From YAML and overrides to checked cells."""
