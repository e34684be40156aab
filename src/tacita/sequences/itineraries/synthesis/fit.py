"""Itineraries that agree with all noisy answers at once: rounds of pilots and corrections, then the walk of everybody.

A pilot gives the expected count of every gram of places, weighted as it was asked. Each round scales new steps, affinities and
ends by (t / e) to the power `DAMPING`, long grams first, where e is what is expected and t = e + k (c - e) lies between it and
the noisy count c. With noise of variance v, k = max(0, 1 - `SHRINKING` v / (c - e)^2): differences that noise explains are left
alone, large ones are met (positive-part shrinkage, James and Stein 1961, here a count at a time). What the template's letters
are too often or too rarely after each other, because nobody could choose them, is made up for in the same way.

Where noise drowns everything, nothing is scaled: what remains are lengths, popular places and returns, independent of each other.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tacita.arrays import Reals
from tacita.arrays.parts import in_parts
from tacita.arrays.ragged import Ragged, offsets_of
from tacita.privacy.publishing import refuse_flood
from tacita.sequences.itineraries.synthesis.flows import Flows
from tacita.sequences.itineraries.synthesis.noisy import NoisyItineraries, calmed
from tacita.sequences.itineraries.synthesis.places import Places, places_of
from tacita.sequences.itineraries.synthesis.steering import Template
from tacita.sequences.itineraries.synthesis.template import template_of
from tacita.sequences.itineraries.synthesis.walk import Walk
from tacita.sequences.ngrams.synthesis import GramTree

__all__ = ["itineraries", "repeated_singly"]


ROUNDS, PILOT = 6, 20_000
"""How many rounds of correction, with how many walkers each."""

DAMPING, SHRINKING, LARGEST_STEP = 0.8, 2.0, 3.0
PILOT_NOISE = 0.005
"""The variance of what a pilot expects, in relation to it, for as many walkers as there are sequences."""

PRIOR, LETTER_PRIOR = 3.0, 20.0
"""Counts below that do not move much."""

LARGEST_AFFINITY, LARGEST_END = 50.0, 20.0


def itineraries(noisy: NoisyItineraries) -> Ragged:
    """Write as many sequences as there are, in an order that says nothing."""
    records = noisy.records
    refuse_flood(float(records) * noisy.max_length, in_parts=True)
    if records < 1:
        return Ragged(np.zeros(0, dtype=np.int32), offsets_of([]))
    letters = np.ones((len(noisy.alphabet) + 1, len(noisy.alphabet) + 1))
    template = Template(noisy=noisy, machine=template_of(noisy), after=letters)
    walk = Walk(noisy=noisy, template=template, places=places_of(noisy))
    walkers = min(PILOT, max(records, round(float(noisy.lengths.sum()))))
    for _ in range(ROUNDS):
        _, flows = walk.pilot(walkers)
        _meet_letters(template, flows)
        _meet_places(walk.places, flows, noise=PILOT_NOISE * records / walkers)
    steering, _ = walk.pilot(walkers)
    return walk.write(records, steering)


def repeated_singly(records: int, first: GramTree) -> Ragged:
    """As many sequences of one symbol, with symbols as often as the noisy counts say."""
    refuse_flood(float(records), in_parts=True)
    level = calmed(first).levels[0]
    counts = np.zeros(first.symbols)
    counts[level.symbols] = np.maximum(level.counts, 0)
    reached = np.cumsum(counts + 1e-9)
    return in_parts(records, partial(_singly, reached, records), longest=1)


def _singly(reached: Reals, records: int, part: int, parts: int) -> Ragged:
    """The sequences of one part."""
    numbers = np.arange(records * part // parts, records * (part + 1) // parts)
    codes = np.searchsorted(reached, (numbers + 0.5) / max(records, 1) * reached[-1]).astype(np.int32)
    return Ragged(np.minimum(codes, reached.size - 1), np.arange(numbers.size + 1, dtype=np.int64))


def _meet_letters(template: Template, flows: Flows) -> None:
    """Scale what the template says of each pair of letters, by what became of it."""
    after, machine = template.after, template.machine
    wanted = np.zeros_like(after)
    np.add.at(wanted, machine.contexts.lasts, machine.expected)
    wanted[-1] = 0.0
    wanted *= flows.letters.sum() / max(float(wanted.sum()), 1e-9)
    after *= np.clip((wanted + LETTER_PRIOR) / (flows.letters + LETTER_PRIOR), 0.5, 2.0)
    np.clip(after, 1 / LARGEST_AFFINITY, LARGEST_AFFINITY, out=after)


def _meet_places(places: Places, flows: Flows, *, noise: float) -> None:
    """Scale new steps, affinities and ends towards the noisy counts of grams, from long to short."""
    new, back, ends = flows.new, flows.back, flows.ends
    for target in places.targets:
        rows = np.flatnonzero(target.owners >= 0)
        owners = target.owners[rows]
        expected = np.zeros_like(target.counts)
        np.add.at(expected, owners, np.column_stack([(new + back)[rows], ends[rows]]))
        if target.is_single:
            expected[0, :-1] += flows.first
        ratio = _ratios(expected, target.counts, target.deviations**2 + noise * np.maximum(expected, 1.0))[owners]
        for table in (places.new, new):
            table[rows] *= ratio[:, :-1]
        if not target.is_single:
            for table in (places.affinity, back):
                table[rows] *= ratio[:, :-1]
            places.ends[rows] *= ratio[:, -1]
            ends[rows] *= ratio[:, -1]
    np.clip(places.affinity, 1 / LARGEST_AFFINITY, LARGEST_AFFINITY, out=places.affinity)
    np.clip(places.ends, 1 / LARGEST_END, LARGEST_END, out=places.ends)
    places.normalise()


def _ratios(expected: Reals, counts: Reals, variances: Reals) -> Reals:
    """By how much to scale what is expected, towards counts with noise of these variances, infinite where none is known."""
    known = np.isfinite(variances)
    difference = np.where(known, counts - expected, 0.0)
    variance = np.where(known, variances, 1.0)
    trust = np.clip(1 - SHRINKING * variance / np.maximum(difference**2, 1e-9), 0.0, 1.0)
    aim = np.maximum(expected + trust * difference, 0.0)
    ratio = np.clip((aim + PRIOR) / (expected + PRIOR), 1 / LARGEST_STEP, LARGEST_STEP)
    return np.asarray(ratio**DAMPING, dtype=np.float64)
