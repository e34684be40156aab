"""`tacita audit`: check that a mechanism keeps what it promises, or that the auditor would notice if one did not."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tacita.audit import FULL, QUICK, VARIANTS, AuditReport, Check, Variant, audit_auditor, audit_mechanism
from tacita.cli.choices import chosen_method, chosen_universe
from tacita.cli.interrupts import one_at_a_time
from tacita.cli.reading import read_records
from tacita.cli.screen import progress_bar, say, say_json, tell_owner
from tacita.cli.words.method_options import method_parameters
from tacita.cli.words.reading_options import reading_parameters
from tacita.core.budget import PureDP
from tacita.core.errors import OutputError, ParameterError, TacitaError
from tacita.core.mechanism import Mechanism
from tacita.core.randomness import token
from tacita.methods import METHODS
from tacita.report import audit_page
from tacita.sequences import PrefixTree, SequenceRecords

__all__ = ["AuditFailedError", "run"]

ON_REAL_DATA = "exact replay on real data"


class AuditFailedError(TacitaError):
    """An audit found something."""


def run(options: argparse.Namespace) -> None:
    """Audit one method, or everything; print the verdict; fail if anything was found."""
    _check(options)
    page = _new_file(options.html)
    checks = _everything(options) if options.all else _one(options, chosen_method(options))
    title = f"Audit of {'everything' if options.all else options.method}, epsilon {options.epsilon}"
    report = AuditReport(title=title, checks=tuple(checks))
    if options.json:
        say_json("tacita-audit-1", replace(report, checks=tuple(map(_without_raw_figures, report.checks))).as_json())
    else:
        say(report.text(evidence=not options.all))
    if page is not None:
        _write(page, audit_page(report))
    if not report.passed:
        failed = sum(not check.passed for check in report.checks)
        message = f"the audit found something in {failed} of {len(report.checks)} checks"
        raise AuditFailedError(message)


def _check(options: argparse.Namespace) -> None:
    if options.all == (options.method is not None):
        message = "name a method to audit, or --all for every method, the samplers and the broken controls"
        raise ParameterError(message)
    if options.all and (method_parameters(options) or options.input or options.universe):
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
    tell_owner(f"for your eyes only: {check.subject}, {check.test}: {check.summary}; {'; '.join(check.evidence)}")
    return replace(check, summary="told to the owner's terminal only", evidence=(), figures={})


def _write(page: Path, text: str) -> None:
    """Write a page that appears whole or not at all."""
    draft = page.with_name(f".{page.name}.{token()}.partial")
    try:
        with one_at_a_time():
            draft.write_text(text, encoding="utf-8")
            draft.rename(page)
    except OSError as error:
        message = f"the page {str(page)!r} cannot be written: {error.strerror or error}; nothing was left there"
        raise OutputError(message) from None
    finally:
        draft.unlink(missing_ok=True)


def _new_file(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if path.exists() or not path.absolute().parent.is_dir():
        message = f"the page {name!r} must not exist yet, and its folder must"
        raise OutputError(message)
    return path


def _one(options: argparse.Namespace, mechanism: Mechanism) -> Iterator[Check]:
    if not isinstance(mechanism, PrefixTree):
        message = f"the auditor knows prefix-tree only, got {options.method}"
        raise ParameterError(message)
    checks = audit_mechanism(
        Variant(name=options.method, mechanism=mechanism),
        PureDP(options.epsilon),
        effort=QUICK if options.quick else FULL,
        watch=progress_bar,
        seed=options.seed,
        real=_real_records(options),
        neighbours=options.neighbours,
    )
    return (replace(check, reproduce=_command(options)) for check in checks)


def _command(options: argparse.Namespace) -> str:
    """What to type to make this audit again."""
    words = ["tacita", "audit", options.method, "--epsilon", options.epsilon, "--seed", str(options.seed)]
    given = method_parameters(options)
    if options.input is not None:
        given |= {"input": options.input, "universe": options.universe, "neighbours": options.neighbours}
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
            budget = PureDP(options.epsilon)
            yield from audit_mechanism(variant, budget, effort=effort, watch=progress_bar, seed=options.seed)
    yield from audit_auditor(effort=effort, watch=progress_bar)


def _real_records(options: argparse.Namespace) -> SequenceRecords | None:
    if options.input is None:
        return None
    universe = chosen_universe(options)
    if universe is None:
        message = "--input needs --universe"
        raise ParameterError(message)
    return read_records(options, universe)
