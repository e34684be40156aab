"""`tacita audit`: check that a mechanism keeps its promise, and that the auditor would notice if one did not."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cli.options import add_budget, add_options, add_parameters, add_reading, method_name, options_of, typed
from tacita.cli.parser import COMMANDS, Commands, Parser, add_command, add_config, add_json, add_switch
from tacita.cli.screen import finish, progress_bar, say, say_json, tell_owner, warn
from tacita.errors import AuditFailedError, ParameterError
from tacita.kinds import kind_named, kind_of, kinds, load, method_named, methods

if TYPE_CHECKING:
    from tacita.auditing import Check
    from tacita.cli.choices import Choices

__all__ = ["MethodsAndOthers", "add", "run"]


class MethodsAndOthers(tuple[str, ...]):
    """The names of all methods; any dotted name such as `package:Class` is accepted too."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        """Whether a name may be typed."""
        return super().__contains__(name) or (isinstance(name, str) and ":" in name)


def add(commands: Commands) -> None:
    """Offer the command."""
    audit = add_command(
        commands,
        "audit",
        COMMANDS["audit"],
        "tacita audit prefix-tree --height 3 --epsilon 1 --quick",
    )
    audit.later(_fill)


def _fill(audit: Parser, words: Sequence[str]) -> None:
    """The options, with those of the method that was named."""
    chosen = next((methods()[word] for word in words if word in methods()), None)
    audit.add_argument(
        "method",
        nargs="?",
        type=method_name,
        choices=MethodsAndOthers(methods()),
        metavar="METHOD",
        help="the method to audit, in all its variants unless parameters are given (--help after it shows them); or package:name "
        "of an audit.Target or a publisher",
    )
    audit.add_argument(
        "kind",
        nargs="?",
        choices=tuple(kinds()),
        metavar="KIND",
        help="the kind of data that a class of another package publishes",
    )
    add_switch(audit, "--all", "audit every method, the samplers and the broken controls")
    budget = audit.add_argument_group("budget and parameters")
    add_budget(audit, budget, list(methods().values()) if chosen is None else [chosen])
    if chosen is not None:
        kind = kind_of(chosen)
        add_parameters(audit, kind, chosen, budget)
        if kind.public_options:
            add_options(audit.add_argument_group("public inputs"), kind.public_options)
        add_reading(audit, kind)
    add_switch(audit, "--quick", "fewer repetitions: some minutes for --all")
    audit.add_argument("--input", metavar="FILE", help="also replay on sampled neighbours of this real file")
    audit.add_argument(
        "--neighbours", type=int, default=1000, metavar="N", help="how many neighbours of the file (default %(default)s)"
    )
    audit.add_argument("--seed", type=int, default=0, metavar="N", help="another choice of small data sets and replayed runs")
    audit.add_argument("--html", metavar="FILE", help="write a page with the evidence")
    add_json(audit)
    add_config(audit)


ON_REAL_DATA = "exact replay on real data"


def run(options: argparse.Namespace) -> None:
    """Audit one method, or everything; print the verdict; fail if anything was found."""
    from tacita.auditing import AuditReport
    from tacita.cli.choices import new_file, write_new
    from tacita.pages import audit_page

    _check(options)
    is_other = not options.all and ":" in options.method
    if options.epsilon is None and not is_other and (options.all or method_named(options.method).promise.takes_epsilon):
        options.epsilon = "1"
    page = None if options.html is None else new_file(options.html, what="page")
    checks = _everything(options) if options.all else _other(options) if is_other else _one(options)
    budget = "" if options.epsilon is None else f", epsilon {options.epsilon}"
    title = f"Audit of {'everything' if options.all else options.method}{budget}"
    done = map(_without_raw_figures, checks)
    report = AuditReport(title=title, checks=tuple(done if options.json else _told(title, done, evidence=not options.all)))
    if options.json:
        say_json("tacita-audit-1", report.as_json())
    else:
        say(report.verdict)
    if page is not None:
        write_new(page, audit_page(report), what="page")
    if not report.passed:
        failed = sum(not check.passed for check in report.checks)
        message = f"the audit found something in {failed} of {len(report.checks)} checks"
        raise AuditFailedError(message)


def _told(title: str, checks: Iterable[Check], *, evidence: bool) -> Iterator[Check]:
    """Print each check as soon as it is done: all of them together take minutes."""
    say(title)
    for check in checks:
        say(check.text(evidence=evidence))
        finish()
        yield check


def _check(options: argparse.Namespace) -> None:
    if options.all == (options.method is not None):
        message = "name a method to audit, or --all for every method, the samplers and the broken controls"
        raise ParameterError(message)
    if options.all and (options.input or options.kind or options.delta):
        message = "--all audits every method with built-in parameters; name a method to choose parameters or a file"
        raise ParameterError(message)
    chosen = methods().get(options.method or "")
    if chosen is not None and options.kind not in {None, chosen.kind}:
        message = f"{chosen.name} is a method of {chosen.kind}, not of {options.kind}; leave out the kind"
        raise ParameterError(message)
    reading = {} if chosen is None else typed(options, kind_of(chosen).reading_options)
    if reading and options.input is None:
        names = ", ".join("--" + name.replace("_", "-") for name in reading)
        message = f"{names} says how a file is read, so --input must name one"
        raise ParameterError(message)
    if options.seed < 0 or options.neighbours < 1:
        message = f"--seed must be at least 0 and --neighbours at least 1, got {options.seed} and {options.neighbours}"
        raise ParameterError(message)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """What was typed for the method that is audited."""
    return typed(options, options_of(kind_of(method_named(options.method)))) if options.method in methods() else {}


def _without_raw_figures(check: Check) -> Check:
    """The check as a file or a script may see it; figures computed from a real file go to the owner's terminal instead."""
    if not check.test.startswith(ON_REAL_DATA):
        return check
    tell_owner(f"{check.subject}, {check.test}: {check.summary}; {'; '.join(check.evidence)}")
    verdict = "nothing was found" if check.passed else "something was found"
    return replace(check, summary=f"{verdict}; the figures are shown on the owner's terminal only", evidence=(), figures={})


def _one(options: argparse.Namespace) -> Iterator[Check]:
    from tacita.auditing import FULL, QUICK, Variant, audit_mechanism, audit_method, audit_verified, subject_named
    from tacita.cli.choices import Choices
    from tacita.privacy.budget import ApproxDP

    method = method_named(options.method)
    options.kind = method.kind
    effort = QUICK if options.quick else FULL
    is_bare = not _given(options) and options.input is None and (options.delta is None or method.has_gaussian)
    if is_bare and method.promise.takes_epsilon:
        usual = subject_named(method.name).budget(options.epsilon)
        budget = usual if options.delta is None else ApproxDP(options.epsilon, options.delta)
        every = audit_method(method.name, budget, effort=effort, watch=progress_bar, seed=options.seed)
        return (replace(check, reproduce=_command(options)) for check in every)
    choices = Choices(options)
    if choices.budget is None:
        checks: Iterable[Check] = audit_verified(
            choices.method, choices.mechanism, effort=effort, watch=progress_bar, seed=options.seed
        )
    else:
        variant = Variant(name=options.method, mechanism=choices.mechanism, intervals=1 if choices.public.grid is None else 2)
        checks = audit_mechanism(
            variant,
            choices.budget,
            effort=effort,
            watch=progress_bar,
            seed=options.seed,
            real=_real_records(choices),
            neighbours=options.neighbours,
            file=_file_of(choices),
        )
    return (replace(check, reproduce=_command(options)) for check in checks)


def _other(options: argparse.Namespace) -> Iterator[Check]:
    """Audit something from another package: a target with its own pairs, or a class that publishes records of a kind."""
    from tacita.auditing import FULL, QUICK, Target, audit_publisher
    from tacita.privacy.budget import ApproxDP, PureDP

    effort = QUICK if options.quick else FULL
    if options.input:
        message = f"files are for methods of the command line; leave them out, or put them into {options.method}"
        raise ParameterError(message)
    with _current_folder():
        named = load(options.method)
    target = named() if callable(named) and not isinstance(named, Target) else named
    if isinstance(target, Target):
        if options.epsilon is not None or options.delta is not None or options.kind is not None:
            message = (
                f"{options.method} says itself what it claims and on what it is tried; leave out --epsilon, --delta and the kind"
            )
            raise ParameterError(message)
        with progress_bar(options.method) as progress:
            checks: Iterable[Check] = target.audit(runs=effort.black_box_runs * 5, seed=options.seed, progress=progress).checks
    elif hasattr(target, "publish"):
        if options.kind is None:
            message = f"{options.method} publishes, so a word after it must say what: one of {', '.join(kinds())}"
            raise ParameterError(message)
        options.epsilon = "1" if options.epsilon is None else options.epsilon
        budget = PureDP(options.epsilon) if options.delta is None else ApproxDP(options.epsilon, options.delta)
        checks = audit_publisher(kind_named(options.kind), target, budget, effort=effort, watch=progress_bar, seed=options.seed)
    else:
        message = f"{options.method} must be an audit.Target, a function that makes one, or a class that has a publish"
        raise ParameterError(message)
    return (replace(check, reproduce=_command(options)) for check in checks)


@contextmanager
def _current_folder() -> Iterator[None]:
    """Let modules be found in the current folder too, as Python itself does."""
    sys.path.insert(0, str(Path.cwd()))
    try:
        yield
    finally:
        sys.path.pop(0)


def _command(options: argparse.Namespace) -> str:
    """What to type to make this audit again."""
    kind = [] if options.method in methods() or options.kind is None else [options.kind]
    words = ["tacita", "audit", options.method, *kind, "--seed", str(options.seed)]
    words += [] if options.epsilon is None else ["--epsilon", options.epsilon]
    words += [] if options.delta is None else ["--delta", options.delta]
    given = _given(options)
    if options.input is not None:
        given |= {"input": options.input, "neighbours": options.neighbours}
    for name, value in given.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", ",".join(map(str, value)) if isinstance(value, tuple) else str(value)]
    return shlex.join([*words, *(["--quick"] if options.quick else [])])


def _everything(options: argparse.Namespace) -> Iterator[Check]:
    """All methods and their variants, the samplers and the controls, as many at a time as there are cores."""
    from tacita.auditing import (
        FULL,
        QUICK,
        audit_auditor,
        audit_foreign,
        audit_mechanism,
        audit_verified,
        side_by_side,
        subject_named,
        unwatched,
    )

    effort = QUICK if options.quick else FULL
    parts: list[Callable[[], Iterable[Check]]] = []
    for name, method in methods().items():
        if kind_of(method).case is None:
            warn(f"{name} is not audited: the kind {method.kind} registers no small data sets; its own tests replay it")
            continue
        if not method.promise.takes_epsilon:
            parts.append(partial(audit_verified, method, None, effort=effort, watch=unwatched, seed=options.seed))
            continue
        parts.append(partial(audit_foreign, name, effort=effort, watch=unwatched, seed=options.seed))
        subject = subject_named(name)
        budget = subject.budget(options.epsilon)
        parts += [
            partial(audit_mechanism, variant, budget, effort=effort, watch=unwatched, seed=options.seed)
            for variant in subject.variants
        ]
    parts += audit_auditor(effort=effort)
    with progress_bar("audit of everything") as progress:
        for done, checks in enumerate(side_by_side(parts), start=1):
            yield from checks
            progress(done, len(parts))


def _file_of(choices: Choices) -> tuple[Callable[[Path], object], Path] | None:
    """How the private file is read, and the file, if its neighbours can be written row by row."""
    from tacita.auditing.file_rows import has_rows
    from tacita.io import STANDARD_INPUT

    source = choices.options.input
    # When a person of a stream is active may be public, so a row more or less makes no neighbour there.
    if source is None or source == STANDARD_INPUT or choices.kind.name == "streams" or not has_rows(Path(source)):
        return None
    return (lambda path: choices.read(str(path), choices.public, name="the file")), Path(source)


def _real_records(choices: Choices) -> object | None:
    from tacita.io import STANDARD_INPUT

    options = choices.options
    if options.input is None:
        return None
    needed = "universe" in {option.field_name for option in choices.kind.public_options}
    if needed and choices.public.universe is None:
        message = "--input needs --universe"
        raise ParameterError(message)
    name = "standard input" if options.input == STANDARD_INPUT else None
    records: object = choices.records(choices.public, name=name)
    return records
