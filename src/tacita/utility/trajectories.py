"""What a release of trajectories keeps, and the linkage risk before and after, with pictures. For the owner's eyes only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from tacita.arrays import Integers
from tacita.arrays.ragged import Ragged
from tacita.attacks.trajectories import LinkageRisk, attack_trajectories
from tacita.errors import InputError, TooManyPatternsError
from tacita.pictures import Bars, Picture, bar_plot
from tacita.pictures.picture import percent
from tacita.trajectories import PairColumns, PublishedTrajectories, Requirement, TrajectoryRecords, maximal_frequent
from tacita.trajectories.pictures import trajectory_pictures
from tacita.utility.rendering import OWNER_ONLY, floor_pictures, shapes_picture
from tacita.utility.verdict import Judged, Judgement

__all__ = ["Kept", "Risk", "judged", "only_pairs", "pictures", "report", "risk_picture", "sections"]

FREQUENT_SHARE = 100
MOST_FREQUENT = 20_000
"""Of more maximal frequent sequences than these, only those with a larger support are counted."""
MOST_KNOWN = 4
MOST_SETS = 200_000_000
"""So many sets of known pairs are counted in a few seconds."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """How much of the records is published."""

    raw_records: int
    released_records: int
    raw_instances: int
    released_instances: int
    frequent_support: int
    frequent_sequences: int
    frequent_kept: int

    @property
    def instance_loss(self) -> float:
        """The share of instances that are lost."""
        return 1 - self.released_instances / self.raw_instances if self.raw_instances else 0.0

    @property
    def frequent_loss(self) -> float:
        """The share of maximal frequent sequences that are no longer frequent."""
        return 1 - self.frequent_kept / self.frequent_sequences if self.frequent_sequences else 0.0

    def __str__(self) -> str:
        """Render for a terminal."""
        frequent = f"maximal frequent sequences (support {self.frequent_support:,}): {self.frequent_kept:,} of "
        return "\n".join(
            (
                OWNER_ONLY,
                f"records: {self.released_records:,} of {self.raw_records:,}",
                f"instances: {self.released_instances:,} of {self.raw_instances:,}, loss {self.instance_loss:.1%}",
                f"{frequent}{self.frequent_sequences:,}, loss {self.frequent_loss:.1%}",
            )
        )

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {
            "raw_records": self.raw_records,
            "released_records": self.released_records,
            "raw_instances": self.raw_instances,
            "released_instances": self.released_instances,
            "instance_loss": self.instance_loss,
            "frequent_support": self.frequent_support,
            "frequent_sequences": self.frequent_sequences,
            "frequent_loss": self.frequent_loss,
            "warning": OWNER_ONLY,
        }


@dataclass(frozen=True, kw_only=True)
class Risk:
    """The linkage risk of one side."""

    risk: LinkageRisk

    def __str__(self) -> str:
        """Render for a terminal."""
        return f"{OWNER_ONLY}\n{self.risk}"

    def as_json(self) -> dict[str, object]:
        """The figures for scripts."""
        return {"by_known_pairs": self.risk.as_json(), "warning": OWNER_ONLY}


def report(records: TrajectoryRecords, published: PublishedTrajectories) -> Kept:
    """Compare a release with the records it was made from, at the resolution of the release."""
    raw = only_pairs(records)
    support = max(2, published.requirement.crowd, len(raw) // FREQUENT_SHARE)
    columns, released = PairColumns.of(raw), PairColumns.of(published.trajectories)
    while (frequent := _frequent(columns, support)) is None:
        support *= 2
    return Kept(
        raw_records=len(raw),
        released_records=len(published),
        raw_instances=raw.codes.size,
        released_instances=published.trajectories.codes.size,
        frequent_support=support,
        frequent_sequences=len(frequent),
        frequent_kept=_still_frequent(frequent, released, support),
    )


def sections(records: TrajectoryRecords, published: PublishedTrajectories) -> dict[str, Kept | Risk]:
    """What `tacita evaluate` shows: what is kept, and the risk by known pairs on both sides, up to one pair past the promise.

    Of long records that one pair more may be too many to count.
    """
    if records.is_empty:
        message = (
            "no row of the private file lies in the universe and the grid of the release; is this the file that it was made of?"
        )
        raise InputError(message)
    asked = published.requirement
    known = MOST_KNOWN if asked.known_pairs is None else min(MOST_KNOWN, asked.known_pairs + 1)
    there = {} if records.attributes is None else dict.fromkeys(records.attributes.columns)
    groups = tuple(group for group in asked.groups if group.attribute in there)
    raw_asked = Requirement(crowd=max(asked.crowd, 2), known_pairs=asked.known_pairs, groups=groups)
    before = PairColumns.of(records.trajectories, persons=records.persons, sensitive=records.sensitive_flags(raw_asked))
    after = PairColumns.of(published.facts(), sensitive=published.sensitive_flags())
    known = _affordable(known, least=asked.known_pairs or 1, lengths=records.trajectories.lengths)
    return {
        "kept": report(records, published),
        "before": Risk(risk=attack_trajectories(before, known_pairs=known)),
        "after": Risk(risk=attack_trajectories(after, known_pairs=known)),
    }


def _affordable(known: int, *, least: int, lengths: Integers) -> int:
    """How many known pairs the risk is shown for: as many as wanted, or fewer, but no fewer than were promised, of long records.

    A record of n pairs has n over k sets of k pairs, so that 142 taxis with a week of hours have billions of three.
    """
    while known > least and sum(comb(length, known) for length in lengths.tolist()) > MOST_SETS:
        known -= 1
    return known


def _frequent(columns: PairColumns, support: int) -> dict[tuple[int, ...], int] | None:
    """The maximal frequent sequences, or None if there are too many of them to list: then a larger support is asked for."""
    try:
        return maximal_frequent(columns, support=support, max_patterns=MOST_FREQUENT)
    except TooManyPatternsError:
        return None


def only_pairs(records: TrajectoryRecords) -> Ragged:
    """The trajectories without quasi-identifiers."""
    there = records.trajectories.codes < records.pairs
    if there.all():
        return records.trajectories
    before = np.concatenate([[0], np.cumsum(there)])
    return Ragged(records.trajectories.codes[there], before[records.trajectories.offsets].astype(np.int64))


def _still_frequent(frequent: dict[tuple[int, ...], int], released: PairColumns, support: int) -> int:
    """How many sets are still frequent: those contained in a maximal frequent set of the release."""
    maximal = [set(codes) for codes in maximal_frequent(released, support=support)] if released.pairs.size else []
    return sum(any(whole.issuperset(codes) for whole in maximal) for codes in frequent)


# What a release is good for, and pictures of it beside the raw records.


def judged(records: TrajectoryRecords, published: PublishedTrajectories, manifest: Mapping[str, Any]) -> Judgement:  # noqa: ARG001 - as of all kinds
    """What a report says: what is removed of visits, places, times and frequent sequences, beside the floors.

    The simplest release counts each pair of a place and a time by itself, and leaves out those that too few people have.
    """
    found = sections(records, published)
    kept: Any = found["kept"]
    raw, made = only_pairs(records), published.trajectories
    size, pairs = len(published.universe), records.pairs
    counts = np.bincount(raw.codes, minlength=pairs)
    ours = np.bincount(made.codes, minlength=pairs)
    free = np.where(counts >= max(published.requirement.crowd, 1), counts, 0)

    def missing(side: Integers, of: Integers) -> float:
        sums = [np.bincount(of, weights=each, minlength=1) for each in (counts, side)]
        shares = [each / max(float(each.sum()), 1.0) for each in sums]
        return float(np.abs(shares[0] - shares[1]).sum() / 2) if side.any() else 1.0

    codes, known = np.arange(pairs), published.requirement.known_pairs
    more = "with other knowledge than" if known is None else f"who knows more than {known}"
    whole = max(int(counts.sum()), 1)
    measures = [
        Judged(
            use="How many visits there were",
            short="numbers of visits",
            measure="lost",
            off=kept.instance_loss,
            nothing=1.0,
            simplest=1 - int(free.sum()) / whole,
            is_main=True,
        )
    ]
    for use, short, of in (
        ("Which places are busy", "busy places", codes % size),
        ("Which times are busy", "busy times", codes // size),
        ("Which places are busy when", "places by time", codes),
    ):
        off: dict[str, Any] = {"off": missing(ours, of), "nothing": 1.0, "simplest": missing(free, of)}
        measures.append(Judged(use=use, short=short, measure="distribution", **off))
    if kept.frequent_sequences:
        note = f"{kept.frequent_kept:,} of {kept.frequent_sequences:,} are still frequent"
        lost: dict[str, Any] = {"off": kept.frequent_loss, "nothing": 1.0, "simplest": 1.0}
        measures.append(
            Judged(use="Frequent sequences of visits", short="frequent sequences", measure="frequent", **lost, note=note)
        )
    return Judgement(
        measures=measures,
        sizes=(kept.raw_records, kept.released_records),
        pieces="records",
        simplest="how many people were at each place and time, without those of too few people, and without any trajectory",
        figures={name: part.as_json() for name, part in found.items()},
        seen=found,
        not_checked=[
            f"That nobody {more} pairs of place and time of a person finds them: see the picture of known pairs.",
            "Anything that another release of the same people tells together with this one.",
            "Whether somebody is in the data at all: this is not differential privacy.",
        ],
    )


def pictures(records: TrajectoryRecords, published: PublishedTrajectories, *, found: Judgement) -> list[Picture]:
    """The floors, both sides by place, time and record, and the risk by known pairs."""
    seen: Mapping[str, Any] = found.seen
    before, after = seen["before"].risk, seen["after"].risk
    asked = published.requirement.known_pairs
    risk = risk_picture(_risk_title(before, after, asked), before, after, promised=asked)
    sides = {"raw": only_pairs(records), "released": published.trajectories}
    drawn = trajectory_pictures(sides, universe=published.universe, grid=published.grid)
    return [*floor_pictures(found), *drawn, risk, shapes_picture(found)]


def _risk_title(before: LinkageRisk, after: LinkageRisk, promised: int | None) -> str:
    """How many records the promised number of known pairs singles out, before and after."""
    both = [pair for pair in zip(before.sizes, after.sizes, strict=True) if (pair[0].smallest > 0).any()]
    if not both:
        return "No record has enough visits to be singled out"
    pair = next((each for each in both if each[0].size == promised), both[-1])
    shares = [percent(each.singled_out_at_worst) for each in pair]
    return f"{pair[0].size} known visits singled out {shares[0]} of the records before, {shares[1]} now"


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
