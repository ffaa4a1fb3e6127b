"""Search problems: one folder per domain, each with the modules rules, search, sources and render."""

from worlds import graph as graph
from worlds import gridmap as gridmap
from worlds import hanoi as hanoi
from worlds import npuzzle as npuzzle
from worlds import pancake as pancake
from worlds import pddl as pddl
from worlds import rubik as rubik
from worlds import snake as snake
from worlds import topspin as topspin
from worlds import wumpus as wumpus
