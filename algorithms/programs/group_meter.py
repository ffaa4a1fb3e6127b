"""Usage of the machine by a program, and the limit of its memory, in a control group of its own."""

from __future__ import annotations

from runner.machine import CGROUP, ControlGroup, ProcessorTime, Usage


class GroupMeter:
    """Meter of a program in a control group.

    Parameters
    ----------
    group : ControlGroup
        Group that holds the processes of the program, and nothing else.
    """

    def __init__(self, group: ControlGroup) -> None:
        self.group = group
        self._limit: int | None = None
        self._before = ProcessorTime(0.0, 0.0)
        self._sampled_peak = 0

    def begin(self, memory: int | None, *, is_whole_run: bool) -> None:
        """Limit the memory, and begin to count processor time: from the start of the program, or from now on."""
        if memory != self._limit:
            self.group.limit_memory(memory)
            self._limit = memory
        if not is_whole_run:
            self._before = self.group.processor_time

    def sample(self) -> None:
        """Sample the memory, for systems that keep no peak of a group."""
        if self.group.peak_bytes is None:
            self._sampled_peak = max(self._sampled_peak, self.group.current_bytes or 0)

    @property
    def cpu_seconds(self) -> float:
        """Processor time since `begin`."""
        return sum(self.group.processor_time) - sum(self._before)

    def usage(self, *, of_whole_run: bool) -> Usage:
        """Return the processor time since `begin`, and the peak of the memory since the start of the program.

        Parameters
        ----------
        of_whole_run : bool
            Return the page faults, too, which are known for a whole run.
        """
        now = self.group.processor_time
        return Usage(
            peak_bytes=self.group.peak_bytes or self._sampled_peak or None,
            user_seconds=now.user - self._before.user,
            system_seconds=now.system - self._before.system,
            page_faults=self.group.page_faults if of_whole_run else None,
            measured_by=CGROUP,
        )
