"""Degrees that a simple graph can have, from three noisy answers.

The answers are the number of edges, how many vertices have at least t neighbours, and each vertex's degree.

The counts C(t) of vertices with at least t neighbours give a distribution of degrees: they are made to fall (isotonic
regression), kept where they fall by several standard deviations of their noise, and joined by power laws in between. Past the
last of them the tail is a power law, or a geometric one, such that the mean degree is what the noisy number of edges says. In
small networks, and with small budgets, few counts stand out from their noise, or none; there laws with the mean and the variance
of the noisy degrees are candidates too: that of a random graph, a negative binomial one, and a negative binomial one that starts
at a degree of 1, with a share of vertices that have no neighbours. The one that explains all noisy answers best is taken.

Each vertex's noisy degree then has a posterior under that distribution. Its mean is the best guess of that one degree, but a list
of means is narrower than a list of degrees. So small degrees are matched by rank (the vertex of rank r gets the r-th quantile of
the distribution), and large ones, which noise cannot blur, keep their mean, stretched about their centre by what the posteriors
lack in width. The means that are released are shifted so that they agree with the noisy number of edges.

Last, `made_graphic` lowers the largest degrees where no simple graph has such a list.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import AnyIntegers, Booleans, Integers, Reals
from tacita.arrays.scatter import spread

__all__ = [
    "EstimatedDegrees",
    "NoisyDegrees",
    "discrete_laplace_variance",
    "estimated_degrees",
    "excess",
    "falling",
    "made_graphic",
]

SIGNIFICANT = 4.0
"""By how many standard deviations of its noise a count must have fallen to be a fixed point of the distribution."""

CLEAR = 2.0
"""From how many standard deviations of its noise on a degree is taken for itself, not by its rank."""

STEEPEST, FLATTEST = 8.0, 0.05
"""Between which exponents the tail of the distribution is sought."""

FEW_LEVELS = 200.0
"""In networks of more vertices than this many standard deviations of their noise, the counts are the only candidate."""

WIDE = 0.5
"""Means keep their place if at least this share of the variance of degrees is theirs; otherwise rank says more, since means under
Laplace noise never go far from what is usual."""

FAR = 40.0
"""Noise that is less likely than exp(-40) is not looked at."""

_CELLS = 2**22

LEAST_VARIANCE = 1e-200
"""At a rate of hundreds the variance is less than a floating-point number can say; answers are weighed by its inverse."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyDegrees:
    """Three noisy answers about degrees, with the rate of the discrete Laplace noise of each.

    `at_least[t - 1]` is the noisy number of vertices that have at least t neighbours. Each edge has so many `ends` among these
    vertices: 2, or 1 if they are one side of a network with two.
    """

    edges: int
    edges_rate: float
    at_least: Integers = field(repr=False)
    at_least_rate: float
    degrees: Integers = field(repr=False)
    degrees_rate: float
    ends: int = 2

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return int(self.degrees.size)

    @property
    def most(self) -> int:
        """The largest degree that there can be."""
        return int(self.at_least.size)

    @property
    def mean_edges(self) -> float:
        """The number of edges by both answers that say something of it, weighed by their variances."""
        direct = 1 / discrete_laplace_variance(self.edges_rate)
        summed = self.ends**2 / (discrete_laplace_variance(self.degrees_rate) * max(self.vertices, 1))
        mean = (self.edges * direct + float(self.degrees.sum()) / self.ends * summed) / (direct + summed)
        return float(np.clip(mean, 0, self.vertices * self.most / self.ends))


def discrete_laplace_variance(rate: float) -> float:
    """The variance of discrete Laplace noise with this rate; never 0, however large the rate is."""
    ratio = float(np.exp(-rate))
    return max(2 * ratio / (1 - ratio) ** 2, LEAST_VARIANCE)


@dataclass(frozen=True, kw_only=True, eq=False)
class DegreeDistribution:
    """The share of vertices of each degree, and the degree from which on a power law stands for what noise hides.

    `parameters` is how many numbers were fitted to the noisy answers.
    """

    shares: Reals = field(repr=False)
    tail_from: int
    parameters: int


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior:
    """Means and deviations of each vertex's degree given its noisy one, and the log-likelihood of all noisy degrees."""

    means: Reals = field(repr=False)
    errors: Reals = field(repr=False)
    log_likelihood: float


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimatedDegrees:
    """A whole degree for each vertex, and the mean and the standard deviation of its posterior."""

    whole: Integers = field(repr=False)
    means: Reals = field(repr=False)
    errors: Reals = field(repr=False)


def estimated_degrees(noisy: NoisyDegrees) -> EstimatedDegrees:
    """The degrees that the noisy answers speak for; the whole ones add up to twice the number of edges."""
    if noisy.vertices < 2:
        none = np.zeros(noisy.vertices)
        return EstimatedDegrees(whole=none.astype(np.int64), means=none, errors=none)
    edges = noisy.mean_edges
    mean = noisy.ends * edges / noisy.vertices
    found, given = _most_likely(noisy, mean=mean)
    means, errors = given.means, given.errors
    clear = max(found.tail_from, CLEAR * float(np.sqrt(discrete_laplace_variance(noisy.degrees_rate))), 1)
    large, stretched = _stretched(means, errors, clear)
    likely = float(means.max() if large.any() else (means + CLEAR * errors).max())
    matched = np.where(large, stretched, np.minimum(_matched_by_rank(noisy.degrees, found), max(likely, clear)))
    shift = mean - float(means.mean())  # what noise hides of the distribution is missing in the means
    means = np.clip(means + shift, 0, noisy.most)
    whole = _rounded_to(np.minimum(matched, noisy.most), noisy.ends * round(edges), most=noisy.most)
    return EstimatedDegrees(whole=_made_even(whole) if noisy.ends > 1 else whole, means=means, errors=errors)


def _most_likely(noisy: NoisyDegrees, *, mean: float) -> tuple[DegreeDistribution, Posterior]:
    """The distribution that explains the noisy answers best, each parameter at the price of a nat (Akaike, 1974)."""
    deviation = float(np.sqrt(discrete_laplace_variance(noisy.at_least_rate)))
    candidates = []
    if noisy.vertices >= SIGNIFICANT * deviation:
        candidates += by_counts(noisy, mean=mean)
    if noisy.vertices < FEW_LEVELS * deviation:
        candidates += _by_moments(noisy, mean)
    judged = []
    for found in candidates:
        given = posterior(noisy.degrees, found.shares, rate=noisy.degrees_rate)
        counts = noisy.vertices * np.cumsum(found.shares[::-1])[::-1][1:]
        of_counts = -noisy.at_least_rate * float(np.abs(noisy.at_least - counts).sum())
        judged.append((given.log_likelihood + of_counts - found.parameters, found, given))
    _, found, given = max(judged, key=lambda candidate: candidate[0])
    return found, given


def _stretched(means: Reals, errors: Reals, clear: float) -> tuple[Booleans, Reals]:
    """Which degrees are large, and all means about the centre of those, as wide as the posteriors say that degrees are."""
    large = means > clear
    if not large.any():
        return large, means
    centre, variance, hidden = float(means[large].mean()), float(means[large].var()), float((errors[large] ** 2).mean())
    if hidden > 0 and variance < WIDE * (variance + hidden):
        return np.zeros_like(large), means
    return large, np.maximum(centre + (means - centre) * np.sqrt(1 + hidden / max(variance, 1e-9)), 0)


def falling(counts: AnyIntegers | Reals) -> Reals:
    """The falling sequence that is nearest in squares: neighbours that rise are pooled into their mean.

    >>> falling(np.array([5, 3, 4, 1])).tolist()
    [5.0, 3.5, 3.5, 1.0]
    """
    means: list[float] = []
    sizes: list[int] = []
    for count in counts.tolist():
        mean, size = float(count), 1
        while means and means[-1] <= mean:
            mean = (means[-1] * sizes[-1] + mean * size) / (sizes[-1] + size)
            size += sizes.pop()
            means.pop()
        means.append(mean)
        sizes.append(size)
    return np.repeat(np.array(means), sizes)


def by_counts(noisy: NoisyDegrees, *, mean: float) -> list[DegreeDistribution]:
    """The distribution of degrees by the noisy counts, with two kinds of tails that give the mean."""
    vertices, deviation = noisy.vertices, float(np.sqrt(discrete_laplace_variance(noisy.at_least_rate)))
    knots, values = _knots(noisy.at_least, vertices, SIGNIFICANT * deviation)
    at_least = np.zeros(noisy.most + 2)
    at_least[0] = vertices
    for first, last, above, below in zip(knots[:-1], knots[1:], values[:-1], values[1:], strict=True):
        at_least[first : last + 1] = _between(first, last, above, below)
    start, top = max(knots[-1], 1), values[-1]
    past = np.arange(start, noisy.most + 1) / start
    wanted = mean * vertices - float(at_least[1:start].sum())
    ratio = np.clip(1 - top / max(wanted, 1e-9), 0, 1)  # a geometric series from the top adds up to what is wanted
    found = []
    for tail in (past ** -_exponent(past, top, wanted), ratio ** np.arange(past.size)):
        at_least[start : noisy.most + 1] = top * tail
        shares = np.maximum(at_least[:-1] - at_least[1:], 0)
        shares /= max(float(shares.sum()), 1e-300)
        found.append(DegreeDistribution(shares=shares, tail_from=knots[-1], parameters=2 * len(knots)))
    return found


def _by_moments(noisy: NoisyDegrees, mean: float) -> list[DegreeDistribution]:
    """Laws of a few parameters with the mean and the variance of the degrees."""
    degrees = np.arange(noisy.most + 1)
    if mean <= 0:
        return [DegreeDistribution(shares=np.asarray(degrees == 0, dtype=np.float64), tail_from=0, parameters=1)]
    of_noise = discrete_laplace_variance(noisy.degrees_rate)
    above = float(noisy.degrees.var()) - of_noise
    error = float(np.sqrt(5 / noisy.vertices)) * of_noise  # of the variance, since the kurtosis of the noise is 6
    odds = mean / max(noisy.most - mean, 1e-9)
    laws = [(_summed((noisy.most - degrees[:-1]) / (degrees[:-1] + 1) * odds), 1)]
    laws.append((_negative_binomial(mean, above, error=error, size=noisy.most + 1), 2))
    joined = float(np.clip(noisy.at_least[0] / noisy.vertices, 1 / noisy.vertices, 1))
    if mean > joined:
        of_joined = mean / joined
        others = _negative_binomial(
            of_joined - 1, (above + mean**2) / joined - of_joined**2, error=error / joined, size=noisy.most
        )
        laws.append((np.concatenate([[1 - joined], joined * others]), 3))
    return [DegreeDistribution(shares=shares, tail_from=0, parameters=parameters) for shares, parameters in laws]


def _negative_binomial(mean: float, variance: float, *, error: float, size: int) -> Reals:
    """The negative binomial law of 0 to `size` - 1 with this mean and variance.

    The variance is no less than that of a random graph; what it has above that is drawn to nothing by as much as its error asks.
    """
    excess = max(variance - mean, 0.0)
    excess *= excess**2 / max(excess**2 + error**2, 1e-300)
    failures = mean * mean / max(excess, 1e-6 * mean)  # the fewer, the wider
    values = np.arange(size - 1)
    return _summed((failures + values) / (values + 1) * (mean / (failures + mean)))


def _summed(ratios: Reals) -> Reals:
    """Shares of which each is so many times the one before."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.maximum(ratios, 1e-300)))])
    shares = np.exp(logs - logs.max())
    return np.asarray(shares / shares.sum(), dtype=np.float64)


def _knots(at_least: Integers, vertices: int, step: float) -> tuple[list[int], list[float]]:
    """The degrees at which the falling counts have fallen by a step since the last one, while they are above a step."""
    end = 64
    while end < at_least.size and float(at_least[end : 2 * end].mean()) > step / 4:
        end *= 2
    counts = np.clip(falling(at_least[: 2 * end]), 0, vertices)
    first = float(counts[0]) if counts[0] >= step else max(float(counts[0]), 1e-9)
    knots, values = [0, 1], [float(vertices), first if vertices - first >= step else float(vertices)]
    for place, count in enumerate(counts.tolist()[1:], start=2):
        before = float(counts[place - 2])
        is_cliff = before - count >= 2 * step
        if count < step and not is_cliff:
            break
        if values[-1] - count >= step:
            if is_cliff and place - 1 > knots[-1] and values[-1] - before < step:
                knots.append(place - 1)  # the counts were level until just before
                values.append(before)
            knots.append(place)
            values.append(max(count, 1.0))
        if count < step:
            break  # few are left behind a cliff: a tail that is small, but not a continuation of what was before
    return _refined(knots, values, counts, 0.75 * step)


def _between(first: int, last: int, above: float, below: float) -> Reals:
    """Counts from one knot to the next, both included: a power law, or a straight line from 0."""
    places = np.arange(first, last + 1)
    if first == 0:
        return np.interp(places, [first, last], [above, below])
    return np.asarray(np.exp(np.interp(np.log(places), np.log([first, last]), np.log([above, below]))), dtype=np.float64)


def _refined(knots: list[int], values: list[float], counts: Reals, most: float) -> tuple[list[int], list[float]]:
    """More knots, where a power law between two of them is further from the falling counts than the most that is allowed."""
    found = [(knots[0], values[0])]
    ahead = list(zip(knots, values, strict=True))[:0:-1]
    while ahead:
        (first, above), (last, below) = found[-1], ahead[-1]
        inside = np.clip(counts[first : last - 1], max(below, 1.0), above)  # those of the degrees first + 1 to last - 1
        away = np.abs(inside - _between(first, last, above, below)[1:-1])
        if inside.size and float(away.max()) > most:
            worst = int(np.argmax(away))
            ahead.append((first + 1 + worst, float(inside[worst])))
        else:
            found.append(ahead.pop())
    return [place for place, _ in found], [value for _, value in found]


def _exponent(past: Reals, top: float, wanted: float) -> float:
    """The exponent at which a power law from `top` down adds up to what is wanted, by halving."""
    steep, flat = STEEPEST, FLATTEST
    for _ in range(40):
        middle = (steep + flat) / 2
        if top * float((past**-middle).sum()) < wanted:
            steep = middle
        else:
            flat = middle
    return (steep + flat) / 2


def posterior(noisy: Integers, shares: Reals, *, rate: float) -> Posterior:
    """The degree given each noisy one, where degrees have these shares; noise has this rate."""
    values, inverse, times = np.unique(noisy, return_inverse=True, return_counts=True)
    most = shares.size - 1
    width = min(int(np.ceil(FAR / rate)), most)
    centres = np.clip(values, 0, most)
    means, squares, chances = (np.empty(values.size) for _ in range(3))
    at_once = max(1, _CELLS // (2 * width + 1))
    window = np.arange(-width, width + 1)
    for begin in range(0, values.size, at_once):
        places = centres[begin : begin + at_once, np.newaxis] + window
        inside = (places >= 0) & (places <= most)
        weights = np.where(inside, shares[np.clip(places, 0, most)], 0) * np.exp(-rate * np.abs(window))
        outside = values[begin : begin + at_once] - centres[begin : begin + at_once]  # below 0 or above the most
        if outside.any():  # all degrees are on one side of such a value, so only the distance from the centre counts
            signs = np.sign(outside)[:, np.newaxis]
            weights = np.where(signs * window > 0, 0, weights)
        total = chances[begin : begin + at_once] = weights.sum(axis=1)
        means[begin : begin + at_once] = np.where(
            total > 0, (weights * places).sum(axis=1) / np.maximum(total, 1e-300), centres[begin : begin + at_once]
        )
        away = places - means[begin : begin + at_once, np.newaxis]
        squares[begin : begin + at_once] = (weights * away**2).sum(axis=1) / np.maximum(total, 1e-300)
    inverse = inverse.reshape(-1)
    log_likelihood = float((times * np.log(np.maximum(chances, 1e-300))).sum())  # without what is the same for all shares
    return Posterior(means=means[inverse], errors=np.sqrt(squares)[inverse], log_likelihood=log_likelihood)


def _matched_by_rank(noisy: Integers, found: DegreeDistribution) -> Reals:
    """Quantiles of the distribution in the order of the noisy degrees."""
    vertices = noisy.size
    quantiles = np.searchsorted(np.cumsum(found.shares), (np.arange(vertices) + 0.5) / vertices)
    order = np.lexsort((spread(np.arange(vertices), salt=17), noisy))
    matched = np.empty(vertices)
    matched[order] = np.minimum(quantiles, found.shares.size - 1)
    return matched


def _rounded_to(degrees: Reals, total: int, *, most: int) -> Integers:
    """Whole degrees near these that add up to the total: what is missing is spread over the vertices that have most."""
    vertices = degrees.size
    for _ in range(8):
        missing = total - degrees.sum()
        weights = np.where(degrees >= 2, degrees - 1, 0) if missing < 0 else degrees * (degrees < most)
        if abs(missing) < 0.5 or not weights.sum():
            break
        degrees = np.clip(degrees + weights * (missing / weights.sum()), 0, most)
    floor = np.floor(degrees)
    up = spread(np.arange(vertices), salt=23) < degrees - floor
    return (floor + up).astype(np.int64)


def _made_even(degrees: Integers) -> Integers:
    """The same with an even sum: the largest degree loses one."""
    if degrees.sum() % 2:
        degrees[int(np.argmax(degrees))] -= 1
    return degrees


# Degrees that a simple graph can have.
#
# A list of degrees with an even sum belongs to a simple graph if and only if, for each k, the k largest add up to at most
# k(k-1) plus the sum of min(d, k) over the others (Erdős and Gallai, 1960). Where that fails, the largest degrees are too
# large: they give up the excess, evenly.


def made_graphic(degrees: Integers) -> Integers:
    """The same degrees where a simple graph can have them; otherwise the largest are lowered until one can.

    >>> made_graphic(np.array([3, 3, 1, 1])).tolist()
    [2, 2, 1, 1]
    """
    degrees = np.clip(degrees, 0, max(degrees.size - 1, 0)).astype(np.int64)
    if degrees.sum() % 2:
        degrees[int(np.argmax(degrees))] -= 1
    while True:
        too_much = excess(degrees)
        worst = int(np.argmax(too_much)) if too_much.size else 0
        if not too_much.size or too_much[worst] <= 0:
            return degrees
        falling = np.argsort(-degrees, kind="stable")
        give = int(too_much[worst]) + int(too_much[worst]) % 2  # in pairs, so that the sum stays even
        takers = falling[: worst + 1]
        each, more = divmod(give, takers.size)
        degrees[takers] -= each + (np.arange(takers.size) < more)
        degrees = np.maximum(degrees, 0)
        if degrees.sum() % 2:
            degrees[int(np.argmax(degrees))] -= 1


def excess(degrees: Integers) -> Integers:
    """For k = 1, 2, ..., by how much the k largest degrees pass the bound of Erdős and Gallai."""
    falling = np.sort(degrees)[::-1]
    k = np.arange(1, falling.size + 1)
    sums = np.concatenate([[0], np.cumsum(falling)])
    above = np.maximum(np.searchsorted(-falling, -k, side="right"), k)  # how many have at least k, but never fewer than k
    bound = k * (k - 1) + (above - k) * k + (sums[-1] - sums[above])
    return np.asarray(sums[1:] - bound, dtype=np.int64)
