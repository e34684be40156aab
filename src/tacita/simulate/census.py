"""A census of adults: one row per person, with the columns of the UCI data set *Adult* (Kohavi and Becker, 1996).

Where the numbers come from: the counts of every value are those of the file `adult.data` (32,561 people, 1994 Current Population
Survey), which countless public analyses print. Unknown values (`?`) are left out, as is usual in studies of anonymization, and
the default number of people is that of the complete rows, 30,162. The quartiles of age (28, 37, 48), its bounds (17, 90) and the
share of incomes above 50K (24.1 %) are just as widely printed. How columns depend on each other is our assumption: affinities
(the widowed are old, for example) are fitted to the published counts by iterative proportional fitting. So every single column is
distributed as published; pairs of columns are plausible, not faithful. The trees are our own; their heights follow those of the
hierarchies that come with ARX (age 5, sex 2, race 2, marital status 3, education 4, country 3, work class 3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from tacita.arrays import Integers, Reals
from tacita.public.taxonomy import Taxonomy
from tacita.public.universe import Universe
from tacita.simulate.draws import require_sizes

__all__ = [
    "AGES",
    "AGE_QUANTILES",
    "COUNTRIES",
    "EDUCATION",
    "HIGH_INCOME",
    "MARITAL",
    "OCCUPATION",
    "RACE",
    "SEX",
    "WORK_CLASS",
    "CensusWorld",
]


# How often each value occurs in `adult.data`, and the groups it belongs to, from fine to coarse; the groups are our own.


Counts = dict[str, tuple[int, tuple[str, ...]]]

AGES = (17, 90)
AGE_QUANTILES = ((17.0, 0.0), (28.0, 0.25), (37.0, 0.5), (48.0, 0.75), (63.0, 0.95), (91.0, 1.0))
HIGH_INCOME = 7_841 / 32_561

SEX: Counts = {"Male": (21_790, ()), "Female": (10_771, ())}

RACE: Counts = {
    "White": (27_816, ()),
    "Black": (3_124, ()),
    "Asian-Pac-Islander": (1_039, ()),
    "Amer-Indian-Eskimo": (311, ()),
    "Other": (271, ()),
}

EDUCATION: Counts = {
    "Preschool": (51, ("Primary", "School")),
    "1st-4th": (168, ("Primary", "School")),
    "5th-6th": (333, ("Primary", "School")),
    "7th-8th": (646, ("Primary", "School")),
    "9th": (514, ("High-school", "School")),
    "10th": (933, ("High-school", "School")),
    "11th": (1_175, ("High-school", "School")),
    "12th": (433, ("High-school", "School")),
    "HS-grad": (10_501, ("High-school", "School")),
    "Some-college": (7_291, ("College", "Higher")),
    "Assoc-voc": (1_382, ("College", "Higher")),
    "Assoc-acdm": (1_067, ("College", "Higher")),
    "Bachelors": (5_355, ("University", "Higher")),
    "Masters": (1_723, ("University", "Higher")),
    "Prof-school": (576, ("University", "Higher")),
    "Doctorate": (413, ("University", "Higher")),
}

MARITAL: Counts = {
    "Never-married": (10_683, ("Alone",)),
    "Divorced": (4_443, ("Alone",)),
    "Separated": (1_025, ("Alone",)),
    "Widowed": (993, ("Alone",)),
    "Married-civ-spouse": (14_976, ("Married",)),
    "Married-spouse-absent": (418, ("Married",)),
    "Married-AF-spouse": (23, ("Married",)),
}

WORK_CLASS: Counts = {
    "Private": (22_696, ("Employed",)),
    "Federal-gov": (960, ("Government",)),
    "Local-gov": (2_093, ("Government",)),
    "State-gov": (1_298, ("Government",)),
    "Self-emp-not-inc": (2_541, ("Self-employed",)),
    "Self-emp-inc": (1_116, ("Self-employed",)),
    "Without-pay": (14, ("Unpaid",)),
    "Never-worked": (7, ("Unpaid",)),
}

OCCUPATION: Counts = {
    "Prof-specialty": (4_140, ("White-collar",)),
    "Exec-managerial": (4_066, ("White-collar",)),
    "Adm-clerical": (3_770, ("White-collar",)),
    "Sales": (3_650, ("White-collar",)),
    "Tech-support": (928, ("White-collar",)),
    "Craft-repair": (4_099, ("Blue-collar",)),
    "Machine-op-inspct": (2_002, ("Blue-collar",)),
    "Transport-moving": (1_597, ("Blue-collar",)),
    "Handlers-cleaners": (1_370, ("Blue-collar",)),
    "Farming-fishing": (994, ("Blue-collar",)),
    "Other-service": (3_295, ("Service",)),
    "Protective-serv": (649, ("Service",)),
    "Priv-house-serv": (149, ("Service",)),
    "Armed-Forces": (9, ("Service",)),
}

COUNTRIES: Counts = {
    "United-States": (29_170, ("North-America",)),
    "Canada": (121, ("North-America",)),
    "Outlying-US(Guam-USVI-etc)": (14, ("North-America",)),
    "Mexico": (643, ("Latin-America",)),
    "Puerto-Rico": (114, ("Latin-America",)),
    "El-Salvador": (106, ("Latin-America",)),
    "Cuba": (95, ("Latin-America",)),
    "Jamaica": (81, ("Latin-America",)),
    "Dominican-Republic": (70, ("Latin-America",)),
    "Guatemala": (64, ("Latin-America",)),
    "Columbia": (59, ("Latin-America",)),
    "Haiti": (44, ("Latin-America",)),
    "Nicaragua": (34, ("Latin-America",)),
    "Peru": (31, ("Latin-America",)),
    "Ecuador": (28, ("Latin-America",)),
    "Trinadad&Tobago": (19, ("Latin-America",)),
    "Honduras": (13, ("Latin-America",)),
    "Germany": (137, ("Europe",)),
    "England": (90, ("Europe",)),
    "Italy": (73, ("Europe",)),
    "Poland": (60, ("Europe",)),
    "Portugal": (37, ("Europe",)),
    "France": (29, ("Europe",)),
    "Greece": (29, ("Europe",)),
    "Ireland": (24, ("Europe",)),
    "Yugoslavia": (16, ("Europe",)),
    "Hungary": (13, ("Europe",)),
    "Scotland": (12, ("Europe",)),
    "Holand-Netherlands": (1, ("Europe",)),
    "Philippines": (198, ("Asia",)),
    "India": (100, ("Asia",)),
    "South": (80, ("Asia",)),
    "China": (75, ("Asia",)),
    "Vietnam": (67, ("Asia",)),
    "Japan": (62, ("Asia",)),
    "Taiwan": (51, ("Asia",)),
    "Iran": (43, ("Asia",)),
    "Hong": (20, ("Asia",)),
    "Cambodia": (19, ("Asia",)),
    "Laos": (18, ("Asia",)),
    "Thailand": (18, ("Asia",)),
}

# The people, drawn so that every column is distributed as published.


ROUNDS = 200


@dataclass(frozen=True, kw_only=True)
class CensusWorld:
    """Adults with age, work class, education, marital status, race, sex, country, occupation and income.

    >>> world = CensusWorld.adult(people=1000, seed=1)
    >>> world.frame["sex"].unique().sort().to_list()
    ['Female', 'Male']
    """

    people: int
    seed: int = 0

    kind: ClassVar[str] = "tables"

    def __post_init__(self) -> None:
        """Check the sizes."""
        require_sizes(self, (self.people >= 1 and self.seed >= 0, "a census needs at least one person and a seed of at least 0"))

    @classmethod
    def adult(cls, *, people: int = 30_162, seed: int = 0) -> CensusWorld:
        """By default, as many people as *Adult* has complete rows."""
        return cls(people=people, seed=seed)

    @property
    def description(self) -> str:
        """What this is, in a sentence."""
        return f"{self.people:,} adults of a census, one row per person; single columns as in UCI Adult, dependencies assumed"

    @property
    def universe(self) -> Universe:
        """The public values of the sensitive column."""
        return Universe(OCCUPATION)

    @property
    def taxonomy(self) -> Taxonomy:
        """The public tree of the sensitive column."""
        return _tree(OCCUPATION)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The people."""
        generator = np.random.Generator(np.random.PCG64(self.seed))
        age = _ages(generator, self.people)
        sex = _draw(generator, _shares(SEX), self.people)
        education = _draw(generator, _shares(EDUCATION), self.people)
        marital = _given(generator, _fitted(_age_and_sex(), _shares(MARITAL), _marital_affinity()), (age - AGES[0]) * 2 + sex)
        both = np.outer(_shares(EDUCATION), _shares(SEX)).reshape(-1)
        occupation = _given(generator, _fitted(both, _shares(OCCUPATION), _occupation_affinity()), education * 2 + sex)
        work = _given(generator, _fitted(_shares(OCCUPATION), _shares(WORK_CLASS), _work_affinity()), occupation)
        race = _draw(generator, _shares(RACE), self.people)
        country = _given(generator, _fitted(_shares(RACE), _shares(COUNTRIES), _country_affinity()), race)
        income = _incomes(generator, age, education, marital, sex)
        coded = {
            "workclass": (WORK_CLASS, work),
            "education": (EDUCATION, education),
            "marital-status": (MARITAL, marital),
            "race": (RACE, race),
            "sex": (SEX, sex),
            "native-country": (COUNTRIES, country),
            "occupation": (OCCUPATION, occupation),
        }
        columns = {name: pl.Series(list(counts)).gather(codes) for name, (counts, codes) in coded.items()}
        return pl.DataFrame({"age": age, **columns, "income": pl.Series(["<=50K", ">50K"]).gather(income)})

    def declaration(self) -> dict[str, object]:
        """The declaration of the columns: seven quasi-identifiers and a sensitive one, the occupation."""
        trees = {
            "workclass": WORK_CLASS,
            "education": EDUCATION,
            "marital-status": MARITAL,
            "race": RACE,
            "sex": SEX,
            "native-country": COUNTRIES,
        }
        quasi: list[object] = [
            {"name": "age", "type": "numeric", "low": AGES[0], "high": AGES[1], "widths": [5, 10, 20]},
            *({"name": name, "type": "categorical", "edges": _edges(counts)} for name, counts in trees.items()),
        ]
        return {"quasi": quasi, "sensitive": {"name": "occupation", "values": list(OCCUPATION)}}

    def tables(self) -> dict[str, pl.DataFrame]:
        """The data, by file name."""
        return {"tables": self.frame}

    def statistics(self) -> dict[str, float]:
        """The figures that papers report for such data."""
        quasi = self.frame.drop("occupation", "income")
        return {
            "records": float(self.people),
            "mean age": float(self.frame["age"].to_numpy().mean()),
            "share of incomes above 50K": float((self.frame["income"] == ">50K").to_numpy().mean()),
            "share of people with unique quasi-identifiers": float(quasi.is_unique().to_numpy().mean()),
        }


def _shares(counts: Counts) -> Reals:
    weights = np.array([count for count, _ in counts.values()], dtype=np.float64)
    return np.asarray(weights / weights.sum())


def _edges(counts: Counts) -> list[list[str]]:
    """The tree above the values, as pairs of child and parent."""
    found: dict[tuple[str, str], None] = {}
    for value, (_, above) in counts.items():
        found |= dict.fromkeys(pairwise((value, *above, "*")))
    return [list(pair) for pair in found]


def _tree(counts: Counts) -> Taxonomy:
    return Taxonomy.from_edges([(child, parent) for child, parent in _edges(counts)], universe=Universe(counts))


def _age_shares() -> Reals:
    """The share of each age: linear between the published quantiles."""
    ages = np.arange(AGES[0], AGES[1] + 2)
    quantiles, shares = zip(*AGE_QUANTILES, strict=True)
    return np.diff(np.interp(ages, quantiles, shares))


def _ages(generator: np.random.Generator, people: int) -> Integers:
    return AGES[0] + _draw(generator, _age_shares(), people)


def _age_and_sex() -> Reals:
    return np.outer(_age_shares(), _shares(SEX)).reshape(-1)


def _draw(generator: np.random.Generator, shares: Reals, size: int) -> Integers:
    return np.searchsorted(np.cumsum(shares)[:-1], generator.random(size), side="right").astype(np.int64)


def _given(generator: np.random.Generator, joint: Reals, known: Integers) -> Integers:
    """For each known row of a joint table, draw its column."""
    running = np.cumsum(joint, axis=1)
    running /= running[:, -1:]
    drawn = np.zeros(known.size, dtype=np.int64)
    uniform = generator.random(known.size)
    for column in range(joint.shape[1] - 1):
        drawn += uniform >= running[known, column]
    return drawn


def _fitted(rows: Reals, columns: Reals, affinity: Reals) -> Reals:
    """The joint table with these margins that is nearest to the affinities (iterative proportional fitting)."""
    joint = affinity.copy()
    for _ in range(ROUNDS):
        joint *= (rows / joint.sum(axis=1))[:, np.newaxis]
        joint *= columns / joint.sum(axis=0)
    return joint


def _marital_affinity() -> Reals:
    """By age and sex: the young have never married, the widowed are old and mostly women."""
    age = np.repeat(np.arange(AGES[0], AGES[1] + 1), 2).astype(np.float64)
    woman = np.tile(np.array(list(SEX)) == "Female", AGES[1] - AGES[0] + 1)
    by_status = {
        "Never-married": np.exp(-(age - 17) / 9),
        "Married-civ-spouse": (1 - np.exp(-(age - 16) / 12)) * np.where(woman, 0.35, 1.0),
        "Divorced": np.exp(-(((age - 45) / 14) ** 2)) * np.where(woman, 1.6, 0.8),
        "Separated": np.exp(-(((age - 38) / 12) ** 2)) * np.where(woman, 1.8, 0.7),
        "Widowed": np.exp((age - 75) / 9) * np.where(woman, 4.0, 0.8),
    }
    return np.stack([np.clip(by_status.get(status, np.ones_like(age)), 1e-4, None) for status in MARITAL], axis=1)


def _occupation_affinity() -> Reals:
    """By education and sex: degrees lead to desks, and some trades were men's in 1994."""
    table = np.ones((len(EDUCATION) * 2, len(OCCUPATION)))
    degree = np.repeat([above[-1] == "Higher" for _, above in EDUCATION.values()], 2)
    woman = np.tile(np.array(list(SEX)) == "Female", len(EDUCATION))
    for place, (occupation, (_, above)) in enumerate(OCCUPATION.items()):
        table[:, place] *= np.where(degree, 3.0, 0.6) if above[-1] == "White-collar" else np.where(degree, 0.4, 1.2)
        if occupation in {"Adm-clerical", "Other-service", "Priv-house-serv"}:
            table[:, place] *= np.where(woman, 3.0, 0.6)
        if occupation in {"Craft-repair", "Transport-moving", "Handlers-cleaners", "Farming-fishing", "Armed-Forces"}:
            table[:, place] *= np.where(woman, 0.1, 1.3)
    return table


def _work_affinity() -> Reals:
    """By occupation: soldiers serve the state, farmers and salesmen are often self-employed."""
    table = np.ones((len(OCCUPATION), len(WORK_CLASS)))
    for row, occupation in enumerate(OCCUPATION):
        for place, work in enumerate(WORK_CLASS):
            if work.startswith("Self-emp") and occupation in {"Farming-fishing", "Exec-managerial", "Sales", "Craft-repair"}:
                table[row, place] *= 3.0
            if work.endswith("-gov"):
                table[row, place] *= 4.0 if occupation in {"Protective-serv", "Prof-specialty", "Armed-Forces"} else 0.6
    return table


def _country_affinity() -> Reals:
    """By race: most people from Asia are listed as Asian, and so on; most people of every race were born in the United States."""
    regions = [above[0] if above else "" for _, above in COUNTRIES.values()]
    table = np.full((len(RACE), len(COUNTRIES)), 0.2)
    for row, race in enumerate(RACE):
        for place, region in enumerate(regions):
            if race == "Asian-Pac-Islander" and region == "Asia":
                table[row, place] = 30.0
            if race in {"White", "Other"} and region in {"Europe", "Latin-America", "North-America"}:
                table[row, place] = 1.0
    return table


def _incomes(generator: np.random.Generator, age: Integers, education: Integers, marital: Integers, sex: Integers) -> Integers:
    """Whether a person earns more than 50K: a logistic model whose constant is chosen to match the published share."""
    degree = np.array([above[-1] == "Higher" for _, above in EDUCATION.values()])[education]
    married = np.array([status == "Married-civ-spouse" for status in MARITAL])[marital]
    score = 1.8 * degree + 2.2 * married + 0.3 * (sex == list(SEX).index("Male")) - ((age - 48) / 18.0) ** 2
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float((1 / (1 + np.exp(-(score + middle)))).mean()) < HIGH_INCOME else (low, middle)
    return np.asarray(generator.random(age.size) < 1 / (1 + np.exp(-(score + low)))).astype(np.int64)
