"""The pages of a results folder: a table of verdicts, run times beside those of the papers, and one page per chapter.

Everything is computed from the finished experiments of the folder; nothing is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tacita_papers.reproduce.catalogue import CHAPTERS, experiments, of_chapter
from tacita_papers.reproduce.claims import Bound, Verdict
from tacita_papers.reproduce.experiment import Form
from tacita_papers.reproduce.plots import picture
from tacita_papers.reproduce.running import Outcome, outcomes, write_outcome, write_whole

__all__ = ["write_pages"]

INTRODUCTION = """# The papers' results, run again

Every table, figure and stated result of the five papers that Tacita's methods come from, measured again by `tacita
reproduce`, which also wrote these pages. No verdict is written by hand: each is computed from the measured rows (`ID.csv`),
the printed figures and the paper's claims, and its reasons are beside it (`ID.json`).

- **better**: nothing that can be compared is worse than printed, and something is better; **reached**: nothing is worse by
  more than the rule of the claim allows; **not reached**: at least one claim does not hold; **not comparable**: nothing was
  printed that could be compared, or the data are not there.
- A table is *reached* if the mean over its cells is within a fiftieth of the printed mean, a series is *below* another if it
  is so in nine of ten places, a bound is what the paper states.
- *quick* marks results of a small version (fewer records, queries, runs and values), which had no full run yet.
- Where the papers' data are private, worlds of the published sizes [stand in](../../../docs/reference/simulated-worlds.md): how
  varied their trips are is an assumption, so *not reached* there may say something about the data.
- What is wrong in the papers is in [the errata](../../../docs/explanation/errata.md). Methods here are the corrected ones.

Every run has fresh noise. `tacita reproduce --out packages/tacita-papers/results` measures what is missing; `--again` measures
all of it.
"""


def write_pages(folder: Path) -> None:
    """Write pages, pictures and verdicts of everything that is finished in the folder."""
    found = {outcome.experiment.id: outcome for outcome in outcomes(list(experiments().values()), folder)}
    for outcome in found.values():
        write_outcome(outcome, folder)
        write_whole(folder / f"{outcome.experiment.id}.svg", picture(outcome).svg())
    write_whole(folder / "README.md", _index(found))
    for name, title in CHAPTERS.items():
        own = [found[each.id] for each in of_chapter(name) if each.id in found]
        if own:
            write_whole(folder / f"{name.replace('_', '-')}.md", _chapter(title, own))


def _index(found: dict[str, Outcome]) -> str:
    every = experiments()
    counts = {verdict: sum(outcome.verdict is verdict for outcome in found.values()) for verdict in Verdict}
    claims = [claim.verdict for outcome in found.values() for claim in outcome.judgements]
    held = sum(verdict in {Verdict.BETTER, Verdict.REACHED} for verdict in claims)
    told = sum(verdict is not Verdict.NOT_COMPARABLE for verdict in claims)
    quick = sum(outcome.quick for outcome in found.values())
    lines = [
        INTRODUCTION,
        f"**{len(found)} of {len(every)} experiments**: "
        + ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
        + ". "
        f"Of {told} single claims that can be compared, {held} hold. {quick} results are from a quick run.\n",
        "## Verdicts\n",
        "| experiment | what | verdict | claims that hold | run |",
        "|---|---|---|---|---|",
    ]
    for name in CHAPTERS:
        for each in of_chapter(name):
            outcome = found.get(each.id)
            if outcome is None:
                lines.append(f"| {each.id} | {each.title} | not run | | |")
                continue
            link = f"[{each.id}]({name.replace('_', '-')}.md#{_anchor(outcome)})"
            also = f" (= {each.also_known_as})" if each.also_known_as else ""
            run = "quick" if outcome.quick else "full"
            lines.append(f"| {link}{also} | {each.title} | **{outcome.verdict}** | {_share(outcome)} | {run} |")
    return "\n".join([*lines, "", *_times(found.values()), *_chapters(found)]) + "\n"


def _share(outcome: Outcome) -> str:
    told = [claim.verdict for claim in outcome.judgements if claim.verdict is not Verdict.NOT_COMPARABLE]
    return f"{sum(verdict is not Verdict.NOT_REACHED for verdict in told)} of {len(told)}"


def _anchor(outcome: Outcome) -> str:
    title = f"{outcome.experiment.id} {outcome.experiment.title}".lower()
    return "".join(letter if letter.isalnum() or letter == "-" else "-" if letter == " " else "" for letter in title)


def _times(found: Iterable[Outcome]) -> list[str]:
    rows = []
    for outcome in found:
        experiment = outcome.experiment
        if experiment.y_label != "seconds":
            continue
        stated = [f"below {claim.most:g} s" for claim in experiment.claims if isinstance(claim, Bound) and claim.most is not None]
        stated += [f"{point.value:g} s at {point.x}" for point in experiment.published]
        worst = max(outcome.rows, key=lambda row: row.value, default=None)
        if worst is None:
            continue
        ours = f"{worst.value:.2f} s ({worst.series}, {worst.data}, {experiment.x_label} {worst.x})"
        where = "; ".join(dict.fromkeys(stated)) or "in a lost picture"
        quick = " (quick: a twentieth of the records)" if outcome.quick else ""
        rows.append(f"| {experiment.id} | {experiment.title.lower()} | {ours}{quick} | {where} | {experiment.paper.hardware} |")
    if not rows:
        return []
    head = [
        "## Run times",
        "",
        "Ours are the longest of all runs, in processor seconds on one machine with two cores that others used too.",
        "",
    ]
    return [*head, "| experiment | what | ours | theirs | their machine |", "|---|---|---|---|---|", *rows, ""]


def _chapters(found: dict[str, Outcome]) -> list[str]:
    told = [
        f"- [{title}]({name.replace('_', '-')}.md)"
        for name, title in CHAPTERS.items()
        if any(each.id in found for each in of_chapter(name))
    ]
    return ["## Pages", "", *told]


def _chapter(title: str, found: Sequence[Outcome]) -> str:
    lines = [f"# {title}", "", "Written by `tacita reproduce`. [All verdicts](README.md).", ""]
    for outcome in found:
        lines += [*_section(outcome), ""]
    return "\n".join(lines)


def _section(outcome: Outcome) -> Iterator[str]:
    experiment = outcome.experiment
    yield f"## {experiment.id} {experiment.title}\n"
    stamp = " From a **quick** run: a small version, not the paper's sizes." if outcome.quick else ""
    yield f"**{outcome.verdict}**, {_share(outcome)} claims.{stamp} {experiment.paper.title}.\n"
    yield f"- Data: {experiment.data}."
    yield f"- Parameters: {experiment.parameters}."
    if experiment.note:
        yield f"- {experiment.note}"
    taken = f"{outcome.processor_seconds:,.0f} s of processor time"
    yield f"- [Rows]({experiment.id}.csv), [verdict and reasons]({experiment.id}.json); {taken}.\n"
    yield "| claim | verdict | reason |\n|---|---|---|"
    for claim in outcome.judgements:
        yield f"| {_cell(claim.claim)} | {claim.verdict} | {_cell(claim.reason)} |"
    if experiment.form is Form.TABLE:
        yield from _table(outcome)
    yield f"\n![{experiment.id} {experiment.title}]({experiment.id}.svg)"


def _table(outcome: Outcome) -> Iterator[str]:
    printed = {(point.data, point.x): point.value for point in outcome.experiment.published}
    yield "\n| data | figure | ours | printed |\n|---|---|---|---|"
    for row in outcome.rows:
        told = printed.get((row.data, row.x))
        yield f"| {row.data} | {row.x} | {row.value:,.6g} | {'' if told is None else f'{told:,.6g}'} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
