"""One rating per person, as a kind of data of its own: a CSV file with one label per line."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl

from tacita.errors import InputError, ParameterError, VerificationError
from tacita.io import dataset_name, release_universe, require_kind, write_universe
from tacita.privacy.budget import Step
from tacita.privacy.explanation import Explanation
from tacita.privacy.guarantee import Verified
from tacita.privacy.publishing import charged, parameters_of, private_release, require_pure, verified_release
from tacita.privacy.questions import noisy_cells
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.parameters import whole_number
from tacita.public.universe import Universe
from tacita.testing import public_generator

__all__ = ["Counts", "Crowds", "PublishedRatings", "RatingCase", "Ratings"]


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Private: the code of each person's rating."""

    codes: np.ndarray = field(repr=False)
    universe: Universe
    name: str = "ratings"
    dropped: int = field(default=0, repr=False)
    unit = "one person's rating"
    records_per_person = 1
    rules = ("labels outside the universe were dropped",)
    why_empty = "the file holds no rating of the universe"

    @property
    def public(self):
        return PublicInputs(universe=self.universe)

    @property
    def is_empty(self):
        return not self.codes.size

    @property
    def owner_note(self):
        return f"{self.dropped:,} ratings outside the universe are dropped"

    def counts(self):
        return np.bincount(self.codes, minlength=len(self.universe)).astype(np.int64)


def read(source, *, public, options, name=None, strict=False):
    lines = Path(source).read_text(encoding="utf-8").split()
    universe = public.required_universe()
    codes = [universe.code(line) for line in lines if line in universe]
    if strict and len(codes) < len(lines):
        raise InputError("every rating must belong to the universe, some do not")
    return Ratings(codes=np.array(codes, dtype=np.int64), universe=universe, name=dataset_name(source, name), dropped=len(lines) - len(codes))


def nobody(*, public, options, name):
    return Ratings(codes=np.zeros(0, dtype=np.int64), universe=public.required_universe(), name=name)


def output_format(source, *, options, public, wanted):
    if wanted not in {None, "csv"}:
        raise ParameterError(f"ratings are written as csv, got {wanted!r}")
    return "csv"


@dataclass(frozen=True, kw_only=True)
class PublishedRatings:
    """How many people gave each rating, as far as it was published."""

    numbers: dict[str, int]
    universe: Universe
    kind = "ratings"

    @property
    def public(self):
        return PublicInputs(universe=self.universe)

    def __len__(self):
        return len(self.numbers)

    def write(self, folder, *, file_format=None):
        write_universe(folder, self.universe)
        path = folder / "ratings.csv"
        pl.DataFrame({"rating": list(self.numbers), "people": list(self.numbers.values())}, schema={"rating": pl.String, "people": pl.Int64}).write_csv(path)
        return path


def opened(folder, manifest, *, public=UNKNOWN):
    require_kind(folder, manifest, kind="ratings")
    universe = release_universe(folder, manifest, public.universe)
    frame = pl.read_csv(folder / "ratings.csv", schema={"rating": pl.String, "people": pl.Int64})
    return PublishedRatings(numbers=dict(frame.iter_rows()), universe=universe)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Publish how many people gave each rating, with noise.

    Needs: ratings over a public universe.
    Guarantees: epsilon-differential privacy for the whole release.
    Neighbours: adding or removing one person's rating.
    Budget: all of it at once; ratings are disjoint cells.
    Not covered: how long a run takes.
    Reference: Dwork, McSherry, Nissim and Smith 2006.
    """

    least: int = 5

    def __post_init__(self):
        whole_number(self.least, name="least", least=1)

    def plan(self, budget, public=UNKNOWN):
        require_pure(budget, method="counts prove")
        return Step(name="ratings", epsilon=budget.epsilon, note="people by rating, disjoint")

    def explain(self, budget, public=UNKNOWN):
        return Explanation(title=f"noisy counts, {budget}", plan=self.plan(budget, public), facts=(f"a rating is kept if its noisy count is at least {self.least}",))

    def publish(self, records, *, budget, ledger=None, neighbours=None, progress=None):
        with charged(records, "noisy-ratings", self.plan(budget, records.public), ledger=ledger, neighbours=neighbours) as account:
            counts = records.counts()
            keys = np.flatnonzero(counts)
            kept = noisy_cells(account, "ratings", keys=keys, counts=counts[keys], domain=counts.size, threshold=self.least)
            numbers = {records.universe.labels[key]: int(value) for key, value in zip(kept.keys, kept.values, strict=True)}
            data = PublishedRatings(numbers=numbers, universe=records.universe)
            return private_release(records, data, account, budget=budget, parameters=parameters_of(self), rules=("rare ratings were dropped",))


@dataclass(frozen=True, kw_only=True)
class InCrowds:
    """The guarantee that every published rating was given by at least `people` people."""

    people: int
    voids = ()
    holds = True
    definition = "crowds"
    evidence = Verified(check="every published rating has enough people", by="tacita_ratings.too_few")

    def statement(self):
        return f"Every rating in this release was given by at least {self.people} people."

    def as_json(self):
        return {"definition": self.definition, "people": self.people, "holds": True, "voids": [], "evidence": self.evidence.as_json(), "statement": self.statement()}


@dataclass(frozen=True, kw_only=True)
class Crowds:
    """Publish exact counts of the ratings that many people gave; verified, not differentially private."""

    people: int = 10

    def explain(self, public=UNKNOWN):
        return Explanation(title=f"ratings of at least {self.people} people", facts=("counts are exact: this is not differential privacy",))

    def publish(self, records, *, progress=None):
        labels = Counter(records.universe.labels[code] for code in records.codes)
        data = PublishedRatings(numbers={label: labels[label] for label in records.universe.labels if labels[label] >= self.people}, universe=records.universe)
        if too_few(data, self.people):
            raise VerificationError("a rating of too few people would have been published; nothing was")
        return verified_release(records, data, InCrowds(people=self.people), mechanism="crowds", parameters=parameters_of(self), rules=("rare ratings were dropped",))


def too_few(data, people):
    """The independent check: which published ratings have too few people."""
    return [rating for rating, number in data.numbers.items() if number < people]


class Figures(dict):
    """What a comparison found, for the owner's eyes only."""

    def as_json(self):
        return dict(self)

    def __str__(self):
        return "for the owner's eyes only\n" + json.dumps(self, indent=1)


def reported(records, published):
    true = records.counts()
    error = sum(abs(int(true[published.universe.code(label)]) - number) for label, number in published.numbers.items())
    return {"ratings": Figures(people=int(true.sum()), error=int(error), kept=len(published))}


@dataclass(frozen=True, kw_only=True)
class RatingCase:
    """Small data sets for audits: rows are strings of one letter."""

    name: str
    mechanism: object
    budget: object
    span: int = 2
    crowd: int = 40
    labels: str = "AB"

    @classmethod
    def variants(cls, method):
        return {method: Crowds()}

    def of(self, mechanism):
        return replace(self, mechanism=mechanism)

    def records(self, rows):
        universe = Universe(self.labels)
        return Ratings(codes=np.array([universe.code(row) for row in rows], dtype=np.int64), universe=universe)

    def random_rows(self, generator):
        return tuple(generator.choice(list(self.labels), int(generator.integers(0, 30))).tolist())

    def neighbours(self, rows):
        yield from ((*rows, label) for label in self.labels)
        yield from (rows[:place] + rows[place + 1 :] for place in range(len(rows)))

    def tight_pairs(self):
        return [(("A",) * self.crowd, ("A",) * (self.crowd + 1))]

    def output_pairs(self):
        return [(("A",) * 3, ("A",) * 4)]

    def outcome(self, release):
        return tuple(release.data.numbers.items())

    def violations(self, data):
        return too_few(data, self.mechanism.people)

    def unprotected(self, records):
        return PublishedRatings(numbers={label: int(n) for label, n in zip(records.universe.labels, records.counts(), strict=True) if n}, universe=records.universe)

    def sampled_neighbours(self, records, *, number, seed):
        generator = public_generator(seed)
        for _ in range(number):
            yield "one removed", replace(records, codes=np.delete(records.codes, generator.integers(records.codes.size)))
