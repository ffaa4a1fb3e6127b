"""Run pyperplan as a program of its own: ``python run_pyperplan.py PLAN OPTIONS DOMAIN PROBLEM``.

The planner writes its plan beside the problem, and ends with the exit code 0 with and without one. This script writes
the plan to PLAN. Without a plan, it ends with 11 if there is proof that there is none, with 13 if pyperplan cannot read
the task, else with 12.
"""

import sys
import traceback
from pathlib import Path

PROVES = ("astar", "wastar", "gbf", "bfs")
"""Searches that end without a plan only if there is none."""
NO_SOLUTION, NOT_FOUND, NOT_READ = 11, 12, 13
_READERS = ("pyperplan.pddl.", "pyperplan.grounding")
"""Modules that read tasks: an exception of theirs is about what pyperplan does not support."""


def main() -> int:
    """Run pyperplan on a link to the problem in the working directory, beside which it writes the plan."""
    plan, *options, domain, problem = sys.argv[1:]
    link = Path("problem.pddl")
    link.symlink_to(problem)
    sys.argv[1:] = [*options, domain, str(link)]
    del sys.path[0]  # the folder of this script, whose modules are not for pyperplan
    from pyperplan.__main__ import main as run

    try:
        run()
    except Exception as error:  # a task that it does not support, with a page of traceback
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        modules = [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]
        is_unread = any(name.startswith(_READERS) for name in modules) and not isinstance(error, MemoryError)
        return NOT_READ if is_unread else 1
    written = Path(f"{link}.soln")
    if written.exists():
        written.replace(plan)
        return 0
    search = options[options.index("-s") + 1]
    return NO_SOLUTION if search in PROVES else NOT_FOUND


if __name__ == "__main__":
    sys.exit(main())
