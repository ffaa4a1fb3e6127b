"""Heuristics for snake and candies."""

from heuristics.snake import nearest as nearest
from heuristics.snake import route as route
from heuristics.snake import spanning_tree as spanning_tree
