"""Pictures of a personal release for its owner: a strip of the sequence, and its frequent patterns, before and after.

The strip is the person's own view: one column per place, above it what was, below it what is shown. What is shown as it is keeps
its colour; a group is a grey stump, the shorter the more it hides; what was withheld leaves a gap. Bars are the case study of
Bonomi, Fan and Jin (WSDM 2016, Figure 9).
"""

from __future__ import annotations

from html import escape

import numpy as np

from tacita.personal import PersonalRecords, PublishedPersonal
from tacita.public.taxonomy import Taxonomy
from tacita.utility.personal import FrequentPattern, aligned, report

__all__ = ["bars", "pictures", "strip"]

MOST_PLACES = 120
WITHHELD = -1
_WIDTH, _NAMES, _GREY = 960, 56, "#808080"
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#882255")


def pictures(records: PersonalRecords, published: PublishedPersonal) -> dict[str, str]:
    """Inline SVG by title; computed from raw data, so for the owner's eyes only."""
    found = report(records, published)
    drawn = {"Frequent patterns before and after": bars(found.before, found.after)}
    for whose in aligned(records, published)[:1]:
        raw = records.person(whose.person)[0]
        shown = np.full(raw.size, WITHHELD, dtype=np.int64)
        shown[whose.places] = published.sequences.codes[: whose.places.size]
        places = _busiest(raw, shown)
        title = f"Person {whose.person + 1}, places {places.start + 1:,} to {places.stop:,} of {raw.size:,}, before and after"
        drawn[title] = strip(raw[places].tolist(), shown[places].tolist(), published.taxonomy)
    return drawn


def strip(before: list[int], after: list[int], tree: Taxonomy) -> str:
    """Two rows of columns, one per place, with the names as tooltips."""
    width = (_WIDTH - _NAMES) / max(len(before), 1)
    colour = {code: _COLOURS[place % len(_COLOURS)] for place, code in enumerate(dict.fromkeys(before))}
    columns = [f'<text x="0" y="{47 + 44 * row}">{name}</text>' for row, name in enumerate(("before", "after"))]
    for place, (truth, shown) in enumerate(zip(before, after, strict=True)):
        for row, node in enumerate((truth, shown)):
            if node != WITHHELD:
                high = 36.0 if node == truth else 10 + 22 * tree.depth(node) / max(tree.height, 1)
                fill = colour[truth] if node == truth else _GREY
                columns.append(
                    f'<rect x="{_NAMES + place * width:.2f}" y="{60 + 44 * row - high:.1f}" width="{width * 0.94:.2f}" '
                    f'height="{high:.1f}" fill="{fill}"><title>{escape(tree.name(node))}</title></rect>'
                )
    withheld = after.count(WITHHELD)
    groups = sum(map(int.__ne__, before, after)) - withheld
    gone = f", {withheld} are withheld" if withheld else ""
    title = f"What was and what is shown, place by place: {groups} of {len(before)} are groups (grey stumps){gone}"
    return _svg(title, 116, "".join(columns))


def bars(before: tuple[FrequentPattern, ...], after: tuple[FrequentPattern, ...]) -> str:
    """Two groups of horizontal bars, with the names and the numbers as text."""
    most = max((pattern.count for pattern in (*before, *after)), default=1)
    kept = {pattern.names for pattern in before} & {pattern.names for pattern in after}
    parts = []
    for side, (title, patterns) in enumerate((("before", before), ("after", after))):
        left = side * _WIDTH // 2
        parts.append(f'<text x="{left}" y="36" font-weight="bold">{title}</text>')
        for place, pattern in enumerate(patterns):
            top, fill = 46 + 22 * place, _COLOURS[0] if pattern.names in kept else _COLOURS[1]
            parts.append(
                f'<rect x="{left + 190}" y="{top}" width="{190 * pattern.count / most:.1f}" height="16" fill="{fill}"/>'
                f'<text x="{left}" y="{top + 13}">{escape(", ".join(pattern.names))}</text>'
                f'<text x="{left + 195 + 190 * pattern.count / most:.1f}" y="{top + 13}">{pattern.count:,}</text>'
            )
    rows = max(len(before), len(after), 1)
    title = f"Tuples of places that hold each pattern; {len(kept)} patterns are in both (blue)"
    return _svg(title, 56 + 22 * rows, "".join(parts))


def _busiest(raw: np.ndarray[tuple[int], np.dtype[np.integer]], shown: np.ndarray[tuple[int], np.dtype[np.integer]]) -> slice:
    """The stretch in which most places are not shown as they are."""
    changed = np.append(0, np.cumsum(raw != shown))
    size = min(MOST_PLACES, raw.size)
    start = int(np.argmax(changed[size:] - changed[: changed.size - size]))
    return slice(start, start + size)


def _svg(title: str, height: int, content: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" font-family="sans-serif" '
        f'font-size="13" fill="currentColor"><title>{escape(title)}</title>'
        f'<text x="0" y="14">{escape(title)}</text>{content}</svg>'
    )
