"""Parts that all heuristics share: `Heuristic`, stacks, weightings of h, and the doors by which they enter.

A `Stack` adds or maximises heuristics, and binds their terms to a problem (`BoundStack`). A `Combination` that a domain
registers makes one term of the abstractions of several heuristics. Heuristics in plain Python are called with the
number of a state (`python_heuristic`), compiled ones with packed words (`compiled_heuristic`). `entries` reads stacks
as users describe them. A `Weighting` is the weight w in f = g + w * h, and a `priority` any other f(g, h, w).
Tables of pattern databases are in `heuristics.tables`.

Other rooms import the names below.
"""

from heuristics.interface.combination import COMBINATIONS as COMBINATIONS
from heuristics.interface.combination import SIMPLE as SIMPLE
from heuristics.interface.combination import Combination as Combination
from heuristics.interface.compiled_heuristic import compiled_heuristic as compiled_heuristic
from heuristics.interface.decorators import HeuristicDeclaration as HeuristicDeclaration
from heuristics.interface.entries import AS_PUBLISHED as AS_PUBLISHED
from heuristics.interface.entries import Entries as Entries
from heuristics.interface.entries import documented_stack as documented_stack
from heuristics.interface.entries import name_and_parameters as name_and_parameters
from heuristics.interface.entries import stack_of as stack_of
from heuristics.interface.entries import stack_of_entries as stack_of_entries
from heuristics.interface.heuristic import HEURISTICS as HEURISTICS
from heuristics.interface.heuristic import INFINITE_H as INFINITE_H
from heuristics.interface.heuristic import PREFERRED as PREFERRED
from heuristics.interface.heuristic import TERM as TERM
from heuristics.interface.heuristic import UNREACHABLE as UNREACHABLE
from heuristics.interface.heuristic import Heuristic as Heuristic
from heuristics.interface.heuristic import Term as Term
from heuristics.interface.priority import PRIORITY_SIGNATURE as PRIORITY_SIGNATURE
from heuristics.interface.priority import BoundPriority as BoundPriority
from heuristics.interface.priority import PriorityFunction as PriorityFunction
from heuristics.interface.priority import is_priority as is_priority
from heuristics.interface.priority import priority as priority
from heuristics.interface.python_heuristic import MAX_BATCH as MAX_BATCH
from heuristics.interface.python_heuristic import Checked as Checked
from heuristics.interface.python_heuristic import PythonHeuristic as PythonHeuristic
from heuristics.interface.python_heuristic import Scale as Scale
from heuristics.interface.python_heuristic import callback_term as callback_term
from heuristics.interface.python_heuristic import python_heuristic as python_heuristic
from heuristics.interface.python_heuristic import values_term as values_term
from heuristics.interface.stack import MAX_TERMS as MAX_TERMS
from heuristics.interface.stack import PARAMS as PARAMS
from heuristics.interface.stack import TERMS as TERMS
from heuristics.interface.stack import BoundStack as BoundStack
from heuristics.interface.stack import Stack as Stack
from heuristics.interface.stack import evaluate as evaluate
from heuristics.interface.stack import evaluate_one as evaluate_one
from heuristics.interface.stack import evaluate_range as evaluate_range
from heuristics.interface.stack import store_values as store_values
from heuristics.interface.stack import stored_h as stored_h
from heuristics.interface.weighting import WEIGHTINGS as WEIGHTINGS
from heuristics.interface.weighting import Constant as Constant
from heuristics.interface.weighting import Weight as Weight
from heuristics.interface.weighting import Weighting as Weighting
