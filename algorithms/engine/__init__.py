"""The compiled machinery: node store, open list, and the resumable steps of searches."""
