"""Heuristics for snake and candies, one file each."""

from heuristics.snake import nearest as nearest
from heuristics.snake import remaining as remaining
from heuristics.snake import route as route
from heuristics.snake import spanning_tree as spanning_tree
