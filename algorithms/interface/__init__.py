"""Interface of algorithms: what one declares, how it starts a search, and algorithms in plain Python.

An algorithm is a registered dataclass (`algorithm`) that starts a search, asks a program
(`algorithms.programs.interface`), or plays (`algorithms.agents.interface`). It declares the order in which it takes
open nodes (`expansion_order`) for those who watch a search. A function over a `SearchProblem`, which keeps its counts
and limits, is an algorithm in plain Python (`python_algorithm`).

Other rooms import the names below.
"""

from algorithms.interface.algorithm import ALGORITHMS as ALGORITHMS
from algorithms.interface.algorithm import Algorithm as Algorithm
from algorithms.interface.algorithm import Answer as Answer
from algorithms.interface.algorithm import Optimal as Optimal
from algorithms.interface.algorithm import PlanningAlgorithm as PlanningAlgorithm
from algorithms.interface.algorithm import SearchAlgorithm as SearchAlgorithm
from algorithms.interface.algorithm import UseOfHeuristic as UseOfHeuristic
from algorithms.interface.algorithm import declaring as declaring
from algorithms.interface.expansion_order import ExpansionOrder as ExpansionOrder
from algorithms.interface.expansion_order import Formula as Formula
from algorithms.interface.python_algorithm import PythonAlgorithm as PythonAlgorithm
from algorithms.interface.python_algorithm import PythonSearch as PythonSearch
from algorithms.interface.python_algorithm import python_algorithm as python_algorithm
from algorithms.interface.search_problem import SearchProblem as SearchProblem
