"""`tacita reproduce`: the papers' tables and figures, run again, with verdicts that are computed.

Real data are read from the folder that TACITA_DATA names; experiments go on without data that are not there, and say so. Results
hold figures that were computed from these data without noise: those data are public, or simulated.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tacita.cli.screen import progress_bar, say, say_json, warn
from tacita.errors import OutputError, ParameterError
from tacita_papers.reproduce import Experiment, Outcome, chosen_experiments, outcomes, run_experiments
from tacita_papers.reproduce.pages import causes_table, headline, write_pages
from tacita_papers.reproduce.verdicts import overall

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """List the experiments, or run those that are named and write their pages."""
    wanted, folder = chosen_experiments(options.experiments), Path(options.out)
    if options.jobs is not None and options.jobs < 1:
        message = f"at least one experiment must run at a time, got --jobs {options.jobs}"
        raise ParameterError(message)
    if not options.list:
        troubles = _run(wanted, folder, options)
        write_pages(folder)
    found = outcomes(wanted, folder)
    if options.json:
        say_json("tacita-reproduce-1", {"folder": str(folder), "experiments": _as_json(wanted, found)})
    else:
        say(_as_text(wanted, found, folder))
    if not options.list and troubles:
        message = f"{len(troubles)} of {len(wanted)} experiments could not be run: {'; '.join(troubles[:3])}"
        raise OutputError(message)


def _run(wanted: list[Experiment], folder: Path, options: argparse.Namespace) -> list[str]:
    with progress_bar("experiments") as show:

        def told(done: int, total: int, text: str) -> None:
            show(done, total)
            if text:
                warn(f"[{done} of {total}] {text}")

        return run_experiments(wanted, folder, quick=options.quick, again=options.again, jobs=options.jobs, told=told)


def _as_json(wanted: list[Experiment], found: list[Outcome]) -> list[dict[str, object]]:
    known = {outcome.experiment.id: outcome for outcome in found}
    return [
        {"id": each.id, "title": each.title, "paper": each.paper.title, "data": each.data}
        | ({"verdict": None} if each.id not in known else known[each.id].as_json())
        for each in wanted
    ]


def _as_text(wanted: list[Experiment], found: list[Outcome], folder: Path) -> str:
    known = {outcome.experiment.id: outcome for outcome in found}
    lines = []
    for each in wanted:
        outcome = known.get(each.id)
        sides = ["", ""] if outcome is None else [_worst(outcome, is_real=True), _worst(outcome, is_real=False)]
        title = f"{each.title}{' (quick)' if outcome is not None and outcome.quick else ''}"
        lines.append(f"{each.id:<10} {sides[0]:<28} {sides[1]:<28} {title}")
    head = f"{'experiment':<10} {'real data, at worst':<28} {'stand-ins, at worst':<28} what"
    table = ["", *causes_table(found), "", headline(found).replace("**", "")] if found else []
    return "\n".join([head, *lines, *table, "", f"{len(found)} of {len(wanted)} experiments have results in {folder}"])


def _worst(outcome: Outcome, *, is_real: bool) -> str:
    """The most serious verdict on real data, or on stand-ins."""
    some = [each for each in outcome.judgements if each.is_real is is_real]
    return str(overall(some)) if some else ""
