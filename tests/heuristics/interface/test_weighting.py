"""Weights as a function of the number of expansions, and parameters of weightings."""

from __future__ import annotations

from itertools import islice

import pytest

from heuristics.interface.weighting import Constant, Weighting
from heuristics.weightings import Dynamic, Geometric, Linear
from runner.base.errors import UserError
from runner.base.parameters import changed_parameters
from runner.config.cell import sections


def weights(weighting: Weighting, count: int) -> list[float]:
    """Return the weights of the first expansions."""
    changes = list(islice(weighting.changes(), count + 1))
    assert changes[0][0] == 0
    assert [k for k, _ in changes] == sorted({k for k, _ in changes})
    return [[weight for begin, weight in changes if begin <= k][-1] for k in range(count)]


def test_a_constant_weight_never_changes() -> None:
    assert weights(Constant(2), 3) == [2, 2, 2]


def test_a_geometric_weight_is_multiplied_up_to_its_maximum() -> None:
    assert weights(Geometric(1, 2, every=2, maximum=5), 8) == [1, 1, 2, 2, 4, 4, 5, 5]
    assert weights(Geometric(8, 0.5, every=1, maximum=100), 3) == [8, 4, 2]
    assert weights(Geometric(8, 2, every=1, maximum=5), 3) == [5, 5, 5]
    seed = Geometric(1.5, 1.05, 10**5, 3)
    changes = list(seed.changes())
    assert changes[1] == (10**5, 1.5 * 1.05)
    assert changes[-1] == (15 * 10**5, 3)


def test_a_linear_weight_changes_from_the_first_to_the_last_value() -> None:
    assert weights(Linear(3, 1, over=4, every=1), 6) == [3, 2.5, 2, 1.5, 1, 1]
    assert weights(Linear(1, 2, over=5, every=2), 7) == [1, 1, 1.4, 1.4, 1.8, 2, 2]
    assert weights(Linear(1, 2, over=3, every=10), 5) == [1, 1, 1, 2, 2]


def test_a_dynamic_weight_depends_on_the_depth_only() -> None:
    assert weights(Dynamic(0.5, 10), 2) == [1, 1]
    assert Dynamic(0.5, 10).by_depth == (0.5, 10)


def test_parameters_have_their_yaml_names_in_labels_and_messages() -> None:
    linear = sections.weighting_of({"name": "linear", "from": 2, "to": 1.5})
    assert linear == Linear(2, 1.5)
    assert str(linear) == "linear(from=2.0,to=1.5,over=100000,every=1000,reorder_open=false)"
    assert changed_parameters(linear) == {"from": 2, "to": 1.5}
    with pytest.raises(UserError, match=r"weighting.from: expected float >= 0.0, got -1"):
        sections.weighting_of({"name": "linear", "from": -1})
    with pytest.raises(UserError, match=r"weighting.form: unknown .*did you mean 'from'"):
        sections.weighting_of({"name": "linear", "form": 1})
    with pytest.raises(UserError, match=r"weighting.from_: unknown"):
        sections.weighting_of({"name": "linear", "from_": 1})
