"""The check of a finished release: counts again, by other means, what the release gives away.

It takes the true sequence, what is shown at each place, and the public rule; it shares no code with the searches and their
measures, and knows nothing of showings: each place is looked at for itself, so that it also judges local releases.

For a string of m conditions on places, a band holds, for each first place and each distance up to the window, how many ways
lead to that distance: the condition of the next part times the running sum of the part before. The sum of the last band's rows
are the tuples that start at a place. Beliefs are compared as whole numbers. Information is H(X) - H(X|Y), not the sum of the
searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import comb, log

import numpy as np
import numpy.typing as npt

__all__ = ["Evidence", "evidence", "highest_beliefs", "is_generalization"]

Codes = npt.NDArray[np.integer]
_CELLS = 2**21


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Tuples that show one string: how many there are, how many of them hold each sensitive pattern, and where they start."""

    shown: int
    held: dict[tuple[int, ...], int]
    shown_starts: npt.NDArray[np.bool_] = field(repr=False)
    held_starts: dict[tuple[int, ...], int]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What a release gives away, as found by this check; for the owner's eyes."""

    beliefs: dict[str, Fraction]
    information: dict[int, tuple[float, float]]
    least_terms: dict[int, float]
    paper: dict[str, float]
    unchanged: int

    def within_belief(self, limit: Fraction, forms: tuple[str, ...]) -> bool:
        """Whether the beliefs of these forms are at most the limit."""
        return all(self.beliefs[form] <= limit for form in forms)

    def within_every_pattern(self) -> bool:
        """Whether no pattern is shown as it is, and each length gives away less than the least P ln 1/P of its patterns."""
        below = all(given < self.least_terms[length] for length, (given, _) in self.information.items())
        return below and not self.unchanged

    def within_paper(self, limit: Fraction, *, reading: str, absolute: bool) -> bool:
        """Whether the measure of the paper, in this reading, is within the limit, up to rounding."""
        scale = 1.0 if absolute else self.paper["entropy"]
        return self.paper[reading] <= float(limit) * scale + 1e-9 * max(scale, 1e-3)

    def within_information(self, limit: Fraction) -> bool:
        """Whether for each length at most this share of the entropy is given away, up to rounding."""
        return all(given <= float(limit) * entropy + 1e-9 * max(entropy, 1e-3) for given, entropy in self.information.values())


def is_generalization(sequence: Codes, nodes: Codes, parents: tuple[int, ...]) -> bool:
    """Whether every place shows its symbol or a node above it."""
    if sequence.shape != nodes.shape:
        return False
    above = np.append(np.asarray(parents, dtype=np.int64), -1)
    at = sequence.astype(np.int64)
    same = at == nodes
    while not same.all() and (at >= 0).any():
        at = above[at]
        same |= at == nodes
    return bool(same.all())


def evidence(sequence: Codes, nodes: Codes, *, patterns: tuple[tuple[int, ...], ...], window: int) -> Evidence:
    """Find out what somebody learns who sees the nodes and knows the rule, the taxonomy and how often patterns occur."""
    cells, sensitive = _cells(sequence, nodes, patterns, window)
    beliefs = dict.fromkeys(("tuples-single", "tuples-any", "starts-single", "starts-any"), Fraction(0))
    unchanged = set()
    visible = np.zeros(sequence.size, dtype=np.bool_)
    for string, cell in cells.items():
        single, starts = max(cell.held.values()), max(cell.held_starts.values())
        beliefs["tuples-single"] = max(beliefs["tuples-single"], Fraction(single, cell.shown))
        beliefs["tuples-any"] = max(beliefs["tuples-any"], Fraction(sum(cell.held.values()), cell.shown))
        beliefs["starts-single"] = max(beliefs["starts-single"], Fraction(starts, int(cell.shown_starts.sum())))
        visible |= cell.shown_starts
        unchanged |= {string} & cell.held.keys()
    if cells:
        beliefs["starts-any"] = Fraction(int(sensitive.sum()), int(visible.sum()))
    return Evidence(
        beliefs=beliefs,
        information=_information(cells, sequence.size, window),
        least_terms=_least_terms(cells, sequence.size, window),
        paper=_paper(cells),
        unchanged=len(unchanged),
    )


def highest_beliefs(sequence: Codes, nodes: Codes, *, patterns: tuple[tuple[int, ...], ...], window: int) -> dict[str, Fraction]:
    """The beliefs by tuples at their highest, over all moments at which the sequence up to a place was everything there was.

    Backwards, tuples that start at a place are those that end there; running sums of these are what has been published.
    """
    backwards, seen = sequence[::-1], nodes[::-1]
    shown: dict[tuple[int, ...], npt.NDArray[np.int64]] = {}
    together: dict[tuple[int, ...], npt.NDArray[np.int64]] = {}
    highest = dict.fromkeys(("tuples-single", "tuples-any"), Fraction(0))
    for pattern in patterns:
        truth = [backwards == symbol for symbol in reversed(pattern)]
        for string in product(*(np.unique(seen[places]).tolist() for places in truth)):
            shows = [seen == node for node in string]
            held = np.cumsum(_per_start([one & other for one, other in zip(truth, shows, strict=True)], window)[::-1])
            if not held.size or not held[-1]:
                continue
            if string not in shown:
                shown[string] = np.cumsum(_per_start(shows, window)[::-1])
                together[string] = np.zeros_like(held)
            together[string] = together[string] + held
            highest["tuples-single"] = max(highest["tuples-single"], _highest(held, shown[string]))
    for string, held in together.items():
        highest["tuples-any"] = max(highest["tuples-any"], _highest(held, shown[string]))
    return highest


def _highest(held: npt.NDArray[np.int64], shown: npt.NDArray[np.int64]) -> Fraction:
    """The greatest share, which is reached where the number held has just grown."""
    grown = np.flatnonzero(np.diff(held, prepend=0))
    return max(
        (Fraction(one, other) for one, other in zip(held[grown].tolist(), shown[grown].tolist(), strict=True)),
        default=Fraction(0),
    )


def _cells(
    sequence: Codes, nodes: Codes, patterns: tuple[tuple[int, ...], ...], window: int
) -> tuple[dict[tuple[int, ...], Cell], npt.NDArray[np.bool_]]:
    """Every string that a place with a sensitive pattern shows; and at which places any pattern starts."""
    cells: dict[tuple[int, ...], Cell] = {}
    sensitive = np.zeros(sequence.size, dtype=np.bool_)
    for pattern in patterns:
        truth = [sequence == symbol for symbol in pattern]
        faces = [np.unique(nodes[places]).tolist() for places in truth]
        for string in product(*faces):
            shows = [nodes == node for node in string]
            held = _per_start([one & other for one, other in zip(truth, shows, strict=True)], window)
            if not held.any():
                continue
            sensitive |= held > 0
            if string not in cells:
                shown = _per_start(shows, window)
                cells[string] = Cell(shown=int(shown.sum()), held={}, shown_starts=shown > 0, held_starts={})
            cells[string].held[pattern] = int(held.sum())
            cells[string].held_starts[pattern] = int(np.count_nonzero(held))
    return cells, sensitive


def _per_start(conditions: list[npt.NDArray[np.bool_]], window: int) -> npt.NDArray[np.int64]:
    """How many tuples of places that meet the conditions start at each place."""
    size = conditions[0].size
    counts = np.zeros(size, dtype=np.int64)
    reach = min(window, max(size - 1, 0))
    firsts = np.flatnonzero(conditions[0])
    if len(conditions) == 1 or not firsts.size:
        counts[firsts] = 1
        return counts
    ahead = [np.lib.stride_tricks.sliding_window_view(np.append(part, np.zeros(reach, bool)), reach + 1) for part in conditions]
    for rows in _pieces(firsts, max(1, _CELLS // (reach + 1))):
        band = np.zeros((rows.size, reach + 1), dtype=np.int64)
        band[:, 0] = 1
        for part in ahead[1:]:
            running = np.cumsum(band, axis=1)
            band[:, 0] = 0
            band[:, 1:] = running[:, :-1] * part[rows, 1:]
        counts[rows] = band.sum(axis=1)
    return counts


def _pieces(places: npt.NDArray[np.intp], size: int) -> Iterator[npt.NDArray[np.intp]]:
    for start in range(0, places.size, size):
        yield places[start : start + size]


def _information(cells: dict[tuple[int, ...], Cell], size: int, window: int) -> dict[int, tuple[float, float]]:
    """For each length, H(X) - H(X|Y) and H(X): X is the pattern that a tuple holds, if any, Y the string that it shows."""
    found = {}
    for length in {len(string) for string in cells}:
        total = _all_tuples(size, window, length)
        here = [cell for string, cell in cells.items() if len(string) == length]
        held = _held(here)
        entropy = _spread([*held.values(), total - sum(held.values())])
        left = sum(cell.shown / total * _spread([*cell.held.values(), cell.shown - sum(cell.held.values())]) for cell in here)
        found[length] = max(0.0, entropy - left), entropy
    return found


def _least_terms(cells: dict[tuple[int, ...], Cell], size: int, window: int) -> dict[int, float]:
    """For each length, the least P ln 1/P of its patterns."""
    found: dict[int, float] = {}
    for pattern, number in _held(list(cells.values())).items():
        share = number / _all_tuples(size, window, len(pattern))
        found[len(pattern)] = min(found.get(len(pattern), 1.0), -share * log(share))
    return found


def _paper(cells: dict[tuple[int, ...], Cell]) -> dict[str, float]:
    """The paper's measure in both readings, over all lengths together, and the entropy that it is compared with."""
    sensitive = {string: sum(cell.held.values()) for string, cell in cells.items()}
    total, visible = sum(sensitive.values()), sum(cell.shown for cell in cells.values())
    return {
        "printed": sum(number / total * log(visible / cells[string].shown) for string, number in sensitive.items()),
        "push-forward": _spread(list(sensitive.values())),
        "entropy": _spread(list(_held(list(cells.values())).values())),
    }


def _held(cells: list[Cell]) -> dict[tuple[int, ...], int]:
    """How many tuples hold each pattern."""
    held: dict[tuple[int, ...], int] = {}
    for cell in cells:
        for pattern, number in cell.held.items():
            held[pattern] = held.get(pattern, 0) + number
    return held


def _all_tuples(size: int, window: int, length: int) -> int:
    whole = max(0, size - window)
    return whole * comb(window, length - 1) + sum(comb(place, length - 1) for place in range(size - whole))


def _spread(counts: list[int]) -> float:
    total = sum(counts)
    return -sum(count / total * log(count / total) for count in counts if count)
