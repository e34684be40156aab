"""The result of an audit, checks with their evidence and the overall verdict, and the statistics that checks rest on."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np
import numpy.typing as npt

from tacita.errors import MissingExtraError
from tacita.pictures.picture import html_table

__all__ = ["AuditReport", "Check", "at_least", "chi_square", "clopper_pearson"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One test of one subject: what it measured, against which bound, on which pair, and how to reproduce it.

    A check that `proves_nothing` has found nothing and says nothing for its subject either: it is never shown as ok.
    """

    subject: str
    test: str
    passed: bool
    summary: str
    evidence: tuple[str, ...] = ()
    reproduce: str = ""
    figures: dict[str, float] = field(default_factory=dict)
    proves_nothing: bool = False

    @property
    def mark(self) -> str:
        """The verdict in four letters."""
        return "FAIL" if not self.passed else "none" if self.proves_nothing else "ok  "

    def text(self, *, evidence: bool) -> str:
        """One line and, if it failed or if asked, the evidence."""
        lines = [f"{self.mark} {self.subject}, {self.test}: {self.summary}"]
        if evidence or not self.passed:
            lines += [f"       {line}" for line in self.evidence]
            lines += [f"       again: {self.reproduce}"] if self.reproduce else []
        return "\n".join(lines)

    def as_json(self) -> dict[str, object]:
        """The check for scripts."""
        return {
            "subject": self.subject,
            "test": self.test,
            "passed": self.passed,
            "proves_nothing": self.proves_nothing,
            "summary": self.summary,
            "evidence": list(self.evidence),
            "reproduce": self.reproduce,
            "figures": {name: value if isfinite(value) else str(value) for name, value in self.figures.items()},
        }


@dataclass(frozen=True, kw_only=True)
class AuditReport:
    """All checks of an audit. Some are computed from raw data or true counts: the report is for the owner's eyes only."""

    title: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return all(check.passed for check in self.checks)

    def __str__(self) -> str:
        """Render for a terminal: one line per check, and the evidence of those that failed."""
        return self.text(evidence=False)

    def text(self, *, evidence: bool) -> str:
        """Render for a terminal, with the evidence of every check or only of those that failed."""
        return "\n".join([self.title, *(check.text(evidence=evidence) for check in self.checks), self.verdict])

    @property
    def verdict(self) -> str:
        """How many checks passed."""
        failed = sum(not check.passed for check in self.checks)
        empty = sum(check.passed and check.proves_nothing for check in self.checks)
        verdict = f"{len(self.checks) - failed - empty} of {len(self.checks)} checks passed"
        verdict += f", {empty} proved nothing" if empty else ""
        return f"{verdict}, {failed} FAILED" if failed else verdict

    def _repr_html_(self) -> str:
        """Every check with its verdict, for a notebook."""
        marks = {"ok  ": "passed", "none": "proved nothing", "FAIL": "FAILED"}
        rows = [(marks[check.mark], check.subject, check.test, check.summary) for check in self.checks]
        return html_table(self.title, ("verdict", "subject", "test", "what was found"), rows)

    def as_json(self) -> dict[str, object]:
        """The report for scripts."""
        return {"title": self.title, "passed": self.passed, "checks": [check.as_json() for check in self.checks]}


# Statistical tests and bounds, by SciPy, which comes with the extra `audit`.

try:
    from scipy import stats
except ImportError:  # pragma: no cover - depends on the installation
    _MESSAGE = "the auditor needs SciPy; install it with: pip install 'tacita[audit]'"
    raise MissingExtraError(_MESSAGE) from None

_FEW = 25  # with fewer expected, p-values of a millionth would be several times too small


def chi_square(observed: npt.ArrayLike, expected: npt.ArrayLike) -> float:
    """The p-value of counts against expected counts; cells with a low expected count are merged."""
    seen, law = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    few = law < _FEW
    if few.any():
        seen, law = np.append(seen[~few], seen[few].sum()), np.append(law[~few], law[few].sum())
        if law[-1] < _FEW and law.size > 1:
            seen, law = np.append(seen[:-2], seen[-2:].sum()), np.append(law[:-2], law[-2:].sum())
    if law.size == 1:
        return 1.0
    return float(stats.chisquare(seen, law * seen.sum() / law.sum()).pvalue)


def clopper_pearson(hits: int, runs: int, *, risk: float) -> tuple[float, float]:
    """An interval that misses the probability of a hit, on each side, with probability at most `risk`."""
    low = 0.0 if hits == 0 else float(stats.beta.ppf(risk, hits, runs - hits + 1))
    high = 1.0 if hits == runs else float(stats.beta.ppf(1 - risk, hits + 1, runs - hits))
    return low, high


def at_least(hits: int, runs: int, *, probability: float) -> float:
    """The probability of at least this many hits in this many runs."""
    return float(stats.binom.sf(hits - 1, runs, probability))
