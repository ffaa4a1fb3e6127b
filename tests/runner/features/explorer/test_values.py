"""Values of recorded searches, against the audit of the same instance."""

from __future__ import annotations

import numpy as np
import pytest

import runner
from algorithms.engine.search import Limits
from runner.config.cell import sections
from runner.features.audits.analysis import Analyser
from runner.features.audits.checks.heuristic import inconsistent_steps, overestimates
from runner.features.explorer.values import UNKNOWN, values_of
from tests.runner.features.explorer.recordings import recorded


@pytest.mark.parametrize("heuristic", ["flood_fill", "iterative_shift", "pivots", "area_pruning"])
def test_overestimates_and_inconsistent_states_are_those_of_the_audit(heuristic: str) -> None:
    found = 0
    for cave in runner.load("wumpus/random", size=6, count=12):
        stack = sections.stack_of_entries("wumpus", heuristic)
        recording = recorded(cave, "astar", [each.registered_name for each in stack.heuristics])
        record = recording.recorder
        if record.bound is None:
            continue
        values = values_of(recording, 100_000)
        analysis = Analyser(stack, Limits()).analyse(cave)
        assert analysis is not None
        assert values.reachable == analysis.space.count
        words = np.frombuffer(b"".join(record.states), np.uint64).copy()
        numbers = analysis.searched.find(words)
        assert values.h_star is not None
        assert (values.h == analysis.h[numbers]).all()
        assert (values.h_star == analysis.h_star[numbers]).all()
        assert (values.goal == (values.h_star == 0)).all()
        expected = set(overestimates(analysis).tolist())
        assert set(numbers[values.overestimates].tolist()) == expected & set(numbers.tolist())
        steps = inconsistent_steps(analysis)
        sources = set(analysis.sources(steps).tolist()) & set(numbers[np.array(record.expanded)].tolist())
        assert set(numbers[values.inconsistent].tolist()) == sources
        assert len(values.unseen) == analysis.space.count - len(np.unique(analysis.space.find(words)))
        found += len(sources)
    assert found or heuristic in ("pivots", "area_pruning")


def test_h_star_is_unknown_in_large_spaces_and_for_nodes_from_a_goal() -> None:
    puzzle = runner.load("npuzzle/random", size=[2, 3], count=1)[0]
    recording = recorded(puzzle, "bidirectional", ["manhattan"])
    assert values_of(recording, 10).h_star is None
    assert values_of(recording, 10).overestimates.sum() == 0
    h_star = values_of(recording, 1_000).h_star
    assert h_star is not None
    is_backward = np.array(recording.recorder.backward) > 0
    assert ((h_star == UNKNOWN) == is_backward).all()
