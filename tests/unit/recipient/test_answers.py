"""What a recipient can know of the private data: answers whose error bars follow from the public law of the noise."""

from fractions import Fraction

import numpy as np
import pytest

import tacita as ta
from released import release_of
from strategies import basket_records, sequence_records
from tacita.arrays.ragged import Ragged
from tacita.errors import InputError, ParameterError
from tacita.io import NoisyCounts
from tacita.networks.published import matching_variance
from tacita.privacy.estimates import NoiseLaw, counted_interval, half_width, laws_of
from tacita.sequences import NGram, PrefixTree, Raked, SequenceRecords
from tacita.sequences.answers import SequenceAnswers
from tacita.sequences.published import PublishedGrams
from tacita.sets import DiffPart, ItemsetCounts
from tacita.sets.answers import BasketAnswers, ItemsetAnswers
from tacita.sets.published import itemset_step
from tacita.streams import Pace, Sample, StreamRecords


def law(scale, reach):
    """The probabilities of discrete Laplace noise from -reach to reach."""
    ratio = np.exp(-1 / float(scale))
    return (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1))


@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("scales", [(1,), (8,), (2, 2, 2), (3, 10, 0.5)])
def test_half_widths_are_the_smallest_that_the_exact_law_allows(scales, level):
    reach = 400
    exact = np.ones(1)
    for scale in scales:
        exact = np.convolve(exact, law(scale, reach))
    middle = exact.size // 2
    half = half_width(tuple(Fraction(scale) for scale in scales), level=level)
    assert exact[middle - half : middle + half + 1].sum() >= level - 1e-9
    assert half == 0 or exact[middle - half + 1 : middle + half].sum() < level


@pytest.mark.parametrize("left_out", [0, 1, 7, 300])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(20)])
def test_an_interval_holds_wherever_those_who_were_left_out_are_and_a_smaller_one_does_not(scale, left_out):
    """The noisy count is of all but some, of whom any number may be in the cell."""
    noise = np.arange(-2_000, 2_001)
    (low,), (high,) = counted_interval(np.array([10_000]), scale=scale, left_out=left_out)
    below, above = 10_000 - low, high - 10_000  # of the noisy count
    assert above == below + left_out

    def held(fewer):
        in_cell = np.arange(left_out + 1)[:, None]
        inside = (noise - (below - fewer) <= in_cell) & (in_cell <= noise + (above - fewer))
        return (law(scale, 2_000) * inside).sum(axis=1).min()

    assert held(0) >= 0.95 - 1e-12
    assert below == 0 or held(1) < 0.95


def test_an_interval_holds_no_less_than_nobody_and_no_more_than_everybody():
    low, high = counted_interval(np.array([-90, 4, 90]), scale=Fraction(2), people=30)
    assert (low.tolist(), high.tolist()) == ([0, 0, 30], [0, 10, 30])


def test_a_count_that_was_dropped_lies_below_the_threshold_and_what_noise_may_take():
    kept = NoiseLaw(scale=Fraction(2), threshold=10)
    assert kept.estimate(None).high == 9 + half_width((Fraction(2),))
    assert kept.estimate(3).low == 0
    with pytest.raises(ParameterError, match="every count of this draw was published"):
        NoiseLaw(scale=Fraction(2)).estimate(None)


def test_laws_are_read_off_a_manifest_and_ranges_stand_for_their_largest():
    noise = "discrete Laplace, scale 1.5 to 3, kept if the noisy count is at least 7 to 15, depending on the block"
    assert laws_of({"budget": {"draws": [{"step": "x", "noise": noise}]}})["x"] == NoiseLaw(scale=Fraction(3), threshold=15)
    assert laws_of({}) == {}


def test_an_opened_stream_has_its_guarantee_and_answers_sums_with_wider_bars(tmp_path):
    release = ta.open_release(release_of("streams", tmp_path)[1])
    assert repr(release) == f"OpenedRelease(streams by uniform: {release.guarantee.statement})"
    assert release.guarantee.holds
    assert str(release.guarantee).startswith("This release satisfies 1-differential privacy")
    one, all_times = (release.answers.total(cells=["cell 1"], times=times) for times in ([3], None))
    assert one.value == release.data.histograms[3, release.data.cells.code("cell 1")]
    assert all_times.high - all_times.value > 3 * (one.high - one.value)
    assert release.answers.table().columns == ["time", "cell", "count", "measured", "low", "high"]
    assert len(release.to_polars()) == len(release.answers.table())
    assert "<svg" in release._repr_html_()
    with pytest.raises(ParameterError, match="among those of the stream"):
        release.answers.count("nowhere", 0)


def test_a_release_whose_counts_were_rewritten_refuses_error_bars(tmp_path):
    release = ta.open_release(release_of("tables", tmp_path)[1])
    with pytest.raises(ParameterError, match="no error bar follows from a release of mondrian"):
        _ = release.answers
    release = ta.open_release(release_of("personal", tmp_path / "2")[1])
    with pytest.raises(ParameterError, match="no error bar follows from a release of personal"):
        _ = release.answers


def test_visits_flows_and_patterns_come_from_the_noisy_grams_of_a_folder(tmp_path):
    universe = ta.Universe(["a", "b", "c"])
    records = SequenceRecords(sequences=Ragged.from_lists([[0, 1]] * 400 + [[1, 1]] * 300), universe=universe)
    made = NGram(max_length=2, max_gram=2, with_grams=True).publish(records, budget=ta.PureDP("20"))
    release = ta.open_release(made.write(tmp_path / "out"))
    assert len(release.data.grams) == len(made.data.grams)
    assert release.answers.visits("b").covers(1000)
    assert release.answers.flow("a", "b").covers(400)
    assert release.answers.flow("a", "a").low == 0
    assert release.answers.table(2)["gram"].to_list()[0] == ["a", "b"]
    with pytest.raises(ParameterError, match="must be places of the universe"):
        release.answers.flow("a", "nowhere")


GROUPS = ta.Taxonomy.from_edges([("A", "*"), ("B", "BCD"), ("C", "BCD"), ("D", "BCD"), ("BCD", "*")])


def opened(method, records, folder, epsilon="50"):
    return ta.open_release(method.publish(records, budget=ta.PureDP(epsilon)).write(folder))


@pytest.mark.parametrize(
    "method", [PrefixTree(height=2, with_counts=True), PrefixTree(height=2, taxonomy=GROUPS, with_counts=True)]
)
def test_beginnings_come_from_the_noisy_counts_of_a_tree(method, tmp_path):
    records = sequence_records(["AB"] * 400 + ["AC"] * 300 + ["B"] * 200)
    answers = opened(method, records, tmp_path / "out").answers
    assert answers.starts(["A"]).covers(700)
    assert answers.starts(["A", "B"]).covers(400)
    assert (answers.starts(["D"]).low, answers.starts(["D", "D"]).high) == (0, answers.starts(["D"]).high)
    assert answers.starts(["D"]).high < 50
    assert answers.table(2)["gram"].to_list()[0] == ["A", "B"]
    for ask in (lambda: answers.visits("A"), answers.people, lambda: answers.starts(["A"] * 3)):
        with pytest.raises(ParameterError, match="no error bar follows from a release of prefix-tree"):
            ask()


def test_beginnings_with_times_name_their_intervals(tmp_path):
    grid = ta.TimeGrid(start=0, interval=10, intervals=3)
    records = SequenceRecords(sequences=Ragged.from_lists([[0, 3]] * 300), universe=ta.Universe("AB"), grid=grid)
    answers = opened(PrefixTree(height=2, with_counts=True), records, tmp_path / "out").answers
    assert answers.starts([("A", 0), ("B", 1)]).covers(300)
    with pytest.raises(ParameterError, match="the number of its interval from 0 to 2"):
        answers.starts([("A", 3)])


def test_lengths_shapes_and_beginnings_come_from_the_noisy_counts_of_raked_sequences(tmp_path):
    records = sequence_records(["AB"] * 400 + ["AA"] * 300 + ["B"] * 200)
    answers = opened(Raked(max_length=2, with_counts=True), records, tmp_path / "out", "200").answers
    assert answers.people().covers(900)
    assert answers.of_length(2).covers(700)
    assert answers.shape(places=2).covers(400)
    assert answers.starts(["A"]).covers(700)
    with pytest.raises(ParameterError, match="long sequences were counted for less"):
        answers.visits("A")
    with pytest.raises(ParameterError, match="counted together with others, or there are none"):
        answers.shape(places=9)


def test_a_pattern_whose_beginning_was_kept_but_not_followed_may_be_as_frequent_as_that():
    grams = PublishedGrams(grams=Ragged.from_lists([[0], [1], [0, 1]]), counts=np.array([90, 50, 40]), universe=ta.Universe("AB"))
    draws = [
        {"step": f"grams, round {n}", "noise": "discrete Laplace, scale 2, kept if the noisy count is at least 5"} for n in (1, 2)
    ]
    published = sequence_records(["A"]).published(Ragged.from_lists([[0]]), grams=grams)
    answers = SequenceAnswers(published, {"mechanism": {"name": "ngram"}, "budget": {"draws": draws}})
    assert answers.flow("A", "A").high == 4 + half_width((Fraction(2),)), "B after A was kept, so A after A was asked"
    assert answers.flow("B", "A").high == answers.visits("B").high


def test_items_and_sizes_come_from_the_noisy_counts_of_itemsets(tmp_path):
    records = basket_records(["AB"] * 400 + ["ABC"] * 300 + ["D"] * 200)
    answers = opened(ItemsetCounts(with_counts=True), records, tmp_path / "out").answers
    assert answers.people().covers(900)
    assert answers.containing("A").covers(700)
    assert answers.containing("AC").covers(300)
    assert answers.count("AB").covers(400)
    assert answers.sizes()["least"].to_list() == [1, 2, 3, 4]
    assert answers.table()["basket"].to_list()[0] in (["A"], ["B"])
    with pytest.raises(ParameterError, match="must hold one item of the universe"):
        answers.containing("E")


def test_baskets_that_were_cut_widen_what_is_known_of_items():
    counts = NoisyCounts.of(
        [("sizes, round 1", [(1, 1), (2, 2)], [90, 10], [1.0, 1.0]), (itemset_step(1), [("A",), ("B",)], [60, 40], [1.0, 1.0])]
    )
    answers = ItemsetAnswers(counts, ta.Universe("AB"), {"mechanism": {"name": "itemset-counts"}})
    half = half_width((Fraction(1),))
    assert (answers.containing("A").low, answers.containing("A").high) == (60 - half, 60 + half + 10 + half)


def test_what_a_basket_had_to_pass_is_what_diffpart_asked():
    """The tests that are recomputed from the manifest are those of the draws that the account saw."""
    records = basket_records(["A"] * 300 + ["AB"] * 400 + ["ABCD"] * 300 + ["CD"] * 200)
    for method in (
        DiffPart(fan_out=2),
        DiffPart(fan_out=2, allocation="equal"),
        DiffPart(fan_out=3),
        DiffPart(threshold="authors"),
    ):
        release = method.publish(records, budget=ta.PureDP("2"))
        asked = {law.scale for law in laws_of(release.manifest).values()}
        answers = BasketAnswers(release.data, release.manifest)
        for basket in ("A", "AB", "ABCD", "CD"):
            assert answers.tests(frozenset(basket))[-1].scale <= max(asked)
            assert sum(1 / law.scale for law in answers.tests(frozenset(basket))) == 2, "a path costs all of epsilon"
        assert answers.count("D").low == 0
    release = DiffPart(taxonomy=GROUPS).publish(records, budget=ta.PureDP("2"))
    with pytest.raises(ParameterError, match="a taxonomy that is not part of the folder"):
        BasketAnswers(release.data, release.manifest).count("A")


def test_a_release_without_noisy_counts_says_how_its_owner_would_publish_them(tmp_path):
    for method, records in ((PrefixTree(height=2), sequence_records(["AB"] * 9)), (ItemsetCounts(), basket_records(["AB"] * 9))):
        with pytest.raises(ParameterError, match="with_counts"):
            _ = opened(method, records, tmp_path / type(method).__name__).answers


def test_noisy_counts_that_were_damaged_are_refused(tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text('step,of,count,scale\nlevel 1,"[A",3,2.0\n', encoding="utf-8")
    with pytest.raises(InputError, match="does not hold noisy counts"):
        NoisyCounts.read(path)


def test_the_spread_of_a_cut_is_that_of_all_matchings():
    """Six ends, two in each class but the shared one, against all 15 perfect matchings."""
    classes = [0, 0, 1, 1, 3, 3]

    def matchings(ends):
        if not ends:
            yield []
            return
        first, *rest = ends
        for place, second in enumerate(rest):
            for other in matchings(rest[:place] + rest[place + 1 :]):
                yield [(first, second), *other]

    cuts = [sum({classes[a], classes[b]} == {0, 1} for a, b in each) for each in matchings(list(range(6)))]
    assert len(cuts) == 15
    assert matching_variance((2, 2, 0, 2)) == pytest.approx(np.var(cuts))


def test_counts_that_a_stream_repeats_have_no_error_bar_and_those_drawn_anew_have(tmp_path):
    events = [(time, str(user), "ab"[user % 2]) for time in range(4) for user in range(30)]
    records = StreamRecords.from_events(events, cells=ta.Universe("ab"), grid=ta.TimeGrid(start=0, interval=1, intervals=4))
    Sample(contexts=3).publish(records, budget=ta.PureDP("1")).write(tmp_path / "sample")
    opened = ta.open_release(tmp_path / "sample")
    assert np.isfinite(opened.data.intervals[:, 0, 1]).tolist() == opened.data.measured.tolist() == [True, False, False, True]
    counted = opened.answers.count("a", 3)
    assert counted.high - counted.value == counted.value - counted.low == 6
    with pytest.raises(ParameterError, match="timestamp 1 was not measured by itself"):
        opened.answers.count("a", 1)
    with pytest.raises(ParameterError, match="sums of them have no known law"):
        opened.answers.total()
    assert opened.answers.table()["low"].null_count() == 2 * 3


def test_the_measured_timestamps_of_pace_have_the_interval_of_their_draw_however_they_were_filtered(tmp_path):
    events = [(time, str(user), "ab"[user % 2]) for time in range(4) for user in range(30)]
    records = StreamRecords.from_events(events, cells=ta.Universe("ab"), grid=ta.TimeGrid(start=0, interval=1, intervals=4))
    Pace(contexts=3).publish(records, budget=ta.PureDP("0.5")).write(tmp_path / "pace")
    opened = ta.open_release(tmp_path / "pace")
    counted = opened.answers.count("a", 0)
    assert (counted.value, counted.low, counted.high) == (opened.data.histograms[0, 0], *opened.data.intervals[0, 0])
    assert opened.answers.table().columns == ["time", "cell", "count", "mean", "measured", "low", "high", "deviation"]
    assert np.isfinite(opened.data.deviations).all()
    with pytest.raises(ParameterError, match="sums of them have no known law"):
        opened.answers.total()
