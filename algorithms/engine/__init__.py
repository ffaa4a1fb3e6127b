"""Engine of the algorithms: resumable searches (`*_search`), the kernels that they run (`*_step`), and their arrays.

A search is a Python object around one kernel. The kernel runs at most `budget` expansions and returns a `StepStatus`.
Between such steps `search` checks limits, grows memory and reports progress. `nodes` stores nodes as records in one
block of memory that grows in place (`memory`) and finds them through a hash table. `open_list` orders them by a `heap`,
and families add lists of their own. `values` stores values beside h. `control` names the entries of the array through
which a kernel and its Python object communicate; the entries of open lists and of best-first search have tables behind
them (`control_open_list`, `control_best_first`), and other families their own.

A search of a family derives from `StoredSearch` of `compiled_search`, or its base. The kernels share `find_or_insert`
of `nodes`, and `successors` (expanding a node, relaxing, reopening). Families that differ in their open list alone have
one kernel, `algorithms.best_first.kernel`, compiled with the functions of each list.

If the world numbers its states, a kernel finds a node by the number of its state, with a kernel for each world and
heuristic that contains their functions (`inlined`, `number_table`): best-first search if costs are real, searches from
both ends and bounded-suboptimal ones from 16,384 states on. Stacks of several heuristics and those in plain Python take
the kernel of all worlds. Both must expand the same nodes; ``tests/algorithms/engine/test_number_table.py`` compares
them. Searches of a numbering use the same memory one after the other: new pages would take longer than a short search.

Other rooms import the names below. Plug-ins may import these of them, which docs/plugins/algorithms.md describes;
everything else may change::

    control, control_best_first, control_open_list                         all entries
    StoredSearch, StepStatus, status_of                                    searches
    BUFFERS, HEURISTIC, WORLD, expansion_buffers, hash_state               arguments of kernels
    FIELD_WORDS, PARENT, PREVIOUS, STORE, G, H, Nodes                      nodes
    child_depth, find_or_insert, set_path, expand_node, move_forward       nodes
    DEAD_END, QUEUE, OpenList, first_f, first_node, has_room, is_open      open lists
    pop, push, remove, CLOSED, FUNCTION, with_function                     open lists
"""

from algorithms.engine import control as control
from algorithms.engine import control_best_first as control_best_first
from algorithms.engine import control_open_list as control_open_list
from algorithms.engine import number_table as number_table
from algorithms.engine.compiled_search import CompiledSearch as CompiledSearch
from algorithms.engine.compiled_search import StoredSearch as StoredSearch
from algorithms.engine.control import OWN as OWN
from algorithms.engine.hashing import add_word as add_word
from algorithms.engine.hashing import finish as finish
from algorithms.engine.hashing import hash_state as hash_state
from algorithms.engine.heap import PARTS as PARTS
from algorithms.engine.heap import by_keys_and_item as by_keys_and_item
from algorithms.engine.heap import has_root as has_root
from algorithms.engine.heap import heap_of as heap_of
from algorithms.engine.heap import insert_entry as insert_entry
from algorithms.engine.inlined import FEWEST_STATES as FEWEST_STATES
from algorithms.engine.inlined import Inlined as Inlined
from algorithms.engine.inlined import evaluator as evaluator
from algorithms.engine.inlined import expander as expander
from algorithms.engine.inlined import goal_test as goal_test
from algorithms.engine.inlined import inlined_in as inlined_in
from algorithms.engine.inlined import lookup as lookup
from algorithms.engine.inlined import single_term as single_term
from algorithms.engine.inlined import test_by_address as test_by_address
from algorithms.engine.kernel_arguments import BUFFERS as BUFFERS
from algorithms.engine.kernel_arguments import HEURISTIC as HEURISTIC
from algorithms.engine.kernel_arguments import WORLD as WORLD
from algorithms.engine.kernel_arguments import Arrays as Arrays
from algorithms.engine.kernel_arguments import expansion_buffers as expansion_buffers
from algorithms.engine.kernel_arguments import heuristic_of as heuristic_of
from algorithms.engine.limits import Limits as Limits
from algorithms.engine.memory import GrowingArrays as GrowingArrays
from algorithms.engine.memory import Memory as Memory
from algorithms.engine.node_space import NodeSpace as NodeSpace
from algorithms.engine.nodes import FIELD_WORDS as FIELD_WORDS
from algorithms.engine.nodes import MAX_DEPTH as MAX_DEPTH
from algorithms.engine.nodes import MOVE as MOVE
from algorithms.engine.nodes import NEXT as NEXT
from algorithms.engine.nodes import PARENT as PARENT
from algorithms.engine.nodes import PREVIOUS as PREVIOUS
from algorithms.engine.nodes import STORE as STORE
from algorithms.engine.nodes import G as G
from algorithms.engine.nodes import H as H
from algorithms.engine.nodes import Nodes as Nodes
from algorithms.engine.nodes import capacity_within as capacity_within
from algorithms.engine.nodes import child_depth as child_depth
from algorithms.engine.nodes import copy_state as copy_state
from algorithms.engine.nodes import find_node as find_node
from algorithms.engine.nodes import find_or_insert as find_or_insert
from algorithms.engine.nodes import set_path as set_path
from algorithms.engine.open_list import CLOSED as CLOSED
from algorithms.engine.open_list import DEAD_END as DEAD_END
from algorithms.engine.open_list import FUNCTION as FUNCTION
from algorithms.engine.open_list import HEAD as HEAD
from algorithms.engine.open_list import INCONSISTENT as INCONSISTENT
from algorithms.engine.open_list import INVALID as INVALID
from algorithms.engine.open_list import MEETING as MEETING
from algorithms.engine.open_list import NOTHING as NOTHING
from algorithms.engine.open_list import PENDING as PENDING
from algorithms.engine.open_list import POTENTIAL as POTENTIAL
from algorithms.engine.open_list import PRUNED as PRUNED
from algorithms.engine.open_list import QUEUE as QUEUE
from algorithms.engine.open_list import SETTLED as SETTLED
from algorithms.engine.open_list import WEIGHT_H as WEIGHT_H
from algorithms.engine.open_list import WEIGHTED as WEIGHTED
from algorithms.engine.open_list import OpenList as OpenList
from algorithms.engine.open_list import add_to_bucket as add_to_bucket
from algorithms.engine.open_list import bucket_of as bucket_of
from algorithms.engine.open_list import first_f as first_f
from algorithms.engine.open_list import first_node as first_node
from algorithms.engine.open_list import has_room as has_room
from algorithms.engine.open_list import is_fresh as is_fresh
from algorithms.engine.open_list import is_full as is_full
from algorithms.engine.open_list import is_oldest_first as is_oldest_first
from algorithms.engine.open_list import is_open as is_open
from algorithms.engine.open_list import move_buckets as move_buckets
from algorithms.engine.open_list import next_rank as next_rank
from algorithms.engine.open_list import pop as pop
from algorithms.engine.open_list import push as push
from algorithms.engine.open_list import remove as remove
from algorithms.engine.open_list import slot_of as slot_of
from algorithms.engine.open_list import tie_of as tie_of
from algorithms.engine.open_list import uses_buckets as uses_buckets
from algorithms.engine.open_list import with_function as with_function
from algorithms.engine.random_numbers import next_random as next_random
from algorithms.engine.random_numbers import random_below as random_below
from algorithms.engine.random_numbers import random_unit as random_unit
from algorithms.engine.search import STEP_SECONDS as STEP_SECONDS
from algorithms.engine.search import Counts as Counts
from algorithms.engine.search import Expansion as Expansion
from algorithms.engine.search import Limiter as Limiter
from algorithms.engine.search import ResumableSearch as ResumableSearch
from algorithms.engine.search import Search as Search
from algorithms.engine.search import Solution as Solution
from algorithms.engine.search import StepStatus as StepStatus
from algorithms.engine.search import proven_ratio as proven_ratio
from algorithms.engine.search import status_of as status_of
from algorithms.engine.successors import ALWAYS as ALWAYS
from algorithms.engine.successors import LATER as LATER
from algorithms.engine.successors import NEVER as NEVER
from algorithms.engine.successors import add_pending as add_pending
from algorithms.engine.successors import expand_node as expand_node
from algorithms.engine.successors import hash_successors as hash_successors
from algorithms.engine.successors import move_forward as move_forward
from algorithms.engine.successors import prune_pending as prune_pending
from algorithms.engine.successors import relax as relax
from algorithms.engine.values import ValuedNodes as ValuedNodes
