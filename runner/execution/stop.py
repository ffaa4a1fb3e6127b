"""Signals that ask a process to stop. Their handler sets a flag, at which polls and searches look. It never raises."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from runner.base import STOP_SIGNALS, Harmless, end_process


class Stopped(Exception):
    """Raised between the steps of a long computation to end it after a signal."""


class Stop:
    """Request to stop, by the first signal since `listening` began.

    Parameters
    ----------
    second : callable
        Handler of a second signal. By default it ends the process.
    warnings : sequence of signal
        Further signals that ask the process to stop, by which a scheduler announces its time limit.

    Attributes
    ----------
    signal_number : int or None
        Number of the first signal; None if there was none.
    """

    def __init__(
        self,
        second: Callable[[int, FrameType | None], object] = end_process,
        warnings: Sequence[signal.Signals] = (),
    ) -> None:
        self._second = second
        self._signals = (*STOP_SIGNALS, *warnings)
        self.signal_number: int | None = None

    @property
    def requested(self) -> bool:
        """Whether a signal has come."""
        return self.signal_number is not None

    @property
    def exit_code(self) -> int:
        """128 plus the number of the signal; 0 if there was none."""
        return 0 if self.signal_number is None else 128 + self.signal_number

    def check(self) -> None:
        """Raise `Stopped` if a signal has come."""
        if self.requested:
            raise Stopped

    @contextmanager
    def listening(self) -> Iterator[Stop]:
        """Handle signals in this context: the first sets the flag, and `second` handles further ones.

        Signals that this process ignores, as in the background or under nohup, stay ignored. Threads other than the
        main thread receive no signals; there this context does nothing.
        """
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        note = Harmless(self._note) if self._second is end_process else self._note
        before = {number: signal.getsignal(number) for number in self._signals}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, note)
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.signal_number is not None:
            self._second(self.signal_number, frame)
        self.signal_number = number
