"""`ta.audit`: a method of any kind by its name, or with its parameters."""

import pytest

import tacita as ta


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("mondrian", {}),
        pytest.param("prefix-tree", {"height": 2, "epsilon": 1}, marks=pytest.mark.slow),  # twenty seconds
        pytest.param(ta.sets.FlatHistogram(), {"epsilon": "1/2"}, marks=pytest.mark.slow),
    ],
    ids=["verified", "by name", "as an object"],
)
def test_a_method_is_audited_and_nothing_is_found(method, parameters):
    found = ta.audit(method, quick=True, **parameters)
    assert found.passed
    assert found.checks


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"method": "fly"}, "a method must be one of"),
        ({"method": "prefix-tree", "hight": 2}, "did you mean height="),
        ({"method": "prefix-tree", "quick": "yes"}, "quick= must be True or False"),
        ({"method": "prefix-tree", "seed": -1}, "seed="),
        ({"method": "prefix-tree", "epsilon": None}, "epsilon="),
    ],
)
def test_what_cannot_be_audited_is_refused_by_its_argument(given, told):
    with pytest.raises(ta.TacitaError, match=told):
        ta.audit(given.pop("method"), **given)
