"""The pages of a results folder: what holds, a table of verdicts, run times beside those of the papers, a page per chapter.

Everything is computed from the finished experiments of the folder; nothing is written by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tacita_papers.reproduce.catalogue import CHAPTERS, Chapter, experiments, of_chapter
from tacita_papers.reproduce.claims import Bound
from tacita_papers.reproduce.experiment import Form
from tacita_papers.reproduce.plots import overview, picture
from tacita_papers.reproduce.running import Outcome, outcomes, write_outcome, write_whole
from tacita_papers.reproduce.verdicts import HOLDING, Judgement, Verdict, causes

__all__ = ["causes_table", "headline", "write_pages"]

ERRATA = "../../../docs/explanation/errata.md"


INTRODUCTION = """## How to read the verdicts

Every table, figure and stated result of the five papers that Tacita's methods come from, measured again by `tacita
reproduce`, which also wrote these pages. No verdict is written by hand: a claim is a rule over the measured rows (`ID.csv`) and
the printed figures. The rule is held against three versions of each method on the same data: *ours*, which is what Tacita
publishes with; *as printed*, the literal algorithm, which need not be private and runs in these experiments only; and *without
noise*, ours with so large an epsilon that only its model is left.

- **better**, **holds**: our rows meet the rule. A table is met if the mean over its cells is within a fiftieth of the printed
  mean, a series is below another if it is so in nine of ten places, a bound is what the paper states.
- **not told apart**: our rows miss the rule by less than two standard errors of paired runs, or come from a single run.
- **the print contradicts itself**: the claim has an [erratum](../../../docs/explanation/errata.md), which is linked.
- **the print fails here too**: as printed, the method misses the rule as well, or cannot be run on these data.
- **price of a true guarantee**: the print meets the rule, and so do we without noise. What is lost is lost to real privacy.
- **ours is weaker**: all else, also where no printed version was measured (run times, and suppression, whose print takes too
  long).

Data sets are judged one by one, and real ones apart: where the papers' data are private, worlds of the published sizes
[stand in](../../../docs/reference/simulated-worlds.md), and how varied their trips are is an assumption. Two kinds of world are
nearer to the truth in one statistic each: *as skewed as Oyster* has popularities like real journeys by rail, but an assumed week;
*16 partners* has the thesis's number of busy pairs of stations, but fewer different stations a passenger (3.58 for 4.82) and no
popular one.

Every run has fresh noise. `tacita reproduce --out packages/tacita-papers/results` measures what is missing; `--again` measures
all of it. *quick* marks results of a small version.
"""


PER_DATA_SET = "A claim about several data sets counts once for each."


def write_pages(folder: Path) -> None:
    """Write pages, pictures and verdicts of everything that is finished in the folder."""
    found = {outcome.experiment.id: outcome for outcome in outcomes(list(experiments().values()), folder)}
    for outcome in found.values():
        write_outcome(outcome, folder)
        write_whole(folder / f"{outcome.experiment.id}.svg", picture(outcome).svg())
    write_whole(folder / "README.md", _index(found))
    for name, chapter in CHAPTERS.items():
        own = [found[each.id] for each in of_chapter(name) if each.id in found]
        if own:
            shown = found.get(chapter.shows)
            if shown is not None:
                write_whole(folder / f"{_page(name)}.svg", overview(shown, chapter).svg())
            write_whole(folder / f"{_page(name)}.md", _chapter(name, chapter, own, shown))


def _page(name: str) -> str:
    return name.replace("_", "-")


def causes_table(found: Iterable[Outcome]) -> list[str]:
    """How many claims have each verdict, on real data and on stand-ins, as rows of text."""
    counts = causes(each for outcome in found for each in outcome.judgements)
    rows = [f"| {verdict} | {real} | {simulated} |" for verdict, (real, simulated) in counts.items()]
    return ["| verdict | on real data | on stand-ins |", "|---|---|---|", *rows]


def headline(found: Sequence[Outcome]) -> str:
    """What a reader needs first: on real data, how many claims hold, what truth costs, and where ours is weaker."""
    real = [(outcome, each) for outcome in found for each in outcome.judgements if each.is_real]
    counts = causes(each for _, each in real)
    holds, whole = sum(counts[verdict][0] for verdict in HOLDING), sum(count for count, _ in counts.values())
    fails = counts[Verdict.PRINT_FAILS][0] + counts[Verdict.CONTRADICTED][0]
    weaker = [f"{outcome.experiment.id} ({each.data}: {each.claim})" for outcome, each in real if each.verdict is Verdict.WEAKER]
    named = "nowhere" if not weaker else f"in {len(weaker)}: {'; '.join(weaker)}"
    return (
        f"**On real data {holds} of {whole} claims hold.** {fails} more fail as printed too, and "
        f"{counts[Verdict.NOT_TOLD_APART][0]} are within the error of the runs. A true guarantee costs "
        f"{counts[Verdict.PRICE][0]}. Ours is weaker {named}."
    )


def _index(found: dict[str, Outcome]) -> str:
    quick = sum(outcome.quick for outcome in found.values())
    older = sum(not outcome.is_current for outcome in found.values())
    earlier = f" {older} were measured before their experiment changed; their single runs are not known." if older else ""
    lines = [
        "# The papers' results, run again\n",
        headline(list(found.values())) + "\n",
        *causes_table(found.values()),
        f"\n{len(found)} of {len(experiments())} experiments, {quick} of them from a quick run.{earlier} {PER_DATA_SET}\n",
        "## Verdicts\n",
        "| experiment | what | on real data | on stand-ins | run |",
        "|---|---|---|---|---|",
    ]
    for name in CHAPTERS:
        for each in of_chapter(name):
            outcome = found.get(each.id)
            if outcome is None:
                lines.append(f"| {each.id} | {each.title} | not run | | |")
                continue
            link = f"[{each.id}]({_page(name)}.md#{_anchor(f'{each.id} {each.title}')})"
            also = f" (= {each.also_known_as})" if each.also_known_as else ""
            run = ("quick" if outcome.quick else "full") + ("" if outcome.is_current else ", earlier version")
            sides = [_tally([one for one in outcome.judgements if one.is_real is real]) for real in (True, False)]
            lines.append(f"| {link}{also} | {each.title} | {sides[0]} | {sides[1]} | {run} |")
    return "\n".join([*lines, "", INTRODUCTION, *_times(found.values()), *_chapters(found)]) + "\n"


def _tally(judgements: Sequence[Judgement]) -> str:
    """The verdicts of some claims with their numbers, the most serious last."""
    counts = causes(judgements)
    told = {verdict: real + simulated for verdict, (real, simulated) in counts.items() if real + simulated}
    return ", ".join(f"{number} {verdict}" for verdict, number in told.items())


def _anchor(title: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_" else "-" if letter == " " else "" for letter in title.lower())


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
        f"- [{chapter.title}]({_page(name)}.md)"
        for name, chapter in CHAPTERS.items()
        if any(each.id in found for each in of_chapter(name))
    ]
    return ["## Pages", "", *told]


def _chapter(name: str, chapter: Chapter, found: Sequence[Outcome], shown: Outcome | None) -> str:
    judgements = [each for outcome in found for each in outcome.judgements]
    real, simulated = (_tally([each for each in judgements if each.is_real is side]) for side in (True, False))
    lines = [f"# {chapter.title}", ""]
    if shown is not None:
        alt = f"{shown.experiment.title}: published, as printed, ours, and the product's default"
        lines += [f"![{alt}]({_page(name)}.svg)", ""]
    counted = f"Claims on real data: {real or 'none'}. On stand-ins: {simulated or 'none'}."
    errata = ", ".join(f"[{_plain(each)}]({ERRATA}#{_anchor(each)})" for each in chapter.errata)
    lines += [
        f"{chapter.about} What is wrong in the print: {errata}. {counted}",
        "",
        "Written by `tacita reproduce`. [All verdicts](README.md), and what they mean.",
        "",
    ]
    for outcome in found:
        lines += [*_section(outcome), ""]
    return "\n".join(lines)


def _plain(heading: str) -> str:
    return heading.rpartition(" (")[0]


def _section(outcome: Outcome) -> Iterator[str]:
    experiment = outcome.experiment
    yield f"## {experiment.id} {experiment.title}\n"
    stamp = " From a **quick** run: a small version, not the paper's sizes." if outcome.quick else ""
    older = "" if outcome.is_current else " Measured **before the experiment changed**."
    yield f"{experiment.paper.title}.{stamp}{older}\n"
    yield f"- Data: {experiment.data}."
    yield f"- Parameters: {experiment.parameters}."
    if experiment.note:
        yield f"- {experiment.note}"
    taken = f"{outcome.processor_seconds:,.0f} s of processor time"
    commit = f", commit {outcome.commit}" if outcome.commit else ""
    yield f"- [Rows]({experiment.id}.csv), [verdicts and reasons]({experiment.id}.json); {taken}{commit}.\n"
    yield "| claim | data | verdict | reason |\n|---|---|---|---|"
    for each in outcome.judgements:
        data = f"{each.data}, real" if each.is_real else each.data
        link = f" ([erratum]({ERRATA}#{_anchor(each.erratum)}))" if each.erratum else ""
        yield f"| {_cell(each.claim)} | {data} | {each.verdict}{link} | {_cell(each.reason)} |"
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
