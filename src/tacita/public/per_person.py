"""How many records one person may have: one, or several up to a cap.

A guarantee protects a record. If a file distinguishes a person's trips or days, either all of them are joined into one record,
and the guarantee protects the person; or each stays a record of its own, up to a cap per person, and the guarantee says so: a
person with c records is protected at c times epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tacita.errors import ParameterError

__all__ = ["PerPerson"]


@dataclass(frozen=True)
class PerPerson:
    """Join a person's records into one, or keep the first few as separate records.

    >>> PerPerson.parse("cap=3").records
    3
    >>> print(PerPerson.JOIN)
    join
    """

    most: int | None = None

    JOIN: ClassVar[PerPerson]

    def __post_init__(self) -> None:
        """A cap is a whole number of records, one at least."""
        if self.most is not None and (isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1):
            message = f"a cap on the records of a person must be a whole number of at least 1, got {self.most!r}"
            raise ParameterError(message)

    @classmethod
    def cap(cls, most: int) -> PerPerson:
        """Keep at most the first `most` records of a person, by the time of their first row, then by their name."""
        return cls(most)

    @classmethod
    def parse(cls, text: str) -> PerPerson:
        """Read `join` or `cap=3`."""
        name, equals, number = text.partition("=")
        if text == "join":
            return cls()
        if name == "cap" and equals and number.isascii() and number.isdigit() and len(number) <= 9:
            return cls(int(number))
        message = f"the rule for a person's records must be join or cap=N, got {text!r}"
        raise ParameterError(message)

    @property
    def records(self) -> int:
        """The largest number of records one person can have."""
        return 1 if self.most is None else self.most

    def unit(self, noun: str, *, order: str = "in order of time") -> str:
        """What one protected record is, for a guarantee.

        `noun` names the record, such as sequence, and `order` says which records of a person come first.
        """
        if self.most is None:
            return f"one person's {noun}"
        if self.most == 1:
            return f"one person's {noun}, the first of theirs {order}"
        whole = f"a whole person is protected at {self.most} times epsilon"
        return f"one of the {noun}s kept, at most {self.most} of each person ({whole})"

    def __str__(self) -> str:
        """Render as it is parsed."""
        return "join" if self.most is None else f"cap={self.most}"


PerPerson.JOIN = PerPerson()
