"""`tacita audit`: check that a mechanism keeps what it promises, or that the auditor would notice if one did not."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import replace

from tacita.audit import FULL, QUICK, SUBJECTS, VARIANTS, AuditReport, Check, Variant, audit_auditor, audit_mechanism
from tacita.cli.choices import chosen_budget, chosen_grid, chosen_kind, chosen_method, chosen_universe
from tacita.cli.new_files import new_file, write_new
from tacita.cli.reading import Records, read_records
from tacita.cli.screen import progress_bar, say, say_json, tell_owner
from tacita.cli.words.field_options import typed
from tacita.cli.words.method_options import TAXONOMY_OPTIONS, method_parameters
from tacita.cli.words.reading_options import reading_parameters
from tacita.errors import ParameterError, TacitaError
from tacita.io import STANDARD_INPUT
from tacita.methods import METHODS, Kind
from tacita.public.time_grid import TimeGrid
from tacita.public.universe import Universe
from tacita.report import audit_page

__all__ = ["AuditFailedError", "run"]

ON_REAL_DATA = "exact replay on real data"


class AuditFailedError(TacitaError):
    """An audit found something."""


def run(options: argparse.Namespace) -> None:
    """Audit one method, or everything; print the verdict; fail if anything was found."""
    _check(options)
    page = None if options.html is None else new_file(options.html, what="page")
    checks = _everything(options) if options.all else _one(options)
    title = f"Audit of {'everything' if options.all else options.method}, epsilon {options.epsilon}"
    report = AuditReport(title=title, checks=tuple(checks))
    if options.json:
        say_json("tacita-audit-1", replace(report, checks=tuple(map(_without_raw_figures, report.checks))).as_json())
    else:
        say(report.text(evidence=not options.all))
    if page is not None:
        write_new(page, audit_page(report), what="page")
    if not report.passed:
        failed = sum(not check.passed for check in report.checks)
        message = f"the audit found something in {failed} of {len(report.checks)} checks"
        raise AuditFailedError(message)


def _check(options: argparse.Namespace) -> None:
    if options.all == (options.method is not None):
        message = "name a method to audit, or --all for every method, the samplers and the broken controls"
        raise ParameterError(message)
    special = method_parameters(options) | typed(options, TAXONOMY_OPTIONS)
    if options.all and (special or options.input or options.universe or options.kind or options.delta):
        message = "--all audits every method with parameters of its own; name a method to give it others, or a file"
        raise ParameterError(message)
    if reading_parameters(options) and options.input is None:
        names = ", ".join("--" + name.replace("_", "-") for name in reading_parameters(options))
        message = f"{names} says how a file is read, so --input must name one"
        raise ParameterError(message)
    if options.seed < 0 or options.neighbours < 1:
        message = f"--seed must be at least 0 and --neighbours at least 1, got {options.seed} and {options.neighbours}"
        raise ParameterError(message)


def _without_raw_figures(check: Check) -> Check:
    """The check as a script may see it: what was computed from a real file is told to the owner's terminal instead."""
    if check.test != ON_REAL_DATA:
        return check
    tell_owner(f"{check.subject}, {check.test}: {check.summary}; {'; '.join(check.evidence)}")
    return replace(check, summary="told to the owner's terminal only", evidence=(), figures={})


def _one(options: argparse.Namespace) -> Iterator[Check]:
    kind = chosen_kind(options)
    if options.method not in SUBJECTS:
        message = f"the auditor knows {', '.join(SUBJECTS)}, got {options.method}"
        raise ParameterError(message)
    universe, grid, budget = chosen_universe(options), chosen_grid(options), chosen_budget(options)
    mechanism = chosen_method(options, universe)
    checks = audit_mechanism(
        Variant(name=options.method, mechanism=mechanism, intervals=1 if grid is None else 2),
        budget,
        effort=QUICK if options.quick else FULL,
        watch=progress_bar,
        seed=options.seed,
        real=_real_records(options, kind, universe, grid),
        neighbours=options.neighbours,
    )
    return (replace(check, reproduce=_command(options)) for check in checks)


def _command(options: argparse.Namespace) -> str:
    """What to type to make this audit again."""
    words = ["tacita", "audit", options.method, "--epsilon", options.epsilon, "--seed", str(options.seed)]
    words += [] if options.delta is None else ["--delta", options.delta]
    given = method_parameters(options) | typed(options, TAXONOMY_OPTIONS)
    if options.universe is not None:
        given["universe"] = options.universe
    if options.input is not None:
        given |= {"input": options.input, "neighbours": options.neighbours}
    for name, value in (given | reading_parameters(options)).items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", ",".join(map(str, value)) if isinstance(value, tuple) else str(value)]
    return shlex.join([*words, *(["--quick"] if options.quick else [])])


def _everything(options: argparse.Namespace) -> Iterator[Check]:
    effort = QUICK if options.quick else FULL
    for method in METHODS.values():
        for variant in VARIANTS[method.name]:
            budget = SUBJECTS[method.name].budget(options.epsilon)
            yield from audit_mechanism(variant, budget, effort=effort, watch=progress_bar, seed=options.seed)
    yield from audit_auditor(effort=effort, watch=progress_bar)


def _real_records(options: argparse.Namespace, kind: Kind, universe: Universe | None, grid: TimeGrid | None) -> Records | None:
    if options.input is None:
        return None
    if universe is None:
        message = "--input needs --universe"
        raise ParameterError(message)
    name = "standard input" if options.input == STANDARD_INPUT else None
    return read_records(options, universe, kind=kind, grid=grid, name=name)
