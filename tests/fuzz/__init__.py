"""Fuzzer of the command: each random bad input must be refused with one line, or be a valid run."""
