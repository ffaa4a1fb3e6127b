"""The configuration groups, as package data."""
