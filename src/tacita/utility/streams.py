"""How far a released stream is from the true one, timestamp by timestamp.

The mean absolute error is that of Definition 2.4 of Li, Quan and Yu: over all timestamps and cells. Relative errors divide by
the true count or, where that is smaller, by a bound of `SANITY_SHARE` of the mean number of people, as the papers on w-event
privacy do. A stream of zeros stands beside both: what is worse than that says less than nothing. Computed from raw data without
noise, so it is for the owner's eyes only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.errors import ParameterError
from tacita.privacy.guarantee import OWNER_ONLY
from tacita.privacy.release import Release
from tacita.streams import PublishedStream, StreamRecords

__all__ = ["StreamUtility", "errors_of", "even_spread", "measure", "sections"]

SANITY_SHARE = 0.001


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamUtility:
    """Errors of a released stream. For the owner's eyes only."""

    mean_absolute_error: float
    mean_relative_error: float
    publication_rate: float
    absolute_error_of_zero: float
    relative_error_of_zero: float
    absolute_error_of_even_spread: float
    relative_error_of_even_spread: float
    error_of_running_totals: float
    absolute_errors: Reals = field(repr=False)
    """One per timestamp, over all cells."""

    @property
    def is_better_than_nothing(self) -> bool:
        """Whether the release is nearer to the truth than zeros are."""
        return self.mean_absolute_error < self.absolute_error_of_zero

    @property
    def is_better_than_an_even_spread(self) -> bool:
        """Whether the release is nearer to the truth than the number of people of each timestamp, spread over all cells."""
        return self.mean_absolute_error < self.absolute_error_of_even_spread

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {
            "warning": OWNER_ONLY,
            "mean_absolute_error": self.mean_absolute_error,
            "mean_relative_error": self.mean_relative_error,
            "publication_rate": self.publication_rate,
            "absolute_error_of_zero": self.absolute_error_of_zero,
            "relative_error_of_zero": self.relative_error_of_zero,
            "absolute_error_of_even_spread": self.absolute_error_of_even_spread,
            "relative_error_of_even_spread": self.relative_error_of_even_spread,
            "error_of_running_totals": self.error_of_running_totals,
            "absolute_errors": self.absolute_errors.tolist(),
        }

    def __str__(self) -> str:
        """The figures for people."""
        verdict, other = (
            "better" if is_better else "NO BETTER"
            for is_better in (self.is_better_than_nothing, self.is_better_than_an_even_spread)
        )
        return "\n".join(
            (
                OWNER_ONLY,
                f"mean absolute error   {self.mean_absolute_error:.4g} people per timestamp and cell",
                f"  of zeros            {self.absolute_error_of_zero:.4g}: this release is {verdict} than nothing",
                f"  of an even spread   {self.absolute_error_of_even_spread:.4g}: this release is {other} than that",
                f"mean relative error   {self.mean_relative_error:.4g}, of zeros {self.relative_error_of_zero:.4g}",
                f"  of an even spread   {self.relative_error_of_even_spread:.4g}",
                f"running totals        {self.error_of_running_totals:.4g} people off per timestamp and cell",
                f"measured timestamps   {self.publication_rate:.1%}",
            )
        )


def measure(records: StreamRecords | Integers, release: Release[PublishedStream] | PublishedStream) -> StreamUtility:
    """Compare a release with the stream that it was made from."""
    published = release.data if isinstance(release, Release) else release
    truth = records.histograms() if isinstance(records, StreamRecords) else records
    if truth.shape != published.histograms.shape:
        message = "both streams must have the same timestamps and cells"
        raise ParameterError(message)
    errors = np.abs(truth - published.histograms)
    absolute, relative = errors_of(truth, published.histograms)
    zero, even = (errors_of(truth, guess) for guess in (np.zeros(truth.shape), even_spread(truth)))
    return StreamUtility(
        mean_absolute_error=absolute,
        mean_relative_error=relative,
        publication_rate=float(published.measured.mean()),
        absolute_error_of_zero=zero[0],
        relative_error_of_zero=zero[1],
        absolute_error_of_even_spread=even[0],
        relative_error_of_even_spread=even[1],
        error_of_running_totals=float(np.abs(np.cumsum(truth - published.histograms, axis=0)).mean()),
        absolute_errors=errors.mean(axis=1),
    )


def errors_of(truth: Integers, released: Reals) -> tuple[float, float]:
    """The mean absolute and relative error of released counts."""
    errors = np.abs(truth - released)
    bound = np.maximum(truth, max(SANITY_SHARE * float(truth.sum(axis=1).mean()), 1.0))
    return float(errors.mean()), float((errors / bound).mean())


def even_spread(truth: Integers) -> Reals:
    """What somebody would publish who knows how many people there are at each timestamp, and nothing else."""
    return np.repeat(truth.mean(axis=1, keepdims=True), truth.shape[1], axis=1)


def sections(records: StreamRecords, published: PublishedStream) -> dict[str, StreamUtility]:
    """What `tacita evaluate` compares: the histograms of all timestamps."""
    return {"stream": measure(records, published)}
