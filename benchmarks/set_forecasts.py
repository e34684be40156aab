"""How often what a release of baskets keeps is within the forecast made from public facts (records, items, mean size).

The shops of forecasts were fixed before these collections were tried. Each line: the epsilon, what was kept, both intervals and
whether they cover it, with CPU seconds of the forecast and of the publication.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from set_floors import collections
from tacita.forecasts.sets import forecast_sets
from tacita.privacy.budget import PureDP
from tacita.sets import DiffPart, ItemsetCounts
from tacita.simulate import PublicFacts
from tacita.utility.set_floors import kept_of

METHODS = {"itemset-counts": ItemsetCounts(), "diffpart": DiffPart()}


def main() -> None:
    """Print one line for each collection and epsilon, and the shares that were covered."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = collections(Path(os.environ.get("TACITA_DATA", "")))
    parser.add_argument("--only", nargs="*", choices=known, default=list(known))
    parser.add_argument("--epsilons", nargs="*", default=["0.1", "1"])
    options = parser.parse_args()
    covered: dict[str, list[bool]] = {}
    for name in options.only:
        records = known[name]()
        raw, items = records.baskets, len(records.universe)
        facts = PublicFacts(records=len(raw), labels=items, mean_length=float(raw.lengths.mean()))
        for epsilon in options.epsilons:
            start = time.process_time()
            found = forecast_sets("itemset-counts", METHODS["itemset-counts"], PureDP(epsilon), facts=facts)
            middle = time.process_time()
            stated = {part.method: part for part in (found.chosen, *found.others)}
            for method, mechanism in METHODS.items():
                begin = time.process_time()
                released = mechanism.publish(records, budget=PureDP(epsilon)).data.baskets
                spent = time.process_time() - begin
                kept = kept_of(raw, released, items=items)
                lines = []
                for measure, value in (("itemset_loss", kept.lost), ("query_error", kept.error)):
                    interval = getattr(stated[method], measure)
                    covered.setdefault(f"{method}, {measure}", []).append(interval.low <= value <= interval.high)
                    lines.append(f"{value:.3f} in {interval.low:.3f}..{interval.high:.3f} {covered[f'{method}, {measure}'][-1]}")
                seconds = f"{middle - start:.1f} {spent:.1f}"
                print(f"{name} {epsilon} {method}: {'; '.join(lines)}; seconds {seconds}", flush=True)
    for measure, held in covered.items():
        print(f"{measure}: {sum(held)} of {len(held)} covered")


if __name__ == "__main__":
    main()
