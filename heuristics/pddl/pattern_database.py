"""Pattern databases: exact costs in projections of the task, added up where no operator changes two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from heuristics.interface import HEURISTICS, Heuristic, Term
from heuristics.pddl.additivity import additive_subsets
from heuristics.pddl.facts import refuse_axioms, task_of
from heuristics.pddl.hill_climbing import ClimbingLimits, climbed_patterns
from heuristics.pddl.lookups import Entry, maximum_of_sums, table_of
from heuristics.pddl.patterns import given_patterns, greedy_pattern, systematic_patterns
from heuristics.pddl.projection import MAX_STATES, Pattern, Projection, cost_array
from runner.base import Unsupported, UserError, plural
from worlds.interface import Problem
from worlds.pddl.packing import Packing


@HEURISTICS.register("pattern_database", domain="pddl")
@dataclass(frozen=True)
class PlanningPatternDatabase(Heuristic):
    """Maximum over sets of additive patterns: the sum of the costs if only the variables of each pattern matter.

    Patterns are additive if no operator changes variables of two of them; the sets are the largest ones (canonical
    heuristic). Admissible and consistent. Conditions of effects that a pattern does not decide may be met or not.
    Sources: Edelkamp, "Planning with pattern databases", ECP 2001; Haslum, Botea, Helmert, Bonet and Koenig,
    "Domain-independent construction of pattern database heuristics for cost-optimal planning", AAAI 2007.

    Attributes
    ----------
    patterns : {"greedy", "ipdb", "systematic"} or list of lists of int or str
        ``greedy``: one pattern, of goal variables and of those on which they depend, as large as allowed. ``ipdb``: a
        collection by hill climbing, which adds the pattern that raises the value of the most sampled states (Haslum et
        al., AAAI 2007). ``systematic``: all interesting patterns of a few variables (Pommerening, Röger and Helmert,
        IJCAI 2013). Or the variables of each pattern, by numbers or names (`var3`).
    max_variables : int
        Largest number of variables of a pattern of ``systematic``.
    max_states : int
        Largest number of abstract states of a pattern. Each takes 4 bytes, and 32 while its table is made.
    collection_max_states : int
        Largest number of abstract states of all patterns of ``ipdb`` together.
    max_candidates, max_candidate_states : int
        Largest number of patterns that ``ipdb`` evaluates, and of their abstract states together. They take the place
        of a limit of time, so that a search is the same on any machine.
    samples, min_improvement : int
        Number of states at the ends of random walks for ``ipdb``, and of those whose value a pattern must raise.
    sample_seed : int
        Seed of these random walks.
    """

    patterns: Literal["greedy", "ipdb", "systematic"] | list[list[int | str]] = "greedy"
    max_variables: Annotated[int, Meta(ge=1)] = 2
    max_states: Annotated[int, Meta(ge=1, le=MAX_STATES)] = 1_000_000
    collection_max_states: Annotated[int, Meta(ge=1)] = 10_000_000
    max_candidates: Annotated[int, Meta(ge=1)] = 1000
    max_candidate_states: Annotated[int, Meta(ge=1)] = 20_000_000
    samples: Annotated[int, Meta(ge=1)] = 1000
    min_improvement: Annotated[int, Meta(ge=1)] = 10
    sample_seed: Annotated[int, Meta(ge=0)] = 0

    admissible = True
    consistent = True

    def __post_init__(self) -> None:
        if not self.patterns:
            raise UserError("heuristic.patterns: expected at least one pattern, got an empty list")

    def term(self, problem: Problem) -> Term:
        """Compute the tables of all patterns."""
        task, projections = task_of(problem), self.abstractions(problem)
        costs = cost_array(task)
        entries = [Entry(number, table_of(each.distances(costs))) for number, each in enumerate(projections)]
        subsets = additive_subsets(task, [each.pattern for each in projections])
        sums = [[entries[number] for number in subset] for subset in subsets]
        return maximum_of_sums(Packing(task), projections, sums)

    def abstractions(self, problem: Problem) -> list[Projection]:
        """Return the projections to the patterns."""
        task = task_of(problem)
        refuse_axioms(task, "pattern_database")
        patterns = self.chosen(problem)
        if not patterns and task.goal:
            raise Unsupported(
                f"heuristic.max_states: no pattern has at most {plural(self.max_states, 'abstract state')}"
            )
        return [Projection(task, pattern) for pattern in patterns]

    def chosen(self, problem: Problem) -> list[Pattern]:
        """Return the patterns."""
        task = task_of(problem)
        if self.patterns == "greedy":
            pattern = greedy_pattern(task, self.max_states)
            return [pattern] if pattern else []
        if self.patterns == "systematic":
            return systematic_patterns(task, self.max_variables, self.max_states)
        if self.patterns == "ipdb":
            limits = ClimbingLimits(
                self.max_states, self.collection_max_states, self.max_candidates, self.max_candidate_states,
                self.samples, self.min_improvement, self.sample_seed,
            )  # fmt: skip
            return climbed_patterns(problem, limits)
        return given_patterns(task, self.patterns, self.max_states)
