"""How useful published personal sequences are: what they lose per symbol, which frequent patterns stay, and pictures of both.

It is computed from raw data without noise. Anyone who passes it on passes on private data: it is for the owner's eyes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tacita.arrays import AnyIntegers, Places
from tacita.arrays.ragged import Ragged, chosen
from tacita.errors import InputError
from tacita.personal import CostKind, PersonalRecords, PublishedPersonal
from tacita.personal.patterns import cost_rows
from tacita.personal.pictures import MOST_PLACES, WITHHELD, personal_pictures, strip
from tacita.personal.rechecking import owners_of
from tacita.personal.verification import is_generalization
from tacita.pictures import Bars, Picture, bar_plot
from tacita.public.taxonomy import Taxonomy
from tacita.utility.rendering import OWNER_ONLY, floor_pictures
from tacita.utility.verdict import Judged, Judgement

__all__ = [
    "FrequentPattern",
    "PersonalUtility",
    "Shown",
    "aligned",
    "frequent_pairs",
    "judged",
    "patterns_picture",
    "pictures",
    "report",
    "sections",
]

TOP, WINDOW = 10, 10
_DENSE = 2**22


@dataclass(frozen=True, kw_only=True)
class FrequentPattern:
    """Two symbols in this order within the window, and how many tuples of places hold them."""

    names: tuple[str, str]
    count: int

    def as_json(self) -> dict[str, object]:
        """The pattern for scripts."""
        return {"pattern": list(self.names), "count": self.count}


class Shown(NamedTuple):
    """Whose sequence a published one is, and which of its places it shows."""

    person: int
    places: Places


@dataclass(frozen=True, kw_only=True)
class PersonalUtility:
    """How useful a release of personal sequences is. For the owner's eyes only."""

    raw_persons: int
    released_persons: int
    symbols: int
    withheld: int
    shown_as_they_are: float
    losses: dict[str, float]
    before: tuple[FrequentPattern, ...]
    after: tuple[FrequentPattern, ...]
    window: int

    @property
    def patterns_kept(self) -> int:
        """How many of the most frequent patterns before are among those after, as they are."""
        return len({pattern.names for pattern in self.before} & {pattern.names for pattern in self.after})

    def as_json(self) -> dict[str, object]:
        """The report for scripts, with the same warning."""
        return {
            "warning": OWNER_ONLY,
            "persons": {"raw": self.raw_persons, "released": self.released_persons},
            "symbols": self.symbols,
            "withheld": self.withheld,
            "shown_as_they_are": self.shown_as_they_are,
            "loss_per_symbol": dict(self.losses),
            "window": self.window,
            "frequent_patterns": {
                "before": [pattern.as_json() for pattern in self.before],
                "after": [pattern.as_json() for pattern in self.after],
                "kept": self.patterns_kept,
            },
        }

    def __str__(self) -> str:
        """Render for a terminal."""
        return "\n".join(_lines(self))


def report(records: PersonalRecords, published: PublishedPersonal, *, top: int = TOP, window: int = WINDOW) -> PersonalUtility:
    """Compare a release with the sequences that it was made from; a symbol that was withheld costs as much as the root."""
    found = aligned(records, published)
    whose = np.array([each.person for each in found], dtype=np.intp)
    raw, shown, tree = chosen(records.sequences, whose), published.sequences, published.taxonomy
    symbols, withheld = raw.codes.size, raw.codes.size - shown.codes.size
    truth = raw.codes[
        np.concatenate([np.zeros(0, dtype=np.intp), *map(np.add, raw.offsets[:-1], (each.places for each in found))])
    ]
    depths = tree.tree.depths[shown.codes]
    losses = {str(kind): float(cost_rows(tree, kind)[truth, depths].sum()) + withheld for kind in CostKind}
    return PersonalUtility(
        raw_persons=len(records.sequences),
        released_persons=len(shown),
        symbols=symbols,
        withheld=withheld,
        shown_as_they_are=int(np.count_nonzero(truth == shown.codes)) / symbols if symbols else 1.0,
        losses={name: loss / symbols if symbols else 0.0 for name, loss in losses.items()},
        before=frequent_pairs(raw, tree, top=top, window=window),
        after=frequent_pairs(shown, tree, top=top, window=window),
        window=window,
    )


def sections(records: PersonalRecords, published: PublishedPersonal) -> dict[str, PersonalUtility]:
    """What `tacita evaluate` compares."""
    return {"personal": report(records, published)}


def aligned(records: PersonalRecords, published: PublishedPersonal) -> list[Shown]:
    """Whose sequence each published one may be: either some persons were left out, or some symbols withheld."""
    rows = np.split(published.sequences.codes, published.sequences.offsets[1:-1]) if len(published) else []

    @cache
    def places(row: int, person: int) -> Places | None:
        return _places(records, person, rows[row], published)

    found: list[Shown] = []
    for row, person in enumerate(owners_of(len(rows), len(records), lambda row, person: places(row, person) is not None)):
        shown = None if person is None else places(row, person)
        if person is None or shown is None:
            message = f"sequence {row + 1} of the release must come from the records given; it does not"
            raise InputError(message)
        found.append(Shown(person, shown))
    return found


def _places(records: PersonalRecords, person: int, shown: AnyIntegers, published: PublishedPersonal) -> Places | None:
    """The places of a person that are shown, the first ones that fit where some were withheld; nothing if none fit."""
    truth, tree = records.person(person)[0], published.taxonomy
    if truth.size == shown.size or len(published) < len(records):
        return np.arange(truth.size) if is_generalization(truth, shown, tree.parents) else None
    above = {label: set(tree.above(label)) for label in np.unique(truth).tolist()}
    places: list[int] = []
    for place, label in enumerate(truth.tolist()):
        if len(places) < shown.size and int(shown[len(places)]) in above[label]:
            places.append(place)
    return np.array(places, dtype=np.intp) if len(places) == shown.size else None


def frequent_pairs(sequences: Ragged, tree: Taxonomy, *, top: int, window: int) -> tuple[FrequentPattern, ...]:
    """The pairs of symbols that most tuples of places hold within the window; ties in the order of the nodes."""
    nodes = len(tree.parents)
    person = np.repeat(np.arange(len(sequences)), sequences.lengths)
    codes = sequences.codes.astype(np.int64)
    keys = [np.zeros(0, dtype=np.int64)]
    counts = np.zeros(nodes * nodes if nodes * nodes <= _DENSE else 0, dtype=np.int64)
    for distance in range(1, min(window, codes.size - 1) + 1):
        together = person[:-distance] == person[distance:]
        pairs = (codes[:-distance] * nodes + codes[distance:])[together]
        if counts.size:
            counts += np.bincount(pairs, minlength=counts.size)
        else:
            keys.append(pairs)
    if not counts.size:
        found, numbers = np.unique(np.concatenate(keys), return_counts=True)
    else:
        found = np.flatnonzero(counts)
        numbers = counts[found]
    order = np.lexsort((found, -numbers))[:top]
    return tuple(
        FrequentPattern(names=(tree.name(int(key) // nodes), tree.name(int(key) % nodes)), count=int(number))
        for key, number in zip(found[order].tolist(), numbers[order].tolist(), strict=True)
    )


def _lines(found: PersonalUtility) -> Iterator[str]:
    yield OWNER_ONLY
    yield ""
    yield f"{'persons':<28}{found.raw_persons:>12,} raw{found.released_persons:>12,} released"
    yield f"{'symbols':<28}{found.symbols:>12,} raw{found.symbols - found.withheld:>12,} released"
    yield f"{'shown as they are':<28}{found.shown_as_they_are:>12.3f}"
    for name, loss in found.losses.items():
        yield f"{f'loss per symbol, {name}':<36}{loss:>4.3f}"
    yield ""
    yield f"most frequent patterns within {found.window} places, before and after ({found.patterns_kept} are in both)"
    for place in range(max(len(found.before), len(found.after))):
        sides = [side[place] if place < len(side) else None for side in (found.before, found.after)]
        cells = ["" if side is None else f"{', '.join(side.names)} ({side.count:,})" for side in sides]
        yield f"  {cells[0]:<44}{cells[1]}"


# Pictures of a release beside the raw sequences. The bars of frequent patterns are the case study of Bonomi, Fan and Jin (WSDM
# 2016, Figure 9).


def judged(records: PersonalRecords, published: PublishedPersonal, manifest: Mapping[str, Any]) -> Judgement:  # noqa: ARG001 - as of all kinds
    """What a report says: what is shown as it is, and which frequent patterns stay; the simplest release hides all symbols."""
    found = report(records, published)
    whole: dict[str, Any] = {"nothing": 1.0, "simplest": 1.0}
    kept, patterns = found.patterns_kept, max(len(found.before), 1)
    note = f"{kept} of the {len(found.before)} most frequent are among those after"
    measures = [
        Judged(
            use="Symbols as they were",
            short="single symbols",
            measure="lost",
            off=1 - found.shown_as_they_are,
            **whole,
            is_main=True,
        ),
        Judged(
            use="Most frequent pairs of symbols",
            short="frequent pairs",
            measure="frequent",
            off=1 - kept / patterns,
            **whole,
            note=note,
        ),
    ]
    return Judgement(
        measures=measures,
        sizes=(found.raw_persons, found.released_persons),
        pieces="sequences",
        simplest="every symbol shown as anything at all",
        figures={"personal sequences": found.as_json()},
        seen={"personal": found},
        not_checked=[
            "What somebody learns who knows more than the taxonomy, the patterns, the rule and how often each pattern occurs.",
            "What another release about the same person tells together with this one.",
            "Whether somebody is in the data at all: this is not differential privacy.",
        ],
    )


def pictures(records: PersonalRecords, published: PublishedPersonal, *, found: Judgement) -> list[Picture]:
    """The floors, frequent patterns, how finely symbols are shown, and the strip of the first person that is shown."""
    measured: Any = found.seen["personal"]
    drawn = [*floor_pictures(found), patterns_picture(measured.before, measured.after)]
    drawn += personal_pictures(published.sequences, taxonomy=published.taxonomy)[:1]
    for whose in aligned(records, published)[:1]:
        raw = records.person(whose.person)[0]
        shown = np.full(raw.size, WITHHELD, dtype=np.int64)
        shown[whose.places] = published.sequences.codes[: whose.places.size]
        places = _busiest(raw, shown)
        before, after = raw[places].tolist(), shown[places].tolist()
        withheld = after.count(WITHHELD)
        groups = sum(map(int.__ne__, before, after)) - withheld
        gone = f", {withheld} are withheld" if withheld else ""
        title = f"Places {places.start + 1:,} to {places.stop:,} of person {whose.person + 1}: {groups} are shown as groups{gone}"
        drawn.append(strip(title, {"before": before, "after": after}, published.taxonomy, first=places.start + 1))
    return drawn


def patterns_picture(before: tuple[FrequentPattern, ...], after: tuple[FrequentPattern, ...]) -> Picture:
    """The most frequent pairs of symbols, and how many tuples of places hold them on either side, as far as they are in a top."""
    sides = [{pattern.names: pattern.count for pattern in side} for side in (before, after)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    kept = len(sides[0].keys() & sides[1].keys())
    return bar_plot(
        f"{kept} of the {len(before)} most frequent patterns are among the most frequent after",
        [", ".join(each) for each in names],
        [
            Bars(name=name, values=[side.get(each) for each in names])
            for name, side in zip(("before", "after"), sides, strict=True)
        ],
        unit="tuples of places",
        about="Tuples of places that hold each pattern. One without a bar is not among the most frequent of that side.",
    )


def _busiest(raw: AnyIntegers, shown: AnyIntegers) -> slice:
    """The stretch in which most places are not shown as they are."""
    changed = np.append(0, np.cumsum(raw != shown))
    size = min(MOST_PLACES, raw.size)
    start = int(np.argmax(changed[size:] - changed[: changed.size - size]))
    return slice(start, start + size)
