"""Patterns and count queries: the speed of the judges, on MSNBC (`TACITA_DATA`) or, without it, on a made-up agency.

The peer is PrefixSpan from `prefixspan`, the plain Python implementation that people use; if it is not installed, its line is
left out.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from tacita.arrays.ragged import Ragged
from tacita.io import declared_universe, read_seq
from tacita.mining import top_contiguous_patterns, top_gapped_patterns
from tacita.public.universe import Universe
from tacita.simulate import TransitWorld
from tacita.utility import QueryWorkload, count_location_sets, count_occurrences, location_sequences, location_sets, report
from timing import best, line

TOP, PART = 300, 100_000


def real_data() -> tuple[str, Ragged, Universe] | None:
    """MSNBC, if it is there."""
    path = Path(os.environ.get("TACITA_DATA", "")) / "msnbc" / "msnbc990928.seq.gz"
    if not path.is_file():
        return None
    universe = declared_universe(path)
    return "MSNBC", read_seq(path, universe=universe)[0], universe


def made_up() -> tuple[str, Ragged, Universe]:
    """1.2 million passengers and 1,012 stations."""
    world = TransitWorld(passengers=1_200_000, stations=1012, lines=70)
    return "a made-up agency", world.sequences(), world.universe


def against_the_peer(name: str, sequences: Ragged, symbols: int, bound: str) -> None:
    """Top patterns with gaps of the first records, ours and PrefixSpan's, which must agree except for ties."""
    if find_spec("prefixspan") is None:
        print("prefixspan is not installed, so nothing is compared with it: pip install 'tacita[bench]'")
        return
    from prefixspan import PrefixSpan  # noqa: PLC0415 - optional

    end = sequences.offsets[PART]
    part = Ragged(sequences.codes[:end].copy(), sequences.offsets[: PART + 1].copy())
    lists = part.to_lists()
    found = top_gapped_patterns(part, count=TOP, symbols=symbols).as_dict()
    theirs = PrefixSpan(lists).topk(TOP)
    if len(theirs) > len(found) or any(found.get(tuple(pattern)) != support for support, pattern in theirs):
        message = "ours and PrefixSpan's patterns differ by more than ties"
        raise SystemExit(message)
    ours_s, theirs_s = best(3, lambda: top_gapped_patterns(part, count=TOP, symbols=symbols), lambda: PrefixSpan(lists).topk(TOP))
    what = f"top {TOP} gapped patterns, {PART:,} of {name}: PrefixSpan's time over ours"
    line(what, theirs_s / ours_s, bound, f"{ours_s:.3f} s, theirs {theirs_s:.2f} s")


def searches_and_queries(name: str, sequences: Ragged, symbols: int) -> None:
    """All records: the time of each search and of each workload, over a sort of all symbols."""
    sets, grams = QueryWorkload(longest=12, subsets=4), QueryWorkload(longest=20, subsets=5)
    (set_queries, *_), (gram_queries, *_) = (location_sets(sets, symbols=symbols), location_sequences(grams, symbols=symbols))
    works = {
        f"top {TOP} gapped patterns": lambda: top_gapped_patterns(sequences, count=TOP, symbols=symbols),
        f"top {TOP} contiguous patterns": lambda: top_contiguous_patterns(sequences, count=TOP, symbols=symbols),
        "10,000 location set queries": lambda: count_location_sets(sequences, set_queries, symbols=symbols),
        "10,000 occurrence queries": lambda: count_occurrences(sequences, gram_queries, symbols=symbols),
        "a whole report (90,000 queries, six tops)": lambda: report(sequences, sequences, symbols=symbols),
    }
    codes = sequences.codes.astype("int64")
    floor_s, *seconds = best(3, lambda: codes.argsort(kind="stable"), *works.values())
    for what, ours_s in zip(works, seconds, strict=True):
        line(f"{what} of {name}: over one sort of the symbols", ours_s / floor_s, "", f"{ours_s:.2f} s")


def main() -> None:
    """Run all of them."""
    for data in filter(None, (real_data(), made_up())):
        name, sequences, universe = data
        against_the_peer(name, sequences, len(universe), "at least 40" if name == "MSNBC" else "")
        searches_and_queries(name, sequences, len(universe))


if __name__ == "__main__":
    main()
