"""What each question of itineraries with times costs, given noisy lengths. All of it is public.

The error of a noisy table, as a share of all visits, is about its number of cells times the scale of its noise, over twice the
visits. Times and places get what brings that error down to a target, up to a bound, and so they are never much worse than if
nothing else had been asked; what is left goes to orders, returns and gaps, which are worth asking where there is much of it.

The shares were chosen on simulated events, a made-up transit agency and check-ins by week, and judged on other data.
"""

from __future__ import annotations

from fractions import Fraction

from tacita.sequences.itineraries.shares import SHARES, SINGLE_SHARES

__all__ = ["LENGTHS", "SINGLE_LENGTHS", "Shares", "least_shares", "single_timed_shares", "timed_shares"]

Shares = dict[str, tuple[Fraction, str]]

LENGTHS, SINGLE_LENGTHS = Fraction(10, 100), Fraction(4, 100)
"""The share of lengths, and that of sequences that are cut after one visit; of the rest, in proportion:"""

TIMES_TARGET, PLACES_TARGET = 0.015, 0.01
TIMES, VISITS = (8, 32), (6, 38)
"""The least and the most hundredths for times, and for visits to places."""

BY_PLACE = Fraction(12, 100), Fraction(8, 100)
"""The part for times by place, and the one where visits to places need all that they may have."""

FIRST_TIMES, GAPS = Fraction(6, 100), Fraction(9, 100)
"""The parts of what is left that go to the beginnings of sequences, and to gaps; the others are asked without times too."""

TOLD_APART, BY_SINGLE_PLACE, SINGLE_TIMES = 50.0, Fraction(48, 100), Fraction(20, 100)
"""Sequences of one visit: places are told apart by time from this many of them times epsilon for each place on. Then that part
goes to times by place, and this one to times alone; otherwise all goes to places and to times."""

NOTES = {
    "visits": "how often places are visited, whatever comes before and after",
    "first times": "when sequences of each class of lengths begin, disjoint",
    "times": "when visits are, whatever their places",
    "gaps": "how long it is to the next visit, by how many are left and by the time of the day",
    "times by place": "when places are visited, the finer the more visits there are",
}


def timed_shares(*, visits: float, mean_length: float, symbols: int, intervals: int, epsilon: Fraction) -> Shares:
    """The parts of what is left after lengths, given about how many visits there are, and how many a sequence has."""
    error = mean_length / (2 * max(visits, 1.0) * float(epsilon))
    times, places = intervals * error / TIMES_TARGET, symbols * error / PLACES_TARGET
    visited = _hundredths(places, *VISITS)
    return _divided(_hundredths(times, *TIMES), visited, BY_PLACE[100 * visited >= VISITS[1]])


def least_shares() -> Shares:
    """The least that each question can have."""
    least = _divided(Fraction(TIMES[1], 100), Fraction(VISITS[1], 100), max(BY_PLACE))
    small = {"times": Fraction(TIMES[0], 100), "visits": Fraction(VISITS[0], 100), "times by place": min(BY_PLACE)}
    return least | {name: (share, NOTES[name]) for name, share in small.items()}


def single_timed_shares(*, records: float, symbols: int, intervals: int, epsilon: Fraction) -> Shares:
    """The parts for sequences of one visit, given about how many there are.

    The error of two independent tables is least if their shares are as the roots of their sizes.
    """
    places = SINGLE_SHARES["first places"][1]
    if records * float(epsilon) >= TOLD_APART * symbols:
        return {
            "first places": (1 - BY_SINGLE_PLACE - SINGLE_TIMES, places),
            "times": (SINGLE_TIMES, NOTES["times"]),
            "times by place": (BY_SINGLE_PLACE, NOTES["times by place"]),
        }
    share = _hundredths(symbols**0.5 / (symbols**0.5 + intervals**0.5), 5, 95)
    return {"first places": (share, places), "times": (1 - share, NOTES["times"])}


def _divided(times: Fraction, visits: Fraction, by_place: Fraction) -> Shares:
    left = 1 - times - visits - by_place
    others = {name: share for name, share in SHARES.items() if name != "lengths"}
    whole = sum((share for share, _ in others.values()), Fraction(0))
    for_others = left * (1 - FIRST_TIMES - GAPS)
    return {
        **{name: (for_others * share / whole, note) for name, (share, note) in others.items()},
        "visits": (visits, NOTES["visits"]),
        "times": (times, NOTES["times"]),
        "first times": (left * FIRST_TIMES, NOTES["first times"]),
        "gaps": (left * GAPS, NOTES["gaps"]),
        "times by place": (by_place, NOTES["times by place"]),
    }


def _hundredths(share: float, least: int, most: int) -> Fraction:
    return Fraction(min(most, max(least, round(100 * min(share, 1.0)))), 100)
