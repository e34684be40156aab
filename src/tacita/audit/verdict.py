"""The result of an audit: checks with their evidence, and the overall verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

from tacita.pictures.tables import html_table

__all__ = ["AuditReport", "Check"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One test of one subject: what it measured, against which bound, on which pair, and how to reproduce it."""

    subject: str
    test: str
    passed: bool
    summary: str
    evidence: tuple[str, ...] = ()
    reproduce: str = ""
    figures: dict[str, float] = field(default_factory=dict)

    def text(self, *, evidence: bool) -> str:
        """One line and, if it failed or if asked, the evidence."""
        lines = [f"{'ok  ' if self.passed else 'FAIL'} {self.subject}, {self.test}: {self.summary}"]
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
        verdict = f"{len(self.checks) - failed} of {len(self.checks)} checks passed"
        return f"{verdict}, {failed} FAILED" if failed else verdict

    def _repr_html_(self) -> str:
        """Every check with its verdict, for a notebook."""
        rows = [("passed" if check.passed else "FAILED", check.subject, check.test, check.summary) for check in self.checks]
        return html_table(self.title, ("verdict", "subject", "test", "what was found"), rows)

    def as_json(self) -> dict[str, object]:
        """The report for scripts."""
        return {"title": self.title, "passed": self.passed, "checks": [check.as_json() for check in self.checks]}
