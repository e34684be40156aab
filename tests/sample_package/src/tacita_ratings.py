"""A kind of data of its own: one rating per person. `docs/how-to/add-a-method.md` walks through it."""

from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.errors import VerificationError
from tacita.io import Framed, dataset_name, release_universe, require_kind, write_universe
from tacita.kinds import Kind, Method, Option, Promise
from tacita.kinds.options import UNIVERSE
from tacita.privacy.budget import Explanation, Step
from tacita.privacy.guarantee import Verified, VerifiedBound
from tacita.privacy.publishing import Made, PrivateMethod, parameters_of, require_pure, verified_release
from tacita.privacy.questions import noisy_cells
from tacita.public.inputs import UNKNOWN, PublicInputs
from tacita.public.universe import Universe


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
    why_empty = "it holds no rating"
    public = property(lambda self: PublicInputs(universe=self.universe))
    is_empty = property(lambda self: not self.codes.size)
    owner_note = property(lambda self: f"{self.dropped:,} ratings outside the universe are dropped")

    def counts(self):
        return np.bincount(self.codes, minlength=len(self.universe)).astype(np.int64)


def read(source, *, public, options, name=None, strict=False):
    lines, universe = Path(source).read_text(encoding="utf-8").split(), public.required_universe()
    codes = np.array([universe.code(line) for line in lines if line in universe], dtype=np.int64)
    return Ratings(codes=codes, universe=universe, name=dataset_name(source, name), dropped=len(lines) - codes.size)


def nobody(*, public, options, name):
    return Ratings(codes=np.zeros(0, dtype=np.int64), universe=public.required_universe(), name=name)


@dataclass(frozen=True, kw_only=True)
class PublishedRatings(Framed):
    """How many people gave each rating, as far as it was published."""

    numbers: dict[str, int]
    universe: Universe
    kind = "ratings"
    public = property(lambda self: PublicInputs(universe=self.universe))

    def __len__(self):
        return len(self.numbers)

    def frame(self):
        schema = {"rating": pl.String, "people": pl.Int64}
        return pl.DataFrame({"rating": list(self.numbers), "people": list(self.numbers.values())}, schema=schema)

    def write(self, folder, *, file_format=None):
        write_universe(folder, self.universe)
        self.frame().write_csv(folder / "ratings.csv")
        return folder / "ratings.csv"


def opened(folder, manifest, *, public=UNKNOWN):
    require_kind(folder, manifest, kind="ratings")
    frame = pl.read_csv(folder / "ratings.csv", schema={"rating": pl.String, "people": pl.Int64})
    return PublishedRatings(numbers=dict(frame.iter_rows()), universe=release_universe(folder, manifest, public.universe))


@dataclass(frozen=True, kw_only=True)
class Counts(PrivateMethod[Ratings, PublishedRatings]):
    """Publish how many people gave each rating, with noise: a private method."""

    name: ClassVar[str] = "noisy-ratings"
    takes: ClassVar[type] = Ratings

    least: int = 5

    def plan(self, budget, public=UNKNOWN):
        require_pure(budget, method="noisy ratings prove")
        return Step(name="ratings", epsilon=budget.epsilon, note="people by rating, disjoint")

    def explain(self, budget, public=UNKNOWN):
        return Explanation(title=f"noisy ratings, {budget}", plan=self.plan(budget, public), facts=("rare ones are dropped",))

    def _made(self, records, account, budget, progress):
        counts = records.counts()
        keys = np.flatnonzero(counts)
        kept = noisy_cells(account, "ratings", keys=keys, counts=counts[keys], domain=counts.size, threshold=self.least)
        numbers = {records.universe.labels[key]: int(value) for key, value in zip(kept.keys, kept.values, strict=True)}
        return Made(data=PublishedRatings(numbers=numbers, universe=records.universe))


@dataclass(frozen=True, kw_only=True)
class Crowds:
    """Publish exact counts of ratings that many people gave: a verified method, without differential privacy."""

    people: int = 10

    def explain(self, public=UNKNOWN):
        return Explanation(title=f"ratings of at least {self.people} people", facts=("counts are exact",))

    def publish(self, records, *, progress=None):
        given = Counter(records.universe.labels[code] for code in sorted(records.codes))
        numbers = {label: number for label, number in given.items() if number >= self.people}
        data = PublishedRatings(numbers=numbers, universe=records.universe)
        if too_few(data, self.people):
            message = "a rating of too few people would have been published; nothing was"
            raise VerificationError(message)
        guarantee = VerifiedBound(
            definition="crowds",
            sentence=f"Every rating in this release was given by at least {self.people} people.",
            parameters={"people": self.people},
            evidence=Verified(check="every published rating has enough people", by="tacita_ratings.too_few"),
        )
        return verified_release(records, data, guarantee, mechanism="crowds", parameters=parameters_of(self), rules=())


def too_few(data, people):
    """The independent check: which published ratings have too few people."""
    return [rating for rating, number in data.numbers.items() if number < people]


class Figures(dict):
    as_json = dict.copy


def reported(records, published):
    true = dict(zip(records.universe.labels, records.counts().tolist(), strict=True))
    error = sum(abs(true[label] - number) for label, number in published.numbers.items())
    return {"ratings": Figures(warning="for the owner's eyes only", people=int(records.codes.size), error=error)}


@dataclass(frozen=True, kw_only=True)
class RatingCase:
    name: str
    mechanism: object
    budget: object
    span, crowd, labels = 2, 40, "AB"
    of = lambda self, mechanism: replace(self, mechanism=mechanism)  # noqa: E731
    variants = classmethod(lambda cls, method: {method: Crowds()})

    def records(self, rows):
        universe = Universe(self.labels)
        return Ratings(codes=np.array([universe.code(row) for row in rows], dtype=np.int64), universe=universe)

    def random_rows(self, generator):
        return tuple(generator.choice(list(self.labels), int(generator.integers(0, 30))).tolist())

    def neighbours(self, rows):
        yield from ((*rows, label) for label in self.labels)
        yield from (rows[:place] + rows[place + 1 :] for place in range(len(rows)))

    def tight_pairs(self, people=40):
        return [(("A",) * people, ("A",) * (people + 1))]

    def output_pairs(self):
        return self.tight_pairs(people=3)

    def outcome(self, release):
        return tuple(release.data.numbers.items())

    def violations(self, data):
        return too_few(data, self.mechanism.people)

    def unprotected(self, records):
        numbers = dict(zip(records.universe.labels, records.counts().tolist(), strict=True))
        return PublishedRatings(numbers={label: n for label, n in numbers.items() if n}, universe=records.universe)


LEAST, PEOPLE = (Option(field_name=name, convert=int, help="how many people there must be") for name in ("least", "people"))
HERE = "tacita_ratings:"
COUNTS = Method(name="noisy-ratings", kind="ratings", loads=HERE + "Counts", options=(LEAST,))
CROWDS = Method(name="crowds", kind="ratings", loads=HERE + "Crowds", promise=Promise.VERIFIED, options=(PEOPLE,))
KIND = Kind(
    name="ratings",
    noun="rating",
    about="ratings",
    public_options=(UNIVERSE,),
    inputs="tacita.kinds.words:labels",
    reading_options=(),
    reading="builtins:dict",
    read=HERE + "read",
    nobody=HERE + "nobody",
    opened=HERE + "opened",
    reported=HERE + "reported",
    case=HERE + "RatingCase",
    methods=(COUNTS, CROWDS),
)
