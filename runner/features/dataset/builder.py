"""Builder of a table: it adds instances or plans one by one, and leaves out, with a note, what exceeds a limit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from algorithms.engine import Limits
from algorithms.spaces import TooLarge
from runner.base import PluginError, UserError, message, plural
from runner.cli import TerminalProgress
from runner.config import load_plugins
from runner.execution import Stop, Stopped
from runner.features.dataset.spaces import part_of_space
from runner.features.dataset.table import StateTable, TablePart
from runner.features.dataset.trajectories import LeftOut, PlanOfRow, part_of_plan, with_instances
from runner.records import given_folder
from worlds.interface import Instance, OutOfTime, Source, Unsolvable

_MAX_NOTES = 5


class TableBuilder:
    """Builder of a table of at most some states.

    Parameters
    ----------
    max_states : int
    stop : Stop
        Signals. Each step raises `Stopped` after one.
    shows_progress : bool

    Attributes
    ----------
    table : StateTable
    """

    def __init__(self, max_states: int, stop: Stop, shows_progress: bool) -> None:
        self.table = StateTable()
        self._max_states, self._stop, self._shows_progress = max_states, stop, shows_progress
        self._left_out = 0

    def add_spaces(self, source: Source, limits: Limits) -> None:
        """Add the state spaces of all instances of a source.

        Raises
        ------
        UserError
            If there are no instances, or all are left out.
        """
        source = source.refusing()
        source.check()
        with self._progress("states", len(source)) as progress:
            for instance in source.instances():
                room = self._room
                nodes = room if limits.nodes is None else min(room, limits.nodes)

                def watch(count: int, instance: Instance = instance) -> None:
                    progress.show(f"{instance.id}: {count:,} states")
                    self._stop.check()

                with self._leaving_out(instance.id, room):
                    self._add(part_of_space(instance, replace(limits, nodes=nodes), watch), room)
                progress.advance()
        self._finish("instance", len(source))

    def add_plans(self, folders: Sequence[str]) -> None:
        """Add the plans below some folders of runs and sweeps.

        Raises
        ------
        UserError
            If there are none, or all are left out.
        """
        load_plugins()
        plans = [plan for folder in folders for plan in PlanOfRow.below(given_folder(folder))]
        with self._progress("plans", len(plans)) as progress:
            for plan, instance in with_instances(plans):
                self._stop.check()
                room = self._room
                with self._leaving_out(plan.plan.instance, room):
                    if instance is None:
                        raise LeftOut("the world has no such instance any more")
                    self._add(part_of_plan(plan, instance), room)
                progress.advance()
        self._finish("plan", len(plans))

    @property
    def _room(self) -> int:
        """Number of states that may be added."""
        return self._max_states - self.table.states

    def _progress(self, title: str, total: int) -> TerminalProgress:
        return TerminalProgress(title, total, self._shows_progress)

    def _add(self, part: TablePart, room: int) -> None:
        if len(part.h_star) > room:
            raise LeftOut(_exceeds(room))
        self.table.add(part)

    @contextmanager
    def _leaving_out(self, name: str, room: int) -> Iterator[None]:
        """Leave out what cannot be added, and explain errors of the user's worlds."""
        try:
            yield
        except TooLarge as error:
            found = str(error).partition(":")[0]
            self._leave_out(name, _exceeds(room) if f" {room:,} states" in found else found)
        except Unsolvable as proof:
            self._leave_out(name, f"it has no solution ({proof})")
        except (OutOfTime, LeftOut) as why:
            self._leave_out(name, str(why))
        except (UserError, Stopped):
            raise
        except Exception as error:  # the user's code may raise anything
            raise PluginError(f"{name}: its states cannot be listed", error) from error

    def _leave_out(self, name: str, why: str) -> None:
        self._left_out += 1
        if self._left_out <= _MAX_NOTES:
            message(f"note: {name} is left out: {why}")

    def _finish(self, kind: str, total: int) -> None:
        if not self.table.states:
            raise UserError(f"all of {plural(total, kind)} are left out" if total else f"world: there are no {kind}s")
        more = self._left_out - _MAX_NOTES
        if more > 0:
            message(f"note: {plural(more, f'other {kind}')} are left out, too")


def _exceeds(room: int) -> str:
    return f"it has more than the {room:,} states that are left of dataset.states"
