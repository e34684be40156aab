"""Statistical tests and bounds, by SciPy, which comes with the extra `audit`."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tacita.errors import MissingExtraError

__all__ = ["at_least", "chi_square", "clopper_pearson"]


try:
    from scipy import stats
except ImportError:  # pragma: no cover - depends on the installation
    _MESSAGE = "the auditor needs SciPy; install it with: pip install 'tacita[audit]'"
    raise MissingExtraError(_MESSAGE) from None

_FEW = 25  # with fewer expected, p-values of a millionth would be several times too small


def chi_square(observed: npt.ArrayLike, expected: npt.ArrayLike) -> float:
    """The p-value of counts against expected counts; cells with a low expected count are merged."""
    seen, law = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    few = law < _FEW
    if few.any():
        seen, law = np.append(seen[~few], seen[few].sum()), np.append(law[~few], law[few].sum())
        if law[-1] < _FEW and law.size > 1:
            seen, law = np.append(seen[:-2], seen[-2:].sum()), np.append(law[:-2], law[-2:].sum())
    if law.size == 1:
        return 1.0
    return float(stats.chisquare(seen, law * seen.sum() / law.sum()).pvalue)


def clopper_pearson(hits: int, runs: int, *, risk: float) -> tuple[float, float]:
    """An interval that misses the probability of a hit, on each side, with probability at most `risk`."""
    low = 0.0 if hits == 0 else float(stats.beta.ppf(risk, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(stats.beta.ppf(1 - risk, hits + 1, runs - hits))
    return low, high


def at_least(hits: int, runs: int, *, probability: float) -> float:
    """The probability of at least this many hits in this many runs."""
    return float(stats.binom.sf(hits - 1, runs, probability))
