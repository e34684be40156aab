"""`tacita audit`: check that a mechanism keeps what it promises, or that the auditor would notice if one did not."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tacita.audit import FULL, QUICK, VARIANTS, AuditReport, Check, Variant, audit_auditor, audit_mechanism
from tacita.cli.choices import chosen_method, chosen_universe
from tacita.cli.parser import method_parameters
from tacita.cli.screen import progress_bar, say
from tacita.core.budget import PureDP
from tacita.core.errors import OutputError, ParameterError, TacitaError
from tacita.methods import METHODS
from tacita.report import audit_page
from tacita.sequences import PrefixTree, SequenceRecords, read_sequences

__all__ = ["AuditFailedError", "run"]


class AuditFailedError(TacitaError):
    """An audit found something."""


def run(options: argparse.Namespace) -> None:
    """Audit one method, or everything; print the verdict; fail if anything was found."""
    if options.all == (options.method is not None):
        message = "name a method to audit, or --all for every method, the samplers and the broken controls"
        raise ParameterError(message)
    if options.all and (method_parameters(options) or options.input or options.universe):
        message = "--all audits every method with parameters of its own; name a method to give it others, or a file"
        raise ParameterError(message)
    if options.seed < 0 or options.neighbours < 1:
        message = f"--seed must be at least 0 and --neighbours at least 1, got {options.seed} and {options.neighbours}"
        raise ParameterError(message)
    page = _new_file(options.html)
    checks = _everything(options) if options.all else _one(options, chosen_method(options))
    title = f"Audit of {'everything' if options.all else options.method}, epsilon {options.epsilon}"
    report = AuditReport(title=title, checks=tuple(checks))
    say(json.dumps(report.as_json(), indent=2) if options.json else report.text(evidence=not options.all))
    if page is not None:
        page.write_text(audit_page(report), encoding="utf-8")
    if not report.passed:
        failed = sum(not check.passed for check in report.checks)
        message = f"the audit found something in {failed} of {len(report.checks)} checks"
        raise AuditFailedError(message)


def _new_file(name: str | None) -> Path | None:
    if name is None:
        return None
    path = Path(name)
    if path.exists() or not path.absolute().parent.is_dir():
        message = f"the page {name!r} must not exist yet, and its folder must"
        raise OutputError(message)
    return path


def _one(options: argparse.Namespace, mechanism: PrefixTree) -> Iterator[Check]:
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
    for name, value in method_parameters(options).items():
        words += ["--" + name.replace("_", "-"), str(value)]
    if options.input is not None:
        words += ["--input", options.input, "--universe", options.universe, "--neighbours", str(options.neighbours)]
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
    return read_sequences(options.input, universe=universe)
