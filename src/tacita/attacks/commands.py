"""What `tacita attack` tries on each kind of data; the registrations name these functions.

Each takes the private records and what was released of them, and gives the attacks that need nothing else. Minimality needs a
bound that the release promises. Membership linkage is a game of many publications, which `tacita attack --membership` plays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tacita.arrays.ragged import Ragged
from tacita.attacks.composition import Composition
from tacita.attacks.linkage import Linkage
from tacita.attacks.minimality import Minimality
from tacita.attacks.result import Assessment
from tacita.attacks.uniqueness import PointUniqueness
from tacita.tables.published import PublishedBuckets, PublishedTable
from tacita.tables.records import TableRecords

__all__ = ["on_sequences", "on_sets", "on_tables"]

POINTS = 4


def on_tables(
    records: TableRecords, releases: Sequence[PublishedTable | PublishedBuckets], *, known: int | None
) -> Iterator[Assessment]:
    """Linkage in the raw table and in each release, and the composition of two releases."""
    attack = Linkage(known=known)
    yield attack.assess(records)
    for published in releases:
        yield attack.assess(records, published)
        minimality = _minimality(published)
        if minimality is not None and isinstance(published, PublishedTable) and len(records.schema.hidden) == 1:
            yield minimality.assess(records, published)
    if len(releases) == 2 and records.sensitive is not None:
        yield Composition().assess(records, releases[0], releases[1])


def _minimality(published: PublishedTable | PublishedBuckets) -> Minimality | None:
    """The attack of somebody who knows what was promised, if that bounds the share of every value."""
    promised = {str(model["model"]): model for model in getattr(published, "promised", ())}
    bound = promised.get("alpha-k-anonymity", {}).get("alpha") or promised.get("confidence-bound", {}).get("others")
    sizes = [int(model["k"]) for model in promised.values() if "k" in model]
    return None if bound is None else Minimality(k=max([1, *sizes]), bound=bound)


def on_sequences(records: Any, releases: Sequence[Any], *, known: int | None) -> Iterator[Assessment]:  # noqa: ANN401 - sequences
    """Uniqueness by random points, in the raw records and in each release."""
    lists = [published.sequences for published in releases]
    return _uniqueness(records.sequences, lists, symbols=_symbols(records), known=known)


def on_sets(records: Any, releases: Sequence[Any], *, known: int | None) -> Iterator[Assessment]:  # noqa: ANN401 - baskets
    """Uniqueness by random items, in the raw records and in each release."""
    return _uniqueness(records.baskets, [each.baskets for each in releases], symbols=len(records.universe), known=known)


def _symbols(records: Any) -> int:  # noqa: ANN401 - sequences, with times or without
    grid = records.public.grid
    return len(records.universe) * (1 if grid is None else int(grid.intervals))


def _uniqueness(raw: Ragged, released: Sequence[Ragged], *, symbols: int, known: int | None) -> Iterator[Assessment]:
    attack = PointUniqueness(points=POINTS if known is None else known)
    yield attack.assess(raw, symbols=symbols)
    for lists in released:
        yield attack.assess(raw, symbols=symbols, released=lists)
