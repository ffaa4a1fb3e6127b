"""Searches that go back from the goals: MM, BAE*, NBS, DVCBS and reverse A*.

They are one search (`algorithms.bidirectional.search`) and one kernel, with a rule for each that orders the open
nodes and selects the next one (`algorithms.bidirectional.selection`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from algorithms.bidirectional.search import BidirectionalSearch
from algorithms.bidirectional.selection import BACKWARD, BALANCED, COVERS, MIDDLE, PAIRS
from algorithms.interface import ALGORITHMS, ExpansionOrder, Optimal, SearchAlgorithm
from heuristics.interface import BoundStack, Weighting
from runner.base import Metric


@dataclass(frozen=True)
class FromGoals(SearchAlgorithm):
    """Base of the algorithms of this file."""

    metrics = (
        Metric(
            "backward_h",
            better="neither",
            aggregate="mean",
            log_scale=False,
            is_main=False,
            meaning="whether all heuristics of a search that goes back from the goals have an estimate from the start; "
            "empty without a heuristic",
        ),
    )
    needs_inverse = True
    optimal: ClassVar[Optimal] = "admissible"
    complete = True


@ALGORITHMS.register("bidirectional")
@dataclass(frozen=True)
class Bidirectional(FromGoals):
    """MM, bidirectional heuristic search that meets in the middle (Holte, Felner, Sharon, Sturtevant and Chen 2017).

    Both directions expand the node with the smallest max(g + h, 2 g + e), where e is 1 if every step costs 1, else 0.
    The backward h estimates the cost from the start; heuristics without such an estimate are left out. Among equals the
    smallest h comes first, then the newest node. The search ends when the best solution costs no more than the smallest
    priority, or when the open list of one direction is empty.

    Complete on finite spaces; optimal under an admissible heuristic. Proof: while the best solution costs more than the
    optimal cost C, each open list holds a node of an optimal path with its true distance from that end. The two
    distances and at least one step between the nodes sum to at most C, so one of the nodes has 2 g + e <= C. For both,
    g + h <= C. Closed nodes are reopened. It needs a world with goals and predecessors.
    """

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the smallest priority of both directions."""
        return ExpansionOrder("the smallest max(f, 2·g) in each direction; {f}")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, MIDDLE)


@ALGORITHMS.register("mm")
@dataclass(frozen=True)
class FractionalMeeting(FromGoals):
    """fMM: MM that meets at a fraction p of the optimal cost (Shaham, Felner, Chen and Sturtevant 2017).

    The priority is max(g + h, g / p + e) forward, and max(g + h, g / (1 - p) + e) backward. With p = 0.5 it is MM, and
    has the `run_id` of `bidirectional`. Complete and optimal as MM is: of the two nodes of an optimal path, either the
    forward one has g <= p (C - e), or the backward one g <= (1 - p) (C - e).

    Attributes
    ----------
    fraction : float
        Share p of the cost that the forward search covers.
    """

    fraction: Annotated[float, Meta(gt=0, lt=1)] = 0.5

    @property
    def identity_name(self) -> str:
        """Name of MM for 0.5."""
        return (Bidirectional if self.fraction == 0.5 else FractionalMeeting).registered_name

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the smallest priority of both directions."""
        forward, backward = f"{self.fraction:g}", f"{1 - self.fraction:g}"
        text = f"the smallest max(f, g / {forward}) forward and max(f, g / {backward}) backward; {{f}}"
        return ExpansionOrder(text)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, MIDDLE, (1 / self.fraction, 1 / (1 - self.fraction)))


@ALGORITHMS.register("bae")
@dataclass(frozen=True)
class BalancedError(FromGoals):
    """BAE*: bidirectional search by balanced errors (Sadhukhan 2013; Alcazar, Riddle and Barley 2020).

    A direction D expands its node with the smallest b = 2 g + h_D - h_O, where h_D estimates the cost that is left and
    h_O that from the root of D. Among equals the largest g comes first, then the newest node. The lower bound is half
    of the sum of the two smallest b, rounded up to an integer of the engine. The search ends when a solution costs no
    more, or when an open list is empty. Nodes that the other direction has expanded are dropped. If all steps cost 1,
    h_D is at least 1 outside of the target.

    Needs a consistent heuristic; then it is complete on finite spaces, and optimal: no b falls along a path, so nodes
    are expanded with the smallest g. Two nodes of an optimal path that both open lists hold have b that sum to at most
    2 C, because h_F and h_B change by no more than the cost of the path between them.

    `expanded_before_last_layer` follows the published counts (Siag and Shperberg 2025): expansions at which the lower
    bound of the nodes that are left open, without the node and its successors, is below the cost. It depends a little
    on ties.

    Attributes
    ----------
    side : {"alternate", "cardinality"}
        Direction of the next expansion: the other one (forward first), or the one with fewer open nodes.
    """

    needs_consistent = True
    reopen: ClassVar[bool] = False

    side: Literal["alternate", "cardinality"] = "alternate"

    def promised_bound(
        self, weighting: Weighting | None, *, admissible: bool, consistent: bool, unit_costs: bool
    ) -> float | None:
        """Return 1 for a consistent heuristic."""
        return 1.0 if admissible and consistent else None

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the smallest b of each direction."""
        return ExpansionOrder("the smallest 2·g + h less the h of the other direction; {f}")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, BALANCED, is_alternating=self.side == "alternate")


@ALGORITHMS.register("nbs")
@dataclass(frozen=True)
class NearOptimal(FromGoals):
    """NBS: near-optimal bidirectional search (Chen, Holte, Zilles and Sturtevant 2017).

    It expands both nodes of a pair (u, v) with the smallest lower bound max(f(u), f(v), g(u) + g(v) + e), where e is 1
    if every step costs 1, else 0. Each direction keeps the nodes whose f may exceed the lower bound waiting in the
    order of f, and the others ready in the order of g; among equals the smallest h comes first, then the newest. The
    search ends when a solution costs no more than the lower bound, or when one direction has no open node.

    Complete on finite spaces; optimal under an admissible heuristic, because while the best solution costs more than
    C, both directions hold a node of an optimal path, and the bound of this pair is at most C. Closed nodes are
    reopened. Under a consistent heuristic, nodes that the other direction has expanded are dropped, because both
    expand nodes with their distances; then at most twice as many nodes below C are expanded as the least that any such
    algorithm needs.
    """

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the pairs of both directions."""
        return ExpansionOrder("the pair u, v of both directions with the smallest max(f(u), f(v), g(u) + g(v)); {f}")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, PAIRS)


@ALGORITHMS.register("dvcbs")
@dataclass(frozen=True)
class DynamicVertexCover(FromGoals):
    """DVCBS: dynamic vertex cover bidirectional search (Shperberg, Felner, Sturtevant, Shimony and Hayoun 2019).

    It has the lower bounds and the open lists of NBS. A node is ready if its f is at most the lower bound. The ready
    nodes of a direction with the same g are a cluster. A forward and a backward cluster are joined if their g and e
    sum to at most the lower bound: all nodes of one of them must be expanded before it can rise. DVCBS expands the
    cluster with the smallest g of a direction, if a minimum vertex cover of the clusters has it. If this holds for
    both directions, it is that with fewer nodes, or with as many the backward one. A new cover is computed when the
    cluster is empty, or a cluster with a smaller g comes before it. In a cluster the smallest h comes first, then the
    newest node.

    Complete, and optimal under an admissible heuristic, as NBS is; under a consistent one, it drops the same nodes.
    Before the lower bound reaches the cost, it often expands hardly more nodes than the minimum vertex cover of the
    must-expand graph has; afterwards it may expand many. It suits costs with few values: with real costs, clusters are
    single nodes.
    """

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return the vertex cover."""
        text = "a minimum vertex cover of the pairs u, v with the smallest max(f(u), f(v), g(u) + g(v)); {f}"
        return ExpansionOrder(text)

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at the start state and at every goal."""
        return BidirectionalSearch(stack, COVERS)


@ALGORITHMS.register("reverse_astar")
@dataclass(frozen=True)
class ReverseAStar(FromGoals):
    """A* from the goals to the start, over predecessors, with the heuristic that estimates the cost from the start.

    The smallest g + h comes first, then the smallest h, then the newest node. The plan is given forward. Complete, and
    optimal under an admissible heuristic, as A* is on the reversed graph. Closed nodes are reopened.
    """

    def expansion_order(self, weighting: Weighting | None) -> ExpansionOrder:
        """Return f = g + h, from the goals."""
        return ExpansionOrder("{f}, from the goals")

    def start(self, stack: BoundStack, weighting: Weighting | None) -> BidirectionalSearch:
        """Start at every goal."""
        return BidirectionalSearch(stack, BACKWARD)
