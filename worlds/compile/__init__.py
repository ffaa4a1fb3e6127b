"""Compilation by numba: kernels, their cache on disk, and operations that numba lacks. All tricks of numba are here."""
