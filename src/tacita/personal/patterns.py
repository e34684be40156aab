"""Sensitive patterns: which symbols, in which order, within which window. They are public: an observer may know what is hidden.

A pattern of m symbols occurs at places i1 < ... < im of a sequence if these hold its symbols and im - i1 is at most the window
(Bonomi, Fan and Jin, WSDM 2016, Definition 1). Between the places there may be anything.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import ParameterError
from tacita.public.parameters import instance_of, whole_number
from tacita.public.universe import Universe, public_text

__all__ = ["PatternList", "SensitivePatterns"]

LONGEST = 8
WIDEST = 10_000


@dataclass(frozen=True, kw_only=True)
class SensitivePatterns:
    """Patterns of codes over a universe, and the window in which they occur.

    >>> shop = Universe(["beer", "chips", "milk"])
    >>> SensitivePatterns.from_labels([["beer", "chips"]], universe=shop, window=10).codes
    ((0, 1),)
    """

    codes: tuple[tuple[int, ...], ...]
    window: int
    universe: Universe

    def __post_init__(self) -> None:
        """Check that there is a pattern, and that each can occur and comes once."""
        whole_number(self.window, name="the window", least=1, most=WIDEST)
        instance_of(self.codes, tuple, list, name="the sensitive patterns")
        if not self.codes:
            message = "there must be one sensitive pattern at least, got none"
            raise ParameterError(message)
        for place, pattern in enumerate(self.codes, start=1):
            if not 1 <= len(pattern) <= min(LONGEST, self.window + 1):
                longest = min(LONGEST, self.window + 1)
                message = f"a sensitive pattern must have 1 to {longest} symbols, pattern {place} has {len(pattern)}"
                raise ParameterError(message)
            if not all(0 <= code < len(self.universe) for code in pattern):
                message = f"every symbol of a sensitive pattern must be the place of a label, pattern {place} has another"
                raise ParameterError(message)
        if len(set(self.codes)) != len(self.codes):
            message = "every sensitive pattern must be given once, one comes twice"
            raise ParameterError(message)

    @classmethod
    def from_labels(cls, patterns: Iterable[Sequence[str]], *, universe: Universe, window: int) -> SensitivePatterns:
        """Build from lists of labels; a label that the universe does not have is refused."""
        codes = tuple(tuple(universe.code(label) for label in pattern) for pattern in patterns)
        return cls(codes=codes, window=window, universe=universe)

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """The patterns as labels."""
        return tuple(tuple(self.universe.labels[code] for code in pattern) for pattern in self.codes)

    def __len__(self) -> int:
        """The number of patterns."""
        return len(self.codes)

    def as_json(self) -> dict[str, object]:
        """The patterns as a manifest describes them: they are public."""
        return {"patterns": [list(pattern) for pattern in self.labels], "window": self.window, "sha256": self.digest()}

    def digest(self) -> str:
        """A hash of patterns and window, for manifests."""
        lines = ["\t".join(pattern) for pattern in self.labels]
        return hashlib.sha256("\n".join([str(self.window), *lines]).encode()).hexdigest()


@dataclass(frozen=True)
class PatternList:
    """Patterns as labels, before it is known which universe they belong to and within which window they occur.

    >>> PatternList.parse("beer, chips; wine, cheese").labels
    (('beer', 'chips'), ('wine', 'cheese'))
    """

    labels: tuple[tuple[str, ...], ...]

    @classmethod
    def parse(cls, text: str) -> PatternList:
        """Patterns by semicolons, their labels by commas; a text without a comma names a file of patterns."""
        if "," not in text:
            return cls.read(text)
        return cls(_rows(text.split(";")))

    @classmethod
    def read(cls, path: str | Path) -> PatternList:
        """Read one pattern per line, its labels by commas; empty lines and lines that begin with # are skipped."""
        return cls(_rows(public_text(path, what="list of sensitive patterns", error=ParameterError).splitlines()))

    def within(self, window: int, *, universe: Universe) -> SensitivePatterns:
        """The patterns over a universe; a label that it does not have is refused."""
        return SensitivePatterns.from_labels(self.labels, universe=universe, window=window)

    def digest(self) -> str:
        """A hash of the patterns, for manifests."""
        return hashlib.sha256("\n".join("\t".join(pattern) for pattern in self.labels).encode()).hexdigest()


def _rows(lines: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The labels of each line, in quotes where a label holds a comma; a comma at the end adds nothing."""
    rows = csv.reader([line for line in lines if line.strip() and not line.lstrip().startswith("#")], skipinitialspace=True)
    return tuple(tuple(label.strip() for label in row if label.strip()) for row in rows)
