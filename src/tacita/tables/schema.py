"""The declared columns of a table together: quasi-identifiers, and sensitive columns that nobody may be linked to.

Columns of a file that are not declared are dropped. Several sensitive columns are one column of combined codes inside; models are
asked of each of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import prod

import numpy as np
import polars as pl

from tacita.arrays import Integers
from tacita.errors import ParameterError
from tacita.io.values import exact_text
from tacita.public.parameters import instance_of, whole_number
from tacita.public.universe import Universe
from tacita.tables.columns import LARGEST_DOMAIN, Categorical, Column, Moment, Numeric

__all__ = ["Schema", "Sensitive", "SensitiveColumns"]


@dataclass(frozen=True, kw_only=True)
class Sensitive:
    """The column that nobody may be linked to, with its public values; `ordered` if they are steps of one scale."""

    name: str
    universe: Universe
    ordered: bool = False

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.universe)

    def encoded(self, values: pl.Series) -> Integers:
        """The code of each value, -1 where it is none of the public ones."""
        labels, codes = pl.Series(self.universe.labels), pl.Series(range(self.size), dtype=pl.Int64)
        found = exact_text(values).replace_strict(labels, codes, default=-1, return_dtype=pl.Int64)
        return np.asarray(found.fill_null(-1).to_numpy(), dtype=np.int64)

    @property
    def parts(self) -> tuple[Sensitive, ...]:
        """The single columns."""
        return (self,)

    def texts(self, places: Integers) -> pl.Series:
        """The value of each code."""
        return pl.Series(self.name, self.universe.labels, dtype=pl.String).gather(places)

    def decoded(self, places: Integers) -> pl.Series:
        """The same: sensitive values are text."""
        return self.texts(places)


@dataclass(frozen=True, kw_only=True)
class SensitiveColumns:
    """Several sensitive columns: a code stands for one value of each.

    >>> health = Sensitive(name="disease", universe=Universe(["flu", "HIV"]))
    >>> both = SensitiveColumns(parts=(health, Sensitive(name="salary", universe=Universe(["low", "mid", "high"]))))
    >>> both.size, [codes.tolist() for codes in both.split(np.array([0, 5]))]
    (6, [[0, 1], [0, 2]])
    """

    parts: tuple[Sensitive, ...]

    def __post_init__(self) -> None:
        """Check that there are several, and that their combinations can be numbered."""
        instance_of(self.parts, tuple, list, name="several sensitive columns")
        object.__setattr__(self, "parts", tuple(self.parts))
        for part in self.parts:
            instance_of(part, Sensitive, name="a sensitive column")
        if len(self.parts) < 2:
            message = f"several sensitive columns must be two at least, got {len(self.parts)}"
            raise ParameterError(message)
        whole_number(self.size, name="the number of combinations of sensitive values", least=1, most=LARGEST_DOMAIN)

    @property
    def size(self) -> int:
        """The number of combinations of values."""
        return prod(part.size for part in self.parts)

    def split(self, codes: Integers) -> tuple[Integers, ...]:
        """The code of each part."""
        found: list[Integers] = []
        for part in reversed(self.parts):
            found.append(codes % part.size)
            codes = codes // part.size
        return tuple(reversed(found))


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The declared columns of a table; columns of a file that are not named here are dropped."""

    quasi: tuple[Column, ...]
    sensitive: Sensitive | SensitiveColumns | None = None

    def __post_init__(self) -> None:
        """Check that there is something to publish and that no name comes twice."""
        instance_of(self.quasi, tuple, list, name="the quasi-identifiers of a table")
        object.__setattr__(self, "quasi", tuple(self.quasi))
        for column in self.quasi:
            instance_of(column, Categorical, Numeric, Moment, name="a quasi-identifier")
        if not self.quasi:
            message = "a table must have a quasi-identifier at least, got none"
            raise ParameterError(message)
        if len(set(self.names)) != len(self.names):
            message = f"the columns of a table must have different names, got {', '.join(self.names)}"
            raise ParameterError(message)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns that are kept, sensitive ones last."""
        return (*(column.name for column in self.quasi), *(part.name for part in self.hidden))

    @property
    def hidden(self) -> tuple[Sensitive, ...]:
        """The sensitive columns, one by one."""
        return () if self.sensitive is None else self.sensitive.parts

    def hidden_codes(self, codes: Integers) -> tuple[Integers, ...]:
        """What the sensitive codes of rows mean in each sensitive column."""
        return self.sensitive.split(codes) if isinstance(self.sensitive, SensitiveColumns) else (codes,)

    def encoded_sensitive(self, frame: pl.DataFrame) -> Integers:
        """The sensitive code of each row of a frame, -1 where a value is none of the public ones."""
        codes, unknown = np.zeros(len(frame), dtype=np.int64), np.zeros(len(frame), dtype=np.bool_)
        for part in self.hidden:
            mine = part.encoded(frame[part.name])
            codes = codes * part.size + mine
            unknown |= mine < 0
        return np.where(unknown, -1, codes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many places each quasi-identifier has."""
        return tuple(column.size for column in self.quasi)

    def required_sensitive(self, purpose: str) -> Sensitive | SensitiveColumns:
        """What is sensitive, or an error that says who needs it."""
        if self.sensitive is None:
            message = f"{purpose} needs a sensitive column; declare one, or choose k-anonymity alone"
            raise ParameterError(message)
        return self.sensitive

    def only_sensitive(self, purpose: str) -> Sensitive:
        """The one sensitive column, or an error that says who needs exactly one."""
        sensitive = self.required_sensitive(purpose)
        if isinstance(sensitive, SensitiveColumns):
            message = f"{purpose} takes one sensitive column, {len(sensitive.parts)} are declared; declare the others apart"
            raise ParameterError(message)
        return sensitive

    def refuse_missing(self, method: str) -> None:
        """Refuse columns in which having no value is a value of its own, for a method that generalizes values."""
        without = [column.name for column in self.quasi if column.missing]
        if without:
            message = (
                f"{method} cannot generalize a missing value ({', '.join(without)}); declare missing = false, which leaves such "
                "rows out, or use marginals"
            )
            raise ParameterError(message)

    @property
    def all_columns(self) -> tuple[Column | Sensitive, ...]:
        """Every column that is kept, sensitive ones last and one by one."""
        return (*self.quasi, *self.hidden)

    def as_json(self) -> dict[str, object]:
        """What a manifest says of the columns."""
        names = [part.name for part in self.hidden]
        hidden = names if len(names) > 1 else next(iter(names), None)
        return {"quasi": [column.name for column in self.quasi], "sensitive": hidden, "sha256": self.digest()}

    def digest(self) -> str:
        """A hash of all that is public about the table."""
        lines = [f"{column.name}\t{type(column).__name__}\t{column.digest()}" for column in self.quasi]
        lines += [f"{part.name}\tsensitive\t{part.ordered}\t{part.universe.digest()}" for part in self.hidden]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
