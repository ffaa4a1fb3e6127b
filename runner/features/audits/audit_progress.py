"""Watcher of an audit: it shows how far the audit is, and turns exceptions of the user's code into errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from algorithms.engine import Counts
from runner.base import PluginError, UserError, message
from runner.execution import Stopped, Supervision
from worlds.interface import Instance

SIMPLIFYING = "simplifying a counterexample to"


class Watcher:
    """Observer of an audit. It shows how far the audit is.

    Parameters
    ----------
    supervision : Supervision, optional
        Supervision of the audit. If it is to end, `Stopped` ends it, and it returns what it has found so far. The limit
        of time applies to the analysis of an instance, and to its search.
    """

    def __init__(self, supervision: Supervision | None = None) -> None:
        supervision = supervision or Supervision(announce=message)
        self.limit = supervision.begin
        self.leave_to_planner = supervision.leave_to_planner
        self.announce = supervision.announce
        self._state, self._is_stopped = supervision.state, supervision.is_stopped
        self._progress = supervision.progress
        self._done = 0

    def start(self, title: str) -> None:
        """Note the beginning of an instance, by its id, or of the simplification of a counterexample."""
        self._state.begin_search(self._done, {"instance": title})
        self._raise_if_stopped()

    def explored(self, states: int) -> None:
        """Note the number of states so far. Called often."""
        self._state.set_counts(Counts(expanded=states, peak_nodes=states))
        self._raise_if_stopped()
        if self._progress is not None:
            self._progress.show_workers([self._state])

    def finish(self) -> None:
        """Count an instance."""
        self._done += 1
        if self._progress is not None:
            self._progress.advance(1)

    def _raise_if_stopped(self) -> None:
        if self._is_stopped():
            raise Stopped


@contextmanager
def plugin_errors(instance: Instance) -> Iterator[None]:
    """Raise a `PluginError` for an exception of the user's world or heuristic."""
    try:
        yield
    except (UserError, Stopped):
        raise
    except BaseException as error:  # the user's code may raise anything, and signals raise nothing
        raise PluginError(f"{instance.id}: cannot be audited", error) from error
