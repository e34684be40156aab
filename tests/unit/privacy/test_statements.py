"""What is told to people: guarantees and explanations."""

from fractions import Fraction

from tacita.privacy.budget import ApproxDP, Explanation, Parallel, PureDP, Sequential, Step
from tacita.privacy.guarantee import AddRemoveRecord, DifferentialPrivacy, ReplaceRecord


def test_a_guarantee_states_definition_parameters_and_unit():
    pure = DifferentialPrivacy(budget=PureDP("0.5"), neighbours=AddRemoveRecord(unit="one person"))
    assert pure.statement() == "This release satisfies 0.5-differential privacy for adding or removing one person."
    approximate = DifferentialPrivacy(budget=ApproxDP("1", "1e-6"), neighbours=ReplaceRecord())
    assert "(1, 0.000001)-differential privacy for replacing one record by another" in approximate.statement()
    assert approximate.as_json()["definition"] == "approximate-dp"


def test_a_void_comes_first_and_with_its_reason():
    void = DifferentialPrivacy(budget=PureDP("1"), neighbours=AddRemoveRecord(), voids=("the dice were loaded",))
    assert void.statement().startswith("NOT PRIVATE.")
    assert "the dice were loaded" in void.statement()


def test_an_explanation_draws_the_tree_with_its_rules():
    step = Step(name="test", epsilon=Fraction(1, 3), note="once")
    plan = Sequential(name="all", parts=(step, Parallel(name="halves", parts=(step, step))))
    lines = str(Explanation(title="a plan", plan=plan, facts=("it is public",))).splitlines()
    assert lines == [
        "a plan",
        "all: epsilon 2/3, the sum of",
        "├─ test: epsilon 1/3 (once)",
        "└─ halves: epsilon 1/3, the largest of",
        "   ├─ test: epsilon 1/3 (once)",
        "   └─ test: epsilon 1/3 (once)",
        "",
        "- it is public",
    ]


def test_an_explanation_tells_delta_where_there_is_one():
    step = Step(name="test", epsilon=Fraction(1), delta=Fraction(1, 1000))
    assert "epsilon 1, delta 0.001" in str(Explanation(title="t", plan=step))
