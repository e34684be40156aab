"""`ta.audit`: whether a method of any kind keeps its promise, as `tacita audit` checks it."""

from __future__ import annotations

from collections.abc import Iterable

from tacita.auditing.cases.case import Variant
from tacita.auditing.product import FULL, QUICK, audit_mechanism, audit_method, audit_verified, subject_named, unwatched
from tacita.auditing.verdict import AuditReport, Check
from tacita.errors import ParameterError
from tacita.kinds.arguments import asked_for, given_arguments, in_python, is_true
from tacita.privacy.budget import Exact, decimal_text, exact
from tacita.public.parameters import whole_number

__all__ = ["audit"]


@in_python()
def audit(
    method: str | object,
    /,
    *,
    epsilon: Exact = 1,
    delta: Exact | None = None,
    quick: bool = False,
    seed: int = 0,
    **parameters: object,
) -> AuditReport:
    """Check a method by name, in all its variants, or with the parameters given; what is found is for the owner's eyes only.

    A private method is replayed on neighbours, its releases are compared with their exact law, and epsilon is bounded from
    outside; releases of a verified one are checked again. `quick` repeats less. Something of your own, which is no method, is
    for `ta.auditing.audit_any`.
    """
    asked = asked_for(None, method)
    if asked.method is None:
        message = "name the method to audit, such as 'prefix-tree', or give one with its parameters"
        raise ParameterError(message)
    effort = QUICK if is_true(quick, "quick") else FULL
    seed = whole_number(seed, name="seed=", least=0)
    name, given = asked.method.name, given_arguments(asked, {}, parameters)
    budget = decimal_text(exact(epsilon, name="epsilon="))
    checks: Iterable[Check]
    if not asked.method.promise.takes_epsilon:
        mechanism = asked.wanted(given).mechanism if given or asked.made is not None else None
        checks = audit_verified(asked.method, mechanism, effort=effort, watch=unwatched, seed=seed)
    elif not given and asked.made is None and delta is None:
        checks = audit_method(name, subject_named(name).budget(budget), effort=effort, watch=unwatched, seed=seed)
    else:
        wanted = asked.wanted(given, epsilon=epsilon, delta=delta)
        if wanted.budget is None:
            message = f"{name} spends no budget, so there is none to audit"
            raise ParameterError(message)
        variant = Variant(name=name, mechanism=wanted.mechanism, intervals=1 if wanted.public.grid is None else 2)
        checks = audit_mechanism(variant, wanted.budget, effort=effort, watch=unwatched, seed=seed)
    return AuditReport(title=f"Audit of {name}", checks=tuple(checks))
