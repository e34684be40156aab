"""What a recipient can know of the private data: answers whose error bars follow from the public law of the noise."""

from fractions import Fraction

import numpy as np
import pytest

import tacita as ta
from released import release_of
from tacita.arrays.ragged import Ragged
from tacita.errors import ParameterError
from tacita.networks.cut_spread import matching_variance
from tacita.privacy.estimates import NoiseLaw, half_width, laws_of
from tacita.sequences import NGram, SequenceRecords


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
    release = ta.open_release(release_of("stream", tmp_path)[1])
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
