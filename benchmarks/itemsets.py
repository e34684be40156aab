"""Itemsets and set queries: the speed of the judges, on real baskets (`TACITA_DATA`) and on a made-up agency as sets.

The peer is `fim` by C. Borgelt (`pip install pyfim`), in C, with the fastest of its searches on each data set; if it is not
installed, its lines are left out. It needs to know the support in advance, so it is given the one that ours found; the lists of
Python numbers that it needs are made before the clock starts, and the time for that is printed.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from tacita.arrays.ragged import Ragged, distinct
from tacita.io import declared_universe, read_seq
from tacita.mining import maximal_itemsets, top_itemsets
from tacita.public.universe import Universe
from tacita.sets import read_baskets
from tacita.simulate import TransitWorld
from tacita.utility import QueryKind, QueryWorkload, measure_queries, sets
from timing import best, line

TOPS = (100, 1000)
SEARCHES = ("apriori", "eclat", "fpgrowth", "relim", "sam")


def data() -> Iterator[tuple[str, Ragged, int]]:
    """Names, baskets, and sizes of the universes."""
    folder = Path(os.environ.get("TACITA_DATA", ""))
    path = folder / "msnbc" / "msnbc990928.seq.gz"
    if path.is_file():
        yield "MSNBC", distinct(read_seq(path, universe=declared_universe(path))[0], symbols=17), 17
    for name in ("BMS-WebView-1", "retail"):
        path = folder / "baskets" / f"{name}.dat.gz"
        if path.is_file():
            universe = Universe.observed(gzip.decompress(path.read_bytes()).decode().split())
            yield name, read_baskets(path, universe=universe).baskets, len(universe)
    world = TransitWorld.stm()
    yield "a made-up agency", distinct(world.sequences(), symbols=1012), 1012


def against_the_peer(name: str, baskets: Ragged, symbols: int) -> None:
    """Top and maximal itemsets, ours and the peer's, which must be the same."""
    if find_spec("fim") is None:
        print("fim is not installed, so nothing is compared with it: pip install pyfim")
        return
    import fim  # noqa: PLC0415 - optional

    lists: list[list[int]] = []
    (lists_s,) = best(1, lambda: lists.extend(baskets.to_lists()))
    for top in TOPS:
        found = top_itemsets(baskets, count=top, symbols=symbols)
        least = int(found.supports[-1])
        works = [
            lambda search=search, least=least: getattr(fim, search)(lists, target="s", supp=-least, zmin=1, report="a")
            for search in SEARCHES
        ]
        if {tuple(sorted(items)): support for items, support in works[0]()} != found.as_dict():
            message = "ours and the peer's itemsets differ"
            raise SystemExit(message)
        ours_s, *theirs = best(3, lambda top=top: top_itemsets(baskets, count=top, symbols=symbols), *works)
        theirs_s, search = min(zip(theirs, SEARCHES, strict=True))
        seconds = f"{ours_s:.3f} s, theirs {theirs_s:.3f} s ({search}) after {lists_s:.2f} s for lists"
        line(f"top {top} itemsets, {name}: fim's time over ours, without lists", theirs_s / ours_s, "", seconds)
    if len(maximal_itemsets(baskets, min_support=least, symbols=symbols)) != len(fim.fpgrowth(lists, target="m", supp=-least)):
        message = "ours and the peer's maximal itemsets differ"
        raise SystemExit(message)
    ours_s, theirs_s = best(
        3,
        lambda: maximal_itemsets(baskets, min_support=least, symbols=symbols),
        lambda: fim.fpgrowth(lists, target="m", supp=-least),
    )
    what = f"maximal itemsets of support {least:,}, {name}: fim's time over ours, without lists"
    line(what, theirs_s / ours_s, "", f"{ours_s:.3f} s, theirs {theirs_s:.3f} s")


def queries_and_report(name: str, baskets: Ragged, symbols: int) -> None:
    """50,000 queries on both sides, and a whole report, over a sort of all items."""
    workload = QueryWorkload(longest=int(baskets.lengths.max()), subsets=5)
    codes = baskets.codes.astype("int64")
    floor_s, queries_s, report_s = best(
        3,
        lambda: codes.argsort(kind="stable"),
        lambda: measure_queries(baskets, baskets, symbols=symbols, kind=QueryKind.ITEMSET, workload=workload),
        lambda: sets.report(baskets, baskets, symbols=symbols),
    )
    line(
        f"50,000 itemset queries on both sides, {name}: over one sort of the items", queries_s / floor_s, "", f"{queries_s:.2f} s"
    )
    line(f"a whole report on sets, {name}: over one sort of the items", report_s / floor_s, "", f"{report_s:.2f} s")


def main() -> None:
    """Run all of them."""
    for name, baskets, symbols in data():
        against_the_peer(name, baskets, symbols)
        queries_and_report(name, baskets, symbols)


if __name__ == "__main__":
    main()
