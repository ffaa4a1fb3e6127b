"""Machine of a process, and what searches take of it: processor time, memory, processors.

Linux is supported in full. On other systems, and where the system does not allow something, functions return None or do
nothing, and nothing fails.

- `interference`: what else the machine did while a cell was searched.
- `processors`: physical cores and memory nodes, and how a process keeps to one of them.
- `control_groups`: groups of version 2 that limit and measure the memory and the processor time of processes.
- `usage`: what the search of an instance has taken, measured in the process that searches.
- `processes`: children of a process, and the memory of a process tree, seen from outside.
"""

from runner.machine.control_groups import CGROUP as CGROUP
from runner.machine.control_groups import ControlGroup as ControlGroup
from runner.machine.control_groups import Delegation as Delegation
from runner.machine.control_groups import ProcessorTime as ProcessorTime
from runner.machine.control_groups import delegated as delegated
from runner.machine.control_groups import own_worker_group as own_worker_group
from runner.machine.control_groups import program_group as program_group
from runner.machine.interference import Observer as Observer
from runner.machine.interference import Reading as Reading
from runner.machine.interference import combined as combined
from runner.machine.processes import children_of as children_of
from runner.machine.processes import resident_bytes as resident_bytes
from runner.machine.processors import Core as Core
from runner.machine.processors import allowed_processors as allowed_processors
from runner.machine.processors import physical_cores as physical_cores
from runner.machine.processors import pin as pin
from runner.machine.processors import processors_left as processors_left
from runner.machine.processors import reserved_cores as reserved_cores
from runner.machine.usage import ProcessMeter as ProcessMeter
from runner.machine.usage import Usage as Usage
