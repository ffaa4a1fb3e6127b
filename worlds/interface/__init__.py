"""Parts that all domains share: worlds and their parts, sources, instances, and problems as the engine sees them.

A world is one problem (`world`): its rules in plain Python, and the parts that it has besides: kernels, looks, family,
playable. An instance is a world with a name, and `Problem.of` packs a world for the engine (`instance`); of a world
without kernels, those of `callbacks` call the rules with the number of a state. The rules validate plans
(`validation`), and ``python -m runner check`` compares the kernels with them.

A source is a function that makes worlds, registered by `source` (`sources`); `source_functions` says what it may take.
A `Series` (`series`) decides which instances there are and when they are made, and `source_parameters` has the
parameters that sources share. Files that cannot be read become rows (`unsupported`). `PythonWorld` and `CompiledWorld`
(`python_world`) are a world and its source in one dataclass.

What makes some searches faster: `numbering` numbers states that are few, such as the cells of a map; `perfect_index`
numbers all states without gaps, in blocks, such that a step leads from a whole block to another one and changes the
ranks in the block by a map (`worlds.permutations` makes such numbers); `state_variables` says where the variables of a
packed state are, for searches by novelty; `in_place` makes and undoes moves on one board, for IDA* (a line in
``tests/algorithms/depth_first/test_in_place.py`` tests it). `real_costs` has the units of costs that are no integers,
and `plan_texts` plans that programs write (`World.read_plan`). Pictures are drawn with `worlds.drawing`.

Other rooms import the names below.
"""

from worlds.interface import plan_texts as plan_texts
from worlds.interface.callbacks import InternedStates as InternedStates
from worlds.interface.game import Game as Game
from worlds.interface.in_place import Helper as Helper
from worlds.interface.in_place import InPlaceProblem as InPlaceProblem
from worlds.interface.in_place import InPlaceTerm as InPlaceTerm
from worlds.interface.in_place import Move as Move
from worlds.interface.instance import Instance as Instance
from worlds.interface.instance import Problem as Problem
from worlds.interface.instance import as_played as as_played
from worlds.interface.instance import checked_instance as checked_instance
from worlds.interface.instance import document_of as document_of
from worlds.interface.instance import looks_of as looks_of
from worlds.interface.long_numbers import to_number as to_number
from worlds.interface.long_numbers import to_words as to_words
from worlds.interface.numbering import NUMBER as NUMBER
from worlds.interface.numbering import Numbering as Numbering
from worlds.interface.perfect_index import MAX_STATES as MAX_STATES
from worlds.interface.perfect_index import NOWHERE as NOWHERE
from worlds.interface.perfect_index import STEPS as STEPS
from worlds.interface.perfect_index import PerfectIndex as PerfectIndex
from worlds.interface.python_world import CompiledWorld as CompiledWorld
from worlds.interface.python_world import PythonWorld as PythonWorld
from worlds.interface.real_costs import CostScale as CostScale
from worlds.interface.real_costs import automatic_scale as automatic_scale
from worlds.interface.real_costs import engine_cost as engine_cost
from worlds.interface.real_costs import engine_h as engine_h
from worlds.interface.real_costs import step_costs as step_costs
from worlds.interface.real_costs import user_cost as user_cost
from worlds.interface.replay import Replay as Replay
from worlds.interface.replay import impossible as impossible
from worlds.interface.series import generator_of as generator_of
from worlds.interface.source_parameters import Count as Count
from worlds.interface.source_parameters import Seed as Seed
from worlds.interface.source_parameters import chosen_numbers as chosen_numbers
from worlds.interface.source_parameters import sides_of as sides_of
from worlds.interface.source_parameters import sizes_up_to as sizes_up_to
from worlds.interface.source_parameters import suite_paths as suite_paths
from worlds.interface.sources import SOURCES as SOURCES
from worlds.interface.sources import Source as Source
from worlds.interface.sources import domains_of_sources as domains_of_sources
from worlds.interface.sources import source as source
from worlds.interface.state_arrays import StateArrays as StateArrays
from worlds.interface.unsupported import Refusal as Refusal
from worlds.interface.unsupported import Unreadable as Unreadable
from worlds.interface.unsupported import summary as summary
from worlds.interface.validation import answer_violation as answer_violation
from worlds.interface.validation import plan_violation as plan_violation
from worlds.interface.world import MAX_CODE as MAX_CODE
from worlds.interface.world import ActionName as ActionName
from worlds.interface.world import CostVectors as CostVectors
from worlds.interface.world import Document as Document
from worlds.interface.world import Family as Family
from worlds.interface.world import Frame as Frame
from worlds.interface.world import InputFile as InputFile
from worlds.interface.world import Kernels as Kernels
from worlds.interface.world import Looks as Looks
from worlds.interface.world import OutOfTime as OutOfTime
from worlds.interface.world import Playable as Playable
from worlds.interface.world import State as State
from worlds.interface.world import StateVariable as StateVariable
from worlds.interface.world import Step as Step
from worlds.interface.world import Unsolvable as Unsolvable
from worlds.interface.world import Words as Words
from worlds.interface.world import World as World
