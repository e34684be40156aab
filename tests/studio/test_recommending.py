"""What is recommended from forecasts alone: one rule, which can also say that nothing is worth publishing."""

import pytest

from tacita.kinds.registration import AUTO
from tacita.studio.comparison import Cell, Comparison, Span
from tacita.studio.recommending import comparison_picture, method_rows, odds_of, recommended

ERROR = "error of a count"
EPSILONS = ("0.1", "0.5", "1", "2")


def span(middle):
    return Span(low=middle / 2, middle=middle, high=2 * middle, best=0)


def compared(errors, *, nothing=0.6, simplest=2.0, rival=None):
    """The automatic method with these errors, beside the floors, and perhaps another method."""
    floors = {ERROR: {"nothing": nothing, "independent": simplest}}
    cells = [
        Cell(method=AUTO, epsilon=epsilon, chosen="raked", figures={ERROR: span(error)}, floors=floors, decides=(ERROR,))
        for epsilon, error in zip(EPSILONS, errors, strict=True)
    ]
    cells += [Cell(method="ngram", epsilon=epsilon, figures={ERROR: span(rival)}) for epsilon in EPSILONS if rival is not None]
    return Comparison(cells=tuple(cells))


@pytest.mark.parametrize(
    ("errors", "epsilon"),
    [
        ((0.13, 0.125, 0.12, 0.119), "0.1"),  # more buys nothing
        ((0.5, 0.2, 0.19, 0.05), "0.5"),  # beyond the usual epsilon nothing is recommended
        ((0.5, 0.4, 0.2, 0.1), "1"),
        ((0.9, 0.8, 0.7, 0.3), "2"),  # unless nothing below keeps more than the floors
        ((0.26, 0.1, 0.35, 0.3), "0.1"),  # a larger epsilon looks worse by chance: averaged
    ],
)
def test_the_smallest_epsilon_that_is_nearly_as_good_is_recommended(errors, epsilon):
    found = recommended(compared(errors), takes_epsilon=True)
    assert (found.method, found.epsilon) == (AUTO, epsilon)
    assert "Rule:" in found.rule


@pytest.mark.parametrize("floors", [{"nothing": 0.1}, {"simplest": 0.1}])
def test_nothing_is_recommended_where_a_floor_is_as_good_and_the_picture_says_so(floors):
    comparison = compared((0.4, 0.3, 0.2, 0.1), **floors)
    found = recommended(comparison, takes_epsilon=True)
    assert (found.method, found.title) == ("", "Do not publish like this")
    assert comparison_picture(comparison, ERROR, found).title == "No ε here keeps more than the simplest releases"
    assert {cell["state"] for cell in method_rows(comparison, (), ERROR)[0]["cells"]} == {"bad"}


def test_a_rival_with_less_of_the_error_is_named():
    assert any("ngram has less" in reason for reason in recommended(compared((0.3,) * 4, rival=0.2), takes_epsilon=True).reasons)
    assert any("best of 2" in reason for reason in recommended(compared((0.3,) * 4, rival=0.5), takes_epsilon=True).reasons)


def test_too_little_is_known_as_long_as_a_forecast_is_missing():
    cells = (*compared((0.3,) * 4).cells[1:], Cell(method=AUTO, epsilon="0.1", known=False))
    assert recommended(Comparison(cells=cells), takes_epsilon=True) is None


@pytest.mark.parametrize(("epsilon", "after"), [("0.1", 52), ("1", 73), ("1/2", 62), ("10", 99), ("0", 50)])
def test_odds_are_what_a_guess_can_become_at_most(epsilon, after):
    assert odds_of(epsilon)["after"] == after
    assert odds_of("x") == odds_of("1/0") == {}
