"""What the judges found, as HTML pages: an audit with its evidence, and attacks with a picture of what they could tell.

The page of an audit shows how much of the promise was seen to be used. Both pages are for the owner only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from tacita.attacks.result import Figure
from tacita.pictures import Bars, Page, Picture, Section, Table, bar_plot, render

__all__ = ["Assessed", "attack_page", "attack_picture", "audit_page"]

if TYPE_CHECKING:  # the auditor needs SciPy, which the other pages do without
    from tacita.auditing.verdict import AuditReport, Check


WHAT_IT_SHOWS = (
    "Exact replay proves the accounting: the privacy loss of recorded runs, computed draw by draw on neighbouring data. The "
    "output test compares what is published, over many runs, with the exact law. The black box bounds epsilon from below, from "
    "outputs alone. Controls are mechanisms that are broken on purpose; each must be caught, or the auditor is blind. No audit "
    "proves a guarantee for all data: that is what the proof does. The audit looks for places where code and proof differ."
)
PRIVATE = "For the owner's eyes only: parts of an audit are computed from true counts. Keep it out of every release."


def audit_page(report: AuditReport) -> str:
    """Render the report; failures come first."""
    failed = [check for check in report.checks if not check.passed]
    passed = [check for check in report.checks if check.passed]
    rows = tuple((check.mark.strip(), check.subject, check.test, check.summary) for check in [*failed, *passed])
    table = Table(caption="All checks, failures first", columns=("verdict", "subject", "test", "what was found"), rows=rows)
    shares = _shares(report.checks)
    sections = [
        Section(title="Checks", tables=[table], pictures=[] if shares is None else [shares]),
        Section(title="Evidence", points=[line for check in [*failed, *passed] for line in _evidence(check)]),
        Section(title="What this shows", paragraphs=[WHAT_IT_SHOWS]),
    ]
    verdict = (
        "no check found anything; " + report.verdict if not failed else f"{len(failed)} of {len(report.checks)} checks FAILED"
    )
    return render(Page(title=report.title, sections=sections, verdict=verdict, is_bad=bool(failed), private=PRIVATE))


def _shares(checks: tuple[Check, ...]) -> Picture | None:
    """The share of the promised loss that each check saw, where it measured one."""
    seen = [(f"{check.subject}, {check.test}", check.figures["share"]) for check in checks if "share" in check.figures]
    seen = [(name, share) for name, share in seen if 0 <= share < 10]
    if not seen:
        return None
    return bar_plot(
        "How much of the promised privacy loss was seen; above 100 % the promise is broken",
        [name for name, _ in seen],
        [Bars(name="seen", values=[share for _, share in seen], bounds=[1.0] * len(seen))],
        unit="share of the promised loss",
        percent=True,
    )


def _evidence(check: Check) -> list[str]:
    name = f"{check.subject}, {check.test}"
    return [*(f"{name}: {line}" for line in check.evidence), *([f"{name}, again: {check.reproduce}"] if check.reproduce else [])]


# What attacks found, as a picture: one row per share, with a bar for the private file and for each release.
#
# Only shares are drawn, no numbers of people or values.


class Assessed(Protocol):
    """What an attack found."""

    @property
    def attack(self) -> str:
        """The name of the attack."""
        ...

    @property
    def against(self) -> str:
        """What was attacked."""
        ...

    @property
    def assumptions(self) -> Sequence[str]:
        """What the attacker is taken to know."""
        ...

    @property
    def figures(self) -> Sequence[Figure]:
        """The figures."""
        ...


def attack_picture(title: str, found: Sequence[Assessed]) -> Picture:
    """Bars for all shares, those of one attack and name together."""
    sides = list(dict.fromkeys(each.against for each in found))
    rows: dict[tuple[str, str], dict[str, Figure]] = {}
    for each in found:
        for figure in each.figures:
            if figure.is_share:
                rows.setdefault((each.attack, figure.name), {})[each.against] = figure
    series = []
    for side in sides:
        figures = [row.get(side) for row in rows.values()]
        bounds = [None if figure is None else figure.bound for figure in figures]
        series.append(
            Bars(
                name=side,
                values=[None if figure is None else max(0.0, figure.value) for figure in figures],
                bounds=bounds if any(bound is not None for bound in bounds) else None,
            )
        )
    bounded = any(each.bounds is not None for each in series)
    return bar_plot(
        title,
        [f"{attack}: {name}" for attack, name in rows],
        series,
        unit="share of people or records",
        about="Shares of people or records" + ("; a thick mark is what is allowed at most." if bounded else "."),
        percent=True,
    )


def attack_page(title: str, found: Sequence[Assessed]) -> str:
    """Picture and tables on one page."""
    sections = [Section(title="Who is found out", pictures=[attack_picture(title, found)])]
    for each in found:
        columns = ("figure", "value", "low", "high", "at most")
        rows = tuple((figure.name, figure.value, figure.low, figure.high, figure.bound) for figure in each.figures)
        table = Table(caption=f"{each.attack} against {each.against}", columns=columns, rows=rows)
        name = f"{each.attack[:1].upper()}{each.attack[1:]} against {each.against}"
        sections.append(Section(title=name, points=[f"assumes: {words}" for words in each.assumptions], tables=[table]))
    private = (
        "For the owner's eyes only: these figures are computed from raw data, without noise. Keep them out of every release."
    )
    return render(Page(title=title, sections=sections, private=private))
