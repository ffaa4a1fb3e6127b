"""Watcher of an audit: it shows how far the audit is, and turns exceptions of the user's code into errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from algorithms.engine.search import Counts
from runner.base.errors import PluginError, UserError
from runner.base.messages import message
from runner.plugin import ProgressDisplay, Stopped, WorkerState
from worlds.interface import Instance

SIMPLIFYING = "simplifying a counterexample to"


class Watcher:
    """Observer of an audit. It shows how far the audit is.

    Parameters
    ----------
    state : WorkerState, optional
        State in which the instance and the counts are shown.
    is_stopped : callable, optional
        Whether the audit is to end. `Stopped` then ends it, and it returns what it has found so far.
    limit : callable, optional
        Begins what the limit of time applies to: the analysis of an instance, or its search.
    progress : ProgressDisplay, optional
        Display of the same process.
    announce : callable, optional
        Shows a line to the user.
    """

    def __init__(
        self,
        state: WorkerState | None = None,
        is_stopped: Callable[[], bool] = lambda: False,
        limit: Callable[[], None] = lambda: None,
        progress: ProgressDisplay | None = None,
        announce: Callable[[str], None] = message,
    ) -> None:
        self.limit, self.announce = limit, announce
        self._state, self._is_stopped, self._progress = state or WorkerState(), is_stopped, progress
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
