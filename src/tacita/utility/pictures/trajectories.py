"""Released trajectories beside the raw ones: what is suppressed, and the linkage risk before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.attacks.trajectories import LinkageRisk
from tacita.pictures import Bars, Picture, bar_plot
from tacita.trajectories import PublishedTrajectories, TrajectoryRecords
from tacita.trajectories.pictures import trajectory_pictures
from tacita.utility.trajectories import only_pairs

__all__ = ["pictures", "risk_picture"]


def pictures(records: TrajectoryRecords, published: PublishedTrajectories, *, found: Mapping[str, Any]) -> list[Picture]:
    """The risk by known pairs, what is kept, and both sides by place, time and record."""
    kept = found["kept"]
    losses = bar_plot(
        "What suppression takes away",
        ["visits", "maximal frequent sequences"],
        [Bars(name="lost", values=[kept.instance_loss, kept.frequent_loss])],
        unit="share lost",
        percent=True,
    )
    risk = risk_picture(
        "Records that some known visits single out, before and after",
        found["before"].risk,
        found["after"].risk,
        promised=published.requirement.known_pairs,
    )
    sides = {"raw": only_pairs(records), "released": published.trajectories}
    return [risk, losses, *trajectory_pictures(sides, universe=published.universe, grid=published.grid)]


def risk_picture(title: str, before: LinkageRisk, after: LinkageRisk, *, promised: int | None) -> Picture:
    """The share of records that some set of pairs singles out; beyond `promised` pairs nothing is promised.

    Numbers of pairs that no raw record has are left out.
    """
    both = [pair for pair in zip(before.sizes, after.sizes, strict=True) if (pair[0].smallest > 0).any()]
    names = [
        f"{risk.size} known" + (" (not promised)" if promised is not None and risk.size > promised else "") for risk, _ in both
    ]
    series = [
        Bars(name=name, values=[pair[side].singled_out_at_worst for pair in both])
        for side, name in enumerate(("before", "after"))
    ]
    return bar_plot(title, names, series, unit="share of records, by known pairs of place and time", percent=True)
