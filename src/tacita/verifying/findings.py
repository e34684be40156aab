"""What a verification found: one line per check, and what could not be checked at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tacita.errors import InputError, TacitaError
from tacita.gate import told

__all__ = ["Finding", "Findings", "Verification"]

MOST_TOLD = 5
"""How many things that are wrong one check lists."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One check: what must hold, whether it does, and what was found if not."""

    check: str
    passed: bool
    found: str = ""

    def __str__(self) -> str:
        """One line for a terminal."""
        return f"{'ok  ' if self.passed else 'FAIL'} {self.check}" + (f": {self.found}" if self.found else "")

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {"check": self.check, "passed": self.passed, "found": self.found}


@dataclass(frozen=True, kw_only=True)
class Verification:
    """All checks of a release folder, and what was not checked; print it."""

    folder: Path
    findings: tuple[Finding, ...]
    not_checked: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing that was checked is wrong."""
        return not self.failed

    @property
    def failed(self) -> tuple[Finding, ...]:
        """The checks that failed."""
        return tuple(finding for finding in self.findings if not finding.passed)

    def __iter__(self) -> Iterator[Finding]:
        """The checks, one after the other."""
        return iter(self.findings)

    def __str__(self) -> str:
        """One line per check, then one per thing that was not checked."""
        return "\n".join([*map(str, self.findings), *(f"not checked: {what}" for what in self.not_checked)])

    def as_json(self) -> dict[str, object]:
        """For scripts."""
        return {
            "release": str(self.folder),
            "passed": self.passed,
            "checks": [finding.as_json() for finding in self.findings],
            "not_checked": list(self.not_checked),
        }


@dataclass
class Findings:
    """Checks as they are made. What damages a check fails it: it never ends the verification."""

    listed: list[Finding] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)

    def check(self, name: str, wrong: Iterable[str], *, note: str = "") -> bool:
        """Make one check: `wrong` yields what is wrong; `note` is said if nothing is. Returns whether it passed."""
        found: list[str] = []
        try:
            with told("the release"):
                found.extend(wrong)
        except InputError as error:
            found.append(str(error))
        except TacitaError as error:
            found.append(f"{error} ({type(error).__name__})")
        more = len(found) - MOST_TOLD
        shown = [*found[:MOST_TOLD], *([f"and {more:,} more"] if more > 0 else [])]
        self.listed.append(Finding(check=name, passed=not found, found="; ".join(shown) if found else note))
        return not found

    def skip(self, *what: str) -> None:
        """Say what was not checked; once each."""
        self.not_checked += [each for each in what if each not in self.not_checked]
