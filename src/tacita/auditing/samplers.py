"""Distribution tests of every sampler, with their power: the same test must reject a scale that is a few per cent off.

A correct sampler fails each of these tests at most twice in a million runs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tacita.arrays import Integers, Reals
from tacita.auditing.verdict import Check, chi_square
from tacita.privacy import noise
from tacita.privacy.answers import Answers, Drawing
from tacita.privacy.questions import CellQuestion, Cells
from tacita.privacy.questions.selecting import permute_and_flip, selection_probabilities
from tacita.privacy.randomness import SecureSource, Source

__all__ = ["audit_counts", "audit_repeats", "audit_samplers"]

FLAKE_RATE = 1e-6
SCALES = (Fraction(3, 10), Fraction(1), Fraction(5, 2), Fraction(12), Fraction(1000))
OFF = Fraction(103, 100)

MAGNITUDES = (100, 255, 256, 999, 1000, 1001, 10_000, 65_535, 65_536, 10**6, 2**31, 2**32, 10**12, 2**53 + 1)
"""Counts around which code might take a different branch."""

IN_A_ROW = 8
"""How many noise values in a row must not occur again."""


def audit_samplers(*, draws: int = 1_000_000, source: Source | None = None) -> list[Check]:
    """Test noise, tails, empty cells, selection, answers about counts of any size, and that nothing repeats."""
    chosen = SecureSource() if source is None else source
    checks = [_noise(scale, draws, chosen) for scale in SCALES]
    checks += [_tail(scale, draws, chosen) for scale in SCALES]
    checks += [*(_empties(draws // 100, chosen, batch=batch) for batch in (None, 1, 2)), _selection(draws // 20, chosen)]
    return [*checks, audit_counts(Drawing(chosen), draws=draws // 20), audit_repeats(chosen)]


def audit_counts(answers: Answers, *, draws: int) -> Check:
    """Answers about large counts: the noise of a count must not depend on how large it is."""
    rate, keys = Fraction(1, 2), np.arange(draws, dtype=np.int64)
    question = CellQuestion(step="counts", epsilon=rate, sensitivity=1, domain=draws, threshold=1)
    right = wrong = 1.0
    found = "every count has the same noise"
    for count in MAGNITUDES:
        answer = answers.answer(question, Cells(keys, np.full(draws, count, dtype=np.int64)))
        values = answer.values - count
        if values.size < draws:
            found = f"{draws - values.size:,} of {draws:,} counts of {count:,} are lost"
            right = 0.0
            continue
        pvalue = _fits(values, 1 / rate)
        if pvalue < right:
            right, found = pvalue, f"smallest p at counts of {count:,}"
        wrong = min(wrong, _fits(values, 1 / rate * OFF**4))
    check = _verdict("answers about counts of any size", min(1.0, right * len(MAGNITUDES)), wrong, draws)
    return replace(check, evidence=(found, *check.evidence))


def _fits(values: Integers, scale: Fraction) -> float:
    """How well noise fits its law, in 61 cells."""
    spread = int(np.ceil(float(scale) * np.log(values.size / 50))) + 1
    edges = np.unique(np.linspace(-spread, spread, min(2 * spread + 1, 61)).astype(np.int64))
    observed = np.bincount(np.searchsorted(edges, values, side="right"), minlength=edges.size + 1)
    return chi_square(observed, np.diff([0.0, *_below(edges, scale), 1.0]) * values.size)


def audit_repeats(source: Source, *, size: int = 2**21) -> Check:
    """Nothing comes twice: neither eight bytes of the source, at any position, nor eight noise values in a row."""
    stream = np.frombuffer(source.take(size), dtype=np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(stream, 8).copy().view("<u8").reshape(-1)
    values = noise.discrete_laplace(size // 8, rate=Fraction(1, 1000), source=source)
    rows = np.ascontiguousarray(np.lib.stride_tricks.sliding_window_view(values, IN_A_ROW))
    runs = rows.view(np.dtype((np.void, rows.itemsize * IN_A_ROW))).reshape(-1)
    repeats = [windows.size - np.unique(windows).size, runs.size - np.unique(runs).size]
    return Check(
        subject="noise that does not repeat",
        test="repeats",
        passed=not any(repeats),
        summary=f"{repeats[0]:,} of {windows.size:,} words of the source repeat, {repeats[1]:,} of {runs.size:,} runs of noise",
        evidence=(f"a correct source fails this about once in {2**64 // (size**2 // 2):,} audits",),
        reproduce=f"audit_repeats(source, size={size})",
        figures={"repeated_words": float(repeats[0]), "repeated_noise": float(repeats[1])},
    )


def _verdict(what: str, right: float, wrong: float, draws: int) -> Check:
    passed = right > FLAKE_RATE and wrong < FLAKE_RATE
    weak = "" if wrong < FLAKE_RATE else "; the test has no power: it accepts a law that is off"
    return Check(
        subject=what,
        test="distribution",
        passed=passed,
        summary=f"p = {right:.2g}, and {wrong:.1e} against a law that is off{weak}",
        evidence=(f"draws: {draws:,}", f"a correct sampler fails this at most twice in {1 / FLAKE_RATE:,.0f} runs"),
        reproduce=f"audit_samplers(draws={draws})",
        figures={"p": right, "p_off": wrong, "draws": float(draws)},
    )


def _noise(scale: Fraction, draws: int, source: Source) -> Check:
    """Discrete Laplace noise in up to 400 cells for detail, and in 60 for power; two of the cells are the tails."""
    spread = int(np.ceil(float(scale) * np.log(draws / 50))) + 1
    values = noise.discrete_laplace(draws, rate=1 / scale, source=source)

    def pvalue(assumed: Fraction, cells: int) -> float:
        edges = np.unique(np.linspace(-spread, spread, min(2 * spread + 1, cells)).astype(np.int64))
        observed = np.bincount(np.searchsorted(edges, values, side="right"), minlength=edges.size + 1)
        return chi_square(observed, np.diff([0.0, *_below(edges, assumed), 1.0]) * draws)

    right = min(pvalue(scale, 401), pvalue(scale, 61))
    return _verdict(f"discrete Laplace, scale {float(scale):g}", right, pvalue(scale * OFF, 61), draws)


def _below(edges: Integers, scale: Fraction) -> Reals:
    """P[X < edge]."""
    ratio = np.exp(-1 / float(scale))
    negative = ratio ** np.maximum(1 - edges, 0) / (1 + ratio)
    positive = 1 - ratio ** np.maximum(edges, 0) / (1 + ratio)
    return np.asarray(np.where(edges <= 0, negative, positive), dtype=np.float64)


def _tail(scale: Fraction, draws: int, source: Source) -> Check:
    """The conditional tail above a threshold, which must be geometric."""
    threshold = max(1, int(3 * scale))
    values = noise.tail_above(draws, rate=1 / scale, threshold=threshold, source=source) - threshold
    width = max(1, int(scale) // 10)
    cells = int(12 * float(scale) / width) + 1
    observed = np.bincount(np.minimum(values // width, cells), minlength=cells + 1)

    def pvalue(assumed: Fraction) -> float:
        beyond = np.exp(-np.arange(cells + 1) * width / float(assumed))
        return chi_square(observed, np.append(beyond[:-1] - beyond[1:], beyond[-1]) * draws)

    return _verdict(f"tail above {threshold}, scale {float(scale):g}", pvalue(scale), pvalue(scale * OFF), draws)


def _empties(runs: int, source: Source, *, batch: int | None) -> Check:
    """Which of six empty cells pass: 64 patterns with exact probabilities; small batches put every gap next to a boundary."""
    rate, threshold, cells = Fraction(1, 2), 2, 6
    observed = np.zeros(2**cells)
    for _ in range(runs):
        ranks = noise.passing_ranks(cells, rate=rate, threshold=threshold, source=source, batch=batch)
        observed[int((1 << ranks).sum())] += 1
    passing = np.array([pattern.bit_count() for pattern in range(2**cells)])

    def pvalue(chance: float) -> float:
        return chi_square(observed, chance**passing * (1 - chance) ** (cells - passing) * runs)

    right = noise.passing_probability(rate, threshold)
    name = "empties that pass" + ("" if batch is None else f", gaps in batches of {batch}")
    return _verdict(name, pvalue(right), pvalue(right * 1.25), runs)


def _selection(runs: int, source: Source) -> Check:
    """Permute-and-flip over five candidates with integer and fractional scores."""
    scores: list[int | Fraction] = [3, Fraction(5, 2), 0, 3, -4]
    epsilon, sensitivity = Fraction(3, 2), Fraction(1)
    observed = np.zeros(len(scores))
    for _ in range(runs):
        observed[permute_and_flip(scores, epsilon=epsilon, sensitivity=sensitivity, source=source)] += 1

    def pvalue(assumed: Fraction) -> float:
        return chi_square(observed, selection_probabilities(scores, epsilon=assumed, sensitivity=sensitivity) * runs)

    return _verdict("permute-and-flip", pvalue(epsilon), pvalue(epsilon * Fraction(13, 10)), runs)
