"""A personal release beside the raw sequences: frequent patterns and one person's strip, before and after.

Bars are the case study of Bonomi, Fan and Jin (WSDM 2016, Figure 9).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacita.arrays import AnyIntegers
from tacita.personal import PersonalRecords, PublishedPersonal
from tacita.personal.pictures import MOST_PLACES, WITHHELD, personal_pictures, strip
from tacita.pictures import Bars, Picture, bar_plot
from tacita.utility.personal import FrequentPattern, aligned

__all__ = ["patterns_picture", "pictures"]


def pictures(records: PersonalRecords, published: PublishedPersonal, *, found: Mapping[str, Any]) -> list[Picture]:
    """Frequent patterns, how finely symbols are shown, and the strip of the first person that is shown."""
    measured = found["personal"]
    drawn = [patterns_picture(measured.before, measured.after)]
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
        title = (
            f"Person {whose.person + 1}, places {places.start + 1:,} to {places.stop:,} of {raw.size:,}: "
            f"{groups} are shown as groups{gone}"
        )
        drawn.append(strip(title, {"before": before, "after": after}, published.taxonomy, first=places.start + 1))
    return drawn


def patterns_picture(before: tuple[FrequentPattern, ...], after: tuple[FrequentPattern, ...]) -> Picture:
    """The most frequent pairs of symbols, and how many tuples of places hold them on either side, as far as they are in a top."""
    sides = [{pattern.names: pattern.count for pattern in side} for side in (before, after)]
    names = list(dict.fromkeys([*sides[0], *sides[1]]))
    kept = len(sides[0].keys() & sides[1].keys())
    return bar_plot(
        f"Tuples of places that hold each frequent pattern; {kept} of {len(before)} are frequent in both",
        [", ".join(each) for each in names],
        [
            Bars(name=name, values=[side.get(each) for each in names])
            for name, side in zip(("before", "after"), sides, strict=True)
        ],
        unit="tuples of places",
        about="A pattern without a bar is not among the most frequent of that side.",
    )


def _busiest(raw: AnyIntegers, shown: AnyIntegers) -> slice:
    """The stretch in which most places are not shown as they are."""
    changed = np.append(0, np.cumsum(raw != shown))
    size = min(MOST_PLACES, raw.size)
    start = int(np.argmax(changed[size:] - changed[: changed.size - size]))
    return slice(start, start + size)
