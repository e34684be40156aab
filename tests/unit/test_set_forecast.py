"""A forecast of sets: every publisher on made-up shops, nothing private, and a name to use."""

from dataclasses import replace

import pytest

from tacita.errors import BudgetError, ParameterError
from tacita.forecasts.sets import forecast_sets
from tacita.forecasts.trials import Interval
from tacita.privacy.budget import ApproxDP, PureDP
from tacita.privacy.ledger import Ledger
from tacita.sets import DiffPart, ItemsetCounts
from tacita.simulate import PublicFacts

FACTS = PublicFacts(records=20_000, labels=20, mean_length=2.5)


def test_the_better_publisher_is_named_and_the_chosen_one_comes_first():
    found = forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=FACTS)
    assert (found.chosen.method, found.better) == ("diffpart", "itemset-counts")
    assert {other.method for other in found.others} == {"histogram", "itemset-counts"}
    lines = found.lines()
    assert lines[1].startswith("  diffpart: ")
    assert lines[-1] == "use itemset-counts instead of diffpart: it keeps clearly more of such data"
    assert found.as_json()["better"] == "itemset-counts"


def test_nothing_is_named_where_the_chosen_one_is_the_best():
    found = forecast_sets("itemset-counts", ItemsetCounts(), PureDP("1"), facts=FACTS)
    assert found.better is None
    assert found.lines()[-1] == "use itemset-counts: nothing here is clearly better"


def test_without_a_mean_size_shops_of_several_are_tried_and_the_owner_is_told_what_would_help():
    found = forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=PublicFacts(records=500, labels=30))
    assert [name.partition(",")[0] for name in found.worlds] == [f"shop of mean size {mean}" for mean in (2, 5, 10)]
    assert any("--mean-length" in line for line in found.lines())


def test_a_universe_that_is_too_large_for_the_histogram_leaves_it_out():
    found = forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=PublicFacts(records=300, labels=62, mean_length=2))
    assert {other.method for other in found.others} == {"itemset-counts"}


def test_a_large_shop_is_made_smaller_and_epsilon_larger(monkeypatch):
    monkeypatch.setattr("tacita.forecasts.sets.FEWEST_ITEMS", 25_000)
    seen = []
    original = DiffPart.publish

    def publish(self, records, *, budget, **rest):
        seen.append((len(records.baskets), budget.epsilon))
        return original(self, records, budget=budget, **rest)

    monkeypatch.setattr(DiffPart, "publish", publish)
    forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=FACTS)
    assert set(seen) == {(10_000, 2)}


def test_where_nothing_is_kept_nothing_is_recommended():
    found = forecast_sets("diffpart", DiffPart(), PureDP("0.1"), facts=PublicFacts(records=60, labels=300, mean_length=3))
    assert found.better is None
    assert found.lines()[-1].startswith("a release by diffpart would be next to empty")


def test_floors_are_shown_and_nothing_below_them_is_recommended():
    found = forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=PublicFacts(records=2000, labels=100, mean_length=4))
    assert [floor.method for floor in found.floors] == ["independent", "nothing"]
    assert found.floors[1].intervals["itemset_loss"].middle == 1.0
    assert any(line.startswith("  independent: ") for line in found.lines())
    zero = dict.fromkeys(found.floors[0].intervals, Interval(low=0.0, middle=0.0, high=0.0))
    below = replace(found, floors=(replace(found.floors[0], intervals=zero),))
    assert below.better_floor == "independent"
    assert below.lines()[-1].startswith("none of these keeps more of such data than the simplest release (independent)")
    alone = replace(below, chosen=found.others[0], others=())
    assert alone.lines()[-1].startswith(
        f"{found.others[0].method} does not keep more of such data than the simplest release (independent)"
    )


def test_tiny_facts_are_no_trouble():
    found = forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=PublicFacts(records=1, labels=1))
    assert len(found.worlds) == 1


def test_no_ledger_of_the_owner_is_touched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = Ledger.create(tmp_path / "owner.ledger")
    ledger.set_cap("simulated", PureDP("1"))
    before = ledger.path.read_bytes()
    forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=FACTS)
    assert ledger.path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["owner.ledger", "owner.ledger.mark"]


def test_progress_counts_every_publication():
    told = []
    forecast_sets("diffpart", DiffPart(), PureDP("1"), facts=FACTS, progress=lambda done, work: told.append((done, work)))
    assert told == [(done, 9) for done in range(1, 10)]


@pytest.mark.parametrize(
    ("facts", "budget", "error"),
    [
        (PublicFacts(records=0, labels=3), PureDP("1"), ParameterError),
        (PublicFacts(records=10**13, labels=3), PureDP("1"), ParameterError),
        (FACTS, ApproxDP("1", "0.001"), BudgetError),  # diffpart takes no delta
    ],
)
def test_what_cannot_be_forecast_is_refused(facts, budget, error):
    with pytest.raises(error):
        forecast_sets("diffpart", DiffPart(), budget, facts=facts)
