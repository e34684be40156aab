"""What columns hold: numbers, dates by any usual pattern, categories or free text, judged over all rows.

The first rows propose a few forms for each column. Every form is then tried on every row with the parsers that `tacita publish`
uses, so that what is said to fit is what can be read. A form is taken if it fits nine rows in ten; of two forms that differ in
less than one row in a hundred, such as day first and month first, the owner chooses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import polars as pl

from tacita.inspecting.result import ColumnType
from tacita.inspecting.texts import Odd
from tacita.io.times import moments_by_pattern
from tacita.public.parameters import Chosen

__all__ = ["Form", "SeenColumn", "forms_of", "seen_columns"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TIME_WORDS = _words(
    "time date datetime timestamp ts day hour minute when at tap created updated moment datum zeit heure fecha hora epoch"
)
PERSON_WORDS = _words(
    "person people id uid pid user userid card customer client patient member passenger rider driver taxi vehicle subject "
    "account device household employee student phone msisdn imei ssn nhs visitor session name kunde carte usuario cliente"
)
LABEL_WORDS = _words(
    "label station stop place location item product page url code diagnosis event category cell poi zone area store shop "
    "merchant article sku icd drug service line site room town city region state activity genre tag topic track movie book"
)
"""Words of column names that suggest a role, next to the values themselves."""

MANY = 100
"""The number of rows from which a column of ids can be distinguished from one whose values happen to differ."""

ISO, EPOCHS = "iso", {"epoch-s": 1, "epoch-ms": 10**3, "epoch-us": 10**6, "epoch-ns": 10**9}
_FROM, _UNTIL = 978_307_200, 2_524_608_000
"""2001 to 2050, in seconds since 1970: where most whole numbers are between them, they may be times."""

_CALENDAR = (-62_135_596_800, 253_402_300_800)
"""The years 1 to 9999, which `tacita publish` accepts."""

_ISO = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,30})?)?"
    r"(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$"
)
_OFFSET = r"[0-9]{2}:[0-9]{2}.*(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)$"
_WHOLE, _CODE = r"^[+-]?[0-9]{1,18}$", r"^[+-]?0[0-9]"
_POINT, _COMMA = (
    r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$",
    r"^[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,[0-9]+)?$",
)
_YES_NO = ({"yes", "no"}, {"y", "n"}, {"true", "false"}, {"t", "f"}, {"0", "1"}, {"ja", "nein"}, {"oui", "non"}, {"si", "no"})

_DATES = {
    r"\d{1,2}/\d{1,2}/\d{4}": ("%d/%m/%Y", "%m/%d/%Y"),
    r"\d{1,2}\.\d{1,2}\.\d{4}": ("%d.%m.%Y", "%m.%d.%Y"),
    r"\d{1,2}-\d{1,2}-\d{4}": ("%d-%m-%Y", "%m-%d-%Y"),
    r"\d{1,2}/\d{1,2}/\d{2}": ("%d/%m/%y", "%m/%d/%y"),
    r"\d{1,2}\.\d{1,2}\.\d{2}": ("%d.%m.%y", "%m.%d.%y"),
    r"\d{1,2}-\d{1,2}-\d{2}": ("%d-%m-%y", "%m-%d-%y", "%y-%m-%d"),
    r"\d{4}/\d{1,2}/\d{1,2}": ("%Y/%m/%d",),
    r"\d{4}\.\d{1,2}\.\d{1,2}": ("%Y.%m.%d",),
    r"\d{4}-\d{1,2}-\d{1,2}": ("%Y-%m-%d",),
    r"(?:19|20)\d{6}": ("%Y%m%d",),
    r"\d{1,2} [A-Za-z]{3} \d{4}": ("%d %b %Y",),
    r"\d{1,2} [A-Za-z]{3,9} \d{4}": ("%d %B %Y",),
    r"\d{1,2}-[A-Za-z]{3}-\d{4}": ("%d-%b-%Y",),
    r"\d{1,2}-[A-Za-z]{3}-\d{2}": ("%d-%b-%y",),
    r"[A-Za-z]{3} \d{1,2}, \d{4}": ("%b %d, %Y",),
    r"[A-Za-z]{3,9} \d{1,2}, \d{4}": ("%B %d, %Y",),
}
_CLOCKS = {
    r"": "",
    r"(?P<gap>[ T])\d{1,2}:\d{2}": "%H:%M",
    r"(?P<gap>[ T])\d{1,2}:\d{2}:\d{2}": "%H:%M:%S",
    r"(?P<gap>[ T])\d{1,2}:\d{2}:\d{2}\.\d+": "%H:%M:%S%.f",
    r"(?P<gap>[ T])\d{1,2}:\d{2} [AaPp][Mm]": "%I:%M %p",
    r"(?P<gap>[ T])\d{1,2}:\d{2}[AaPp][Mm]": "%I:%M%p",
    r"(?P<gap>[ T])\d{1,2}:\d{2}:\d{2} [AaPp][Mm]": "%I:%M:%S %p",
    r"(?P<gap>[ T])\d{1,2}:\d{2}:\d{2}[AaPp][Mm]": "%I:%M:%S%p",
}
_SHAPES = [(re.compile(date + clock), dates, time) for (date, dates), (clock, time) in product(_DATES.items(), _CLOCKS.items())]


@dataclass(frozen=True)
class Form:
    """One way to read the values of a column."""

    type: Chosen[ColumnType] = Chosen(ColumnType)
    pattern: str | None = None
    decimal: str | None = None

    def fits(self, values: pl.Series) -> pl.Series:
        """Whether each string is written like this."""
        if self.pattern is not None:
            return _fits_time(values, self.pattern)
        if self.type is ColumnType.WHOLE:
            return values.str.contains(_WHOLE)
        return values.str.contains(_COMMA if self.decimal == "," else _POINT)


def _fits_time(values: pl.Series, pattern: str) -> pl.Series:
    if pattern == ISO:
        return values.str.contains(_ISO) & moments_by_pattern(values.str.slice(0, 10), "%Y-%m-%d").is_not_null()
    if pattern in EPOCHS:
        return values.str.contains(_WHOLE) & _is_between(values, pattern, *_CALENDAR)
    return moments_by_pattern(values, pattern).is_not_null()


def _is_between(values: pl.Series, epoch: str, first: int, last: int) -> pl.Series:
    """Whether numbers since 1970 are between two moments, given in seconds."""
    return (values.cast(pl.Int64, strict=False) // EPOCHS[epoch]).is_between(first, last, closed="left").fill_null(value=False)


def words_of(name: str) -> set[str]:
    """The words of a column's name, in lower case.

    >>> sorted(words_of("tapTime_Station-ID"))
    ['id', 'station', 'tap', 'time']
    """
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)}


def forms_of(values: pl.Series) -> list[Form]:
    """The forms that nine tenths of these strings have, the most telling first; none of them is empty."""
    if values.is_empty():
        return []
    proposed = [Form(ColumnType.TIME, pattern) for pattern in _patterns(values)]
    timely, personal = (bool(words_of(values.name) & known) for known in (TIME_WORDS, PERSON_WORDS))
    likely = [epoch for epoch in EPOCHS if 10 * int(_is_between(values, epoch, _FROM, _UNTIL).sum()) >= 9 * len(values)]
    whole = [Form(ColumnType.TIME, epoch) for epoch in likely if timely or not personal]
    if not bool(values.str.contains(_CODE).any()):
        whole.append(Form(ColumnType.WHOLE))
    numbers = [
        Form(ColumnType.DECIMAL, decimal=sign) for sign in (".", ",") if bool(values.str.contains(sign, literal=True).any())
    ]
    if any("%Y%m%d" in (form.pattern or "") for form in proposed) and personal and not timely:
        proposed, whole = [], [*whole, *proposed]
    return [form for form in [*proposed, *whole, *numbers] if 10 * int(form.fits(values).sum()) >= 9 * len(values)]


def _patterns(values: pl.Series) -> list[str]:
    """Patterns whose shape some value has: those of most values first, and beside AM and PM those with the month first."""
    if bool(values.str.contains(_ISO).any()) and 2 * int(values.str.contains(_ISO).sum()) > len(values):
        return [ISO]
    seen: dict[str, int] = {}
    for value in values.unique(maintain_order=True).head(500).to_list():
        for shape, dates, clock in _SHAPES:
            found = shape.fullmatch(str(value))
            if found is not None:
                gap = found.groupdict().get("gap") or ""
                for date in dates:
                    pattern = f"{date}{gap}{clock}"
                    seen[pattern] = seen.get(pattern, 0) + 1
    return sorted(seen, key=lambda pattern: (-seen[pattern], "%p" in pattern and not pattern.startswith("%m")))


@dataclass
class SeenColumn:
    """A column over all rows: how many values are empty, and which rows each form does not fit."""

    name: str
    forms: list[Form]
    native: ColumnType | None = None
    """The type that the file itself declares; then there is nothing to try."""
    sample: pl.Series = field(default_factory=lambda: pl.Series(dtype=pl.String))
    rows: int = 0
    empty: int = 0
    odd: Odd = field(default_factory=Odd)
    without: Odd = field(default_factory=Odd)
    offsets: int = 0
    few: set[str] = field(default_factory=set)
    """All values in lower case, as long as there are at most two."""

    def see(self, values: pl.Series, positions: Sequence[int]) -> None:
        """Judge some more rows."""
        self.rows += len(values)
        missing = values.is_null() if values.dtype != pl.String else values.is_null() | (values == "")
        self.empty += int(missing.sum())
        for place in missing.arg_true().to_list():
            self.without.add("", positions[place])
        if self.native is not None:
            return
        if len(self.few) <= 2:
            self.few |= set(values.filter(~missing).unique(maintain_order=True).head(5).str.to_lowercase().to_list())
        for form in self.forms:
            wrong = ~form.fits(values).fill_null(value=False) & ~missing
            for place in wrong.arg_true().to_list():
                self.odd.add(_key(form), positions[place])
        if any(form.pattern == ISO for form in self.forms):
            self.offsets += int(values.str.contains(_OFFSET).sum())

    @property
    def filled(self) -> int:
        """How many values there are."""
        return self.rows - self.empty

    def misfits(self, form: Form) -> int:
        """How many values do not have this form."""
        return self.odd.found.get(_key(form), (0, []))[0]

    def misfit_positions(self, form: Form) -> tuple[int, ...]:
        """Where the first of them are."""
        return tuple(self.odd.found.get(_key(form), (0, []))[1])

    @property
    def best(self) -> list[Form]:
        """The forms that fit all values but a few, the best first; none if a column is text, several only if they are times."""
        close = [form for form in self.forms if 10 * self.misfits(form) <= self.filled]
        if not close:
            return []
        first = min(close, key=self.misfits)
        if first.type is not ColumnType.TIME:
            return [first]
        most = self.misfits(first) + self.filled // 100
        return sorted((form for form in close if form.type is ColumnType.TIME and self.misfits(form) <= most), key=self.misfits)

    @property
    def type(self) -> ColumnType:
        """What the column holds."""
        if not self.filled:
            return ColumnType.EMPTY
        if self.native is not None:
            return self.native
        if bool(self.sample.str.contains(r"^[\[{].*[\]}]$").all()):
            return ColumnType.NESTED
        if self.few in _YES_NO:
            return ColumnType.YES_NO
        return self.best[0].type if self.best else _text_type(self.sample)

    @property
    def distinct(self) -> int:
        """How many different values the first rows have."""
        return self.sample.n_unique() if len(self.sample) else 0

    @property
    def is_different(self) -> bool:
        """Whether the first rows have a value each of their own, as ids, names and free texts do, and nothing to count."""
        if len(self.sample) < MANY or self.type not in {ColumnType.CATEGORY, ColumnType.WHOLE}:
            return False
        if self.type is ColumnType.CATEGORY:
            return 10 * self.distinct >= 9 * len(self.sample)
        numbers = self.sample.cast(pl.Int64, strict=False).drop_nulls().to_list()
        spread = max(numbers, default=0) - min(numbers, default=0)
        is_numbered = spread < 2 * len(self.sample) or bool(words_of(self.name) & PERSON_WORDS)
        return self.distinct == len(self.sample) and is_numbered


def _key(form: Form) -> str:
    return f"{form.type}{form.pattern or ''}{form.decimal or ''}"


def _text_type(sample: pl.Series) -> ColumnType:
    """Free text if values have four words or more, and hardly repeat; a category otherwise."""
    words = sample.str.count_matches(r"\S+").mean()
    is_text = isinstance(words, float) and words >= 4 and 2 * sample.n_unique() > len(sample)
    return ColumnType.TEXT if is_text else ColumnType.CATEGORY


def seen_columns(
    parts: Iterator[tuple[pl.DataFrame, Sequence[int]]], progress: Callable[[int], None] | None = None
) -> list[SeenColumn]:
    """All columns of all parts; the first part proposes the forms."""
    seen: list[SeenColumn] = []
    rows = 0
    for frame, positions in parts:
        seen = seen or [_proposed(series) for series in frame]
        for column, series in zip(seen, frame, strict=True):
            column.see(series, positions)
        rows += len(frame)
        if progress is not None:
            progress(rows)
    return seen


def _proposed(series: pl.Series) -> SeenColumn:
    native = _native(series.dtype)
    present = series.drop_nulls()
    if native is not None:
        forms = [Form(ColumnType.TIME, "auto")] if native is ColumnType.TIME else []
        sample = present if native is ColumnType.TIME else present.clear()
        return SeenColumn(name=series.name, forms=forms, native=native, sample=sample)
    present = present.filter(present != "")
    return SeenColumn(name=series.name, forms=forms_of(present), sample=present)


def _native(kind: pl.DataType) -> ColumnType | None:
    """The type that a typed file declares; None for strings, which are looked at, and whole numbers, which arrive as strings."""
    if kind == pl.String:
        return None
    if kind.is_float() or kind.is_decimal():
        return ColumnType.DECIMAL
    if kind.is_temporal():
        return ColumnType.TIME
    return ColumnType.YES_NO if kind == pl.Boolean else ColumnType.NESTED
