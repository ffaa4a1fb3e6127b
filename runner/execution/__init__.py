"""From cells to rows: the plan, the pool of workers, and the searches.

A `Sweep` has a `SweepCell` for each combination that runs, from its composition until its rows are totals; a run is a
sweep of one cell. All is known before anything runs: `cells` merges duplicates, a `Sweep` allocates folders, and the
`plan` subtracts finished rows. The `pool` gives ranges of instances to `process`es, and keeps what each has still to
do. A process and its worker share a block of memory (`worker_state`) with the instance that the worker searches. If a
worker dies, that instance gets a row `crashed`, and a new worker continues. `worker_state` has the limits by which the
system ends one.

A worker runs a `Searcher` (`worker_loop`) over its ranges, which sends messages to the pool. For each instance the
`solver` makes an `attempt` (`search_attempt`, `planner_attempt` or `game_attempt`), which validates the plan, and
always has a result. With ``workers=0`` the same searcher runs in the process of the command. Only the parent writes
(`recorder`), and a worker waits until the rows that it has sent are written. `stop` sets a flag at a signal, which the
pool sees within a quarter of a second. It raises nothing; searches check the flag between steps.

This package prints nothing: it reports events to a `display`, which commands and notebooks show. The exit code of a
sweep follows from its plan and the totals of its rows, in memory.
"""

from runner.execution.cells import OmittedCell as OmittedCell
from runner.execution.cells import SweepCell as SweepCell
from runner.execution.cells import cells_of as cells_of
from runner.execution.cells import combinations as combinations
from runner.execution.cells import refuse_wrong as refuse_wrong
from runner.execution.display import Display as Display
from runner.execution.display import ProgressDisplay as ProgressDisplay
from runner.execution.plan import plan_cells as plan_cells
from runner.execution.recorder import Recorder as Recorder
from runner.execution.repetitions import outside_of_interval as outside_of_interval
from runner.execution.solver import Solver as Solver
from runner.execution.stop import Stop as Stop
from runner.execution.stop import Stopped as Stopped
from runner.execution.supervision import Supervision as Supervision
from runner.execution.supervision import WorkerLost as WorkerLost
from runner.execution.supervision import map_in_workers as map_in_workers
from runner.execution.supervision import supervised as supervised
from runner.execution.sweep import Sweep as Sweep
from runner.execution.sweep import execute as execute
from runner.execution.worker_state import SEARCHING as SEARCHING
from runner.execution.worker_state import WorkerState as WorkerState
