"""The samplers against their exact laws, with the power to see a scale that is 3 % off.

Secure entropy, so a correct sampler fails each chi-square test once in a million runs; there are eleven of them.
"""

from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from scipy.stats import chi2_contingency, chisquare, norm

from tacita.privacy import noise
from tacita.privacy.noise import discrete_gaussian
from tacita.privacy.randomness import SecureSource

SCALES = [Fraction(3, 10), Fraction(1), Fraction(5, 2), Fraction(12), Fraction(1000)]
DRAWS = 1_000_000
FLAKE_RATE = 1e-6
SECURE = SecureSource()


def laplace_pvalue(values, scale):
    """Chi-square of integers against discrete Laplace, in cells of five expected values at least; the tails are two cells."""
    ratio = np.exp(-1 / float(scale))
    spread = int(np.ceil(float(scale) * np.log(DRAWS / 50))) + 1
    edges = np.unique(np.linspace(-spread, spread, min(2 * spread + 1, 401)).astype(int))

    def below(edge):  # P[X < edge]
        edge = np.asarray(edge, dtype=float)
        negative = ratio ** np.maximum(1 - edge, 0) / (1 + ratio)
        positive = 1 - ratio ** np.maximum(edge, 0) / (1 + ratio)
        return np.where(edge <= 0, negative, positive)

    chances = np.diff(np.concatenate([[0.0], below(edges), [1.0]]))
    observed = np.bincount(np.searchsorted(edges, values, side="right"), minlength=chances.size)
    enough = chances * values.size >= 5
    observed = np.append(observed[enough], observed[~enough].sum())
    expected = np.append(chances[enough], chances[~enough].sum()) * values.size
    if expected[-1] < 5:
        observed, expected = np.append(observed[:-2], observed[-2:].sum()), np.append(expected[:-2], expected[-2:].sum())
    return chisquare(observed, expected).pvalue


@pytest.mark.parametrize("scale", SCALES)
def test_the_noise_has_its_law_and_a_scale_three_per_cent_off_is_rejected(scale):
    values = noise.discrete_laplace(DRAWS, rate=1 / scale, source=SECURE)
    assert laplace_pvalue(values, scale) > FLAKE_RATE
    for wrong in (Fraction(97, 100), Fraction(103, 100)):
        off = noise.discrete_laplace(DRAWS, rate=1 / (scale * wrong), source=SECURE)
        assert laplace_pvalue(off, scale) < FLAKE_RATE


@pytest.mark.parametrize("scale", SCALES)
def test_the_tail_beyond_several_scales_is_geometric(scale):
    values = noise.discrete_laplace(DRAWS, rate=1 / scale, source=SECURE)
    start = max(1, int(3 * scale))
    tail = values[values >= start] - start
    ratio = np.exp(-1 / float(scale))
    width = max(1, int(scale))
    cells = np.arange(4)
    chances = np.append(ratio ** (cells * width) * (1 - ratio**width), ratio ** (4 * width))
    observed = np.bincount(np.minimum(tail // width, 4), minlength=5)
    enough = chances * tail.size >= 5
    assert enough[:2].all()
    observed, expected = observed[enough], (chances * tail.size)[enough]
    expected = expected * observed.sum() / expected.sum()
    assert chisquare(observed, expected).pvalue > FLAKE_RATE


def test_the_conditional_tail_is_what_is_left_of_the_noise_above_the_threshold():
    rate, threshold = Fraction(2, 5), 4
    values = noise.discrete_laplace(DRAWS, rate=rate, source=SECURE)
    by_rejection = values[values >= threshold]
    direct = noise.tail_above(by_rejection.size, rate=rate, threshold=threshold, source=SECURE)
    table = [np.bincount(np.minimum(side - threshold, 15), minlength=16) for side in (by_rejection, direct)]
    assert chi2_contingency(table).pvalue > FLAKE_RATE


def test_the_noise_agrees_with_opendp_at_a_scale_that_is_no_whole_number():
    dp.enable_features("contrib")
    reference = dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=2.5)
    theirs = np.array(reference([0] * 100_000))
    ours = noise.discrete_laplace(100_000, rate=Fraction(2, 5), source=SECURE)
    table = [np.bincount(np.clip(side, -20, 20) + 20, minlength=41) for side in (theirs, ours)]
    assert chi2_contingency(np.array(table)[:, np.sum(table, axis=0) > 0]).pvalue > FLAKE_RATE


def test_empties_pass_as_often_and_where_single_draws_would():
    """Six cells, so 64 patterns of passing cells, each with its exact probability."""
    rate, threshold, cells, runs = Fraction(1, 2), 2, 6, 20_000
    chance = noise.passing_probability(rate, threshold)
    observed = np.zeros(2**cells)
    for _ in range(runs):
        ranks = noise.passing_ranks(cells, rate=rate, threshold=threshold, source=SECURE)
        observed[int((1 << ranks).sum())] += 1
    passing = np.array([pattern.bit_count() for pattern in range(2**cells)])
    expected = chance**passing * (1 - chance) ** (cells - passing) * runs
    rare = expected < 5
    observed, expected = np.append(observed[~rare], observed[rare].sum()), np.append(expected[~rare], expected[rare].sum())
    assert chisquare(observed, expected).pvalue > FLAKE_RATE


def test_the_number_of_passing_empties_of_a_large_domain_is_binomial():
    rate, threshold, cells = Fraction(1, 12), 92, 10**6
    chance = noise.passing_probability(rate, threshold)
    counts = np.array([noise.passing_ranks(cells, rate=rate, threshold=threshold, source=SECURE).size for _ in range(300)])
    deviations = (counts - cells * chance) / np.sqrt(cells * chance * (1 - chance))
    assert abs(deviations.mean()) < 4.9 / np.sqrt(300)
    assert 0.6 < deviations.var() < 1.5


def gaussian_pvalue(values, deviation):
    """Chi-square of integers against the discrete Gaussian, in up to 401 cells; beyond a thousand the sums are integrals."""
    spread = int(np.ceil(4.5 * deviation)) + 1
    edges = np.unique(np.linspace(-spread, spread, min(2 * spread + 1, 401)).astype(int))
    if deviation < 1000:
        places = np.arange(-3 * spread - 10, 3 * spread + 11)
        weights = np.exp(-(places.astype(float) ** 2) / (2 * deviation**2))
        below = np.concatenate([[0.0], np.cumsum(weights / weights.sum())])[np.searchsorted(places, edges)]
    else:
        below = norm.cdf((edges - 0.5) / deviation)
    chances = np.diff(np.concatenate([[0.0], below, [1.0]]))
    observed = np.bincount(np.searchsorted(edges, values, side="right"), minlength=chances.size)
    enough = chances * values.size >= 5
    expected = np.append(chances[enough], chances[~enough].sum()) * values.size
    observed = np.append(observed[enough], observed[~enough].sum())
    if expected[-1] < 5:
        observed, expected = np.append(observed[:-2], observed[-2:].sum()), np.append(expected[:-2], expected[-2:].sum())
    return chisquare(observed, expected * observed.sum() / expected.sum()).pvalue


@pytest.mark.parametrize(
    "deviation", [Fraction(3, 10), Fraction(1), Fraction(5, 2), Fraction(12), Fraction(1000), Fraction(10**6)]
)
def test_gaussian_noise_has_its_law_and_a_deviation_three_per_cent_off_is_rejected(deviation):
    values = discrete_gaussian(DRAWS // 4, variance=deviation**2, source=SECURE)
    assert gaussian_pvalue(values, float(deviation)) > FLAKE_RATE
    for wrong in (Fraction(97, 100), Fraction(103, 100)):
        off = discrete_gaussian(DRAWS // 4, variance=(deviation * wrong) ** 2, source=SECURE)
        assert gaussian_pvalue(off, float(deviation)) < FLAKE_RATE


def test_the_tails_of_gaussian_noise_have_their_law():
    """Beyond three deviations, where rejection seldom keeps anything, in single values."""
    deviation, start = 4.0, 12
    values = discrete_gaussian(DRAWS, variance=Fraction(16), source=SECURE)
    tail = np.abs(values[np.abs(values) >= start]) - start
    weights = np.exp(-((np.arange(60) + start).astype(float) ** 2) / (2 * deviation**2))
    chances = weights / weights.sum()
    observed = np.append(np.bincount(tail, minlength=60)[:7], np.count_nonzero(tail >= 7))
    expected = np.append(chances[:7], chances[7:].sum()) * tail.size
    assert chisquare(observed, expected).pvalue > FLAKE_RATE


def test_gaussian_noise_agrees_with_opendp():
    dp.enable_features("contrib")
    theirs = dp.m.make_gaussian(dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=int), scale=2.5)
    reference = np.array(theirs([0] * (DRAWS // 10)))
    values = discrete_gaussian(DRAWS // 10, variance=Fraction(25, 4), source=SECURE)
    table = [np.bincount(np.clip(each, -10, 10) + 10, minlength=21) for each in (values, reference)]
    assert chi2_contingency(table).pvalue > FLAKE_RATE
