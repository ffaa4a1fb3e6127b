"""Programs of others as algorithms, and as heuristics. `program` and `heuristic` register them; their parts are here.

`commands` fills the placeholders of a command. `process` runs it within limits, with the help of `supervisor`, a
process that ends everything that a program has started. `plans` finds the plan, `output` reads the columns, and
`outcome` says how the program ended. `sessions` puts them together: one start for each instance, or one server for all.
`interface` has the base class, which the runner asks. `planners` has the programs that are known by name.
"""

from algorithms.programs import heuristic as heuristic
from algorithms.programs import planners as planners
from algorithms.programs import program as program
