"""Several agents on a grid map (multi-agent path finding): joint rules, scenarios of the MovingAI benchmark."""

from worlds.mapf import exhaustive as exhaustive
from worlds.mapf import maps as maps
from worlds.mapf import sources as sources
