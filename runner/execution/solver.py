"""Solver: search or play instances, and validate the plans. Every outcome is a `Result`."""

from __future__ import annotations

from algorithms.agents.interface import Agent
from algorithms.interface import SearchAlgorithm
from algorithms.programs.interface import ExternalPlanner
from runner.config import Cell
from runner.execution.attempt import Attempt
from runner.execution.game_attempt import GameAttempt
from runner.execution.planner_attempt import PlannerAttempt
from runner.execution.search_attempt import SearchAttempt
from runner.execution.solver_base import SolverBase
from worlds.interface import Instance


class Solver(SolverBase):
    """Solver of instances. For the parameters see `SolverBase`."""

    @classmethod
    def of(cls, cell: Cell) -> Solver:
        """Return the solver of a cell."""
        parts = (cell.algorithm, cell.stack, cell.weighting, cell.limits)
        unsupported = cell.source.series.unsupported_status
        return cls(*parts, cell.declared, cell.code, cell.label, unsupported, keeps_outputs=True, kept=cell.kept)

    def attempt(self, instance: Instance, algorithm: SearchAlgorithm | None = None) -> Attempt:
        """Return an attempt to search or play one instance.

        Parameters
        ----------
        algorithm : SearchAlgorithm, optional
            Searches instead of the algorithm of the solver, to record what it does. The result then has no identity.
        """
        if algorithm is not None:
            return SearchAttempt(self, algorithm, instance, {})
        if isinstance(self.algorithm, Agent):
            return GameAttempt(self, self.algorithm, instance, self.columns(instance))
        if isinstance(self.algorithm, ExternalPlanner):
            return PlannerAttempt(self, self.algorithm, instance, self.columns(instance))
        assert isinstance(self.algorithm, SearchAlgorithm)
        return SearchAttempt(self, self.algorithm, instance, self.columns(instance))
