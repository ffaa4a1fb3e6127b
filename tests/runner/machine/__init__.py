"""Tests of what the machine is, and of what searches take of it."""
