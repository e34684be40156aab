"""Membership linkage against a private method, whatever its kind: the game of `tacita.attacks.membership` on the tightest pair.

The small data sets that a kind registers for audits have pairs that differ by one person and tell most: a crowd of equal records,
and one more. The attacker looks at how much was published; where that is always the same, as with streams, at how well the
published counts go with those of either side. The owner's data has no part in this: epsilon bounds the advantage
on any data, and this pair is among the worst.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacita.attacks.membership import Game, Membership
from tacita.attacks.result import Assessment
from tacita.audit.product import replay_case
from tacita.audit.subjects.subject import Variant
from tacita.privacy.budget import Budget

__all__ = ["assess_membership"]


def assess_membership(
    name: str,
    mechanism: Any,  # noqa: ANN401 - any private mechanism
    budget: Budget,
    *,
    runs: int,
    confidence: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> Assessment:
    """Play the game this many times on each side, on the first of the tight pairs of the kind's case."""
    case = replay_case(Variant(name=name, mechanism=mechanism), budget)
    first, second = case.tight_pairs()[0]
    without, within = (case.records(rows) for rows in sorted((first, second), key=len))
    done = 0

    def publish(records: Any) -> Any:  # noqa: ANN401 - records and data of the kind
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, 2 * runs)
        return case.mechanism.publish(records, budget=case.budget).data

    def looked_at(data: Any) -> float:  # noqa: ANN401 - data of the kind
        if not hasattr(data, "histograms"):
            return float(len(data))
        return float((data.histograms * (within.histograms() - without.histograms())).sum())

    game: Game[Any, Any] = Game(without=without, within=within, publish=publish, statistic=looked_at)
    return Membership(runs=runs, confidence=confidence).assess(game, budget=case.budget)
