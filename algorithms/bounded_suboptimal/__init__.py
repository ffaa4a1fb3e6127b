"""Bounded-suboptimal search: the algorithms, and their open list with several orders (`focal_list`)."""

from algorithms.bounded_suboptimal import bounded_suboptimal as bounded_suboptimal
