"""The audit of a method whose releases are verified: the bound is kept, and the check would notice if it were not.

Random small data sets are published. Each release is checked again from outside, by the check of the kind's case. A check that
never refuses anything proves nothing, so it is also given the raw records themselves, and must refuse some of them.
"""

from __future__ import annotations

from typing import Any

from tacita.audit.product import Effort, Watch
from tacita.audit.verdict import Check
from tacita.errors import ParameterError, TacitaError
from tacita.kinds import Method, kind_of, load
from tacita.seeded import public_generator

__all__ = ["audit_verified"]


def audit_verified(method: Method, mechanism: Any, *, effort: Effort, watch: Watch, seed: int = 0) -> list[Check]:  # noqa: ANN401
    """Publish random small data sets and check each release; without a mechanism, the case supplies its own variants."""
    kind = kind_of(method)
    if kind.case is None:
        message = f"the kind {kind.name} registers no small data sets, so {method.name} cannot be audited"
        raise ParameterError(message)
    make = load(kind.case)
    variants = {method.name: mechanism} if mechanism is not None else make.variants(method.name)
    checks = []
    for name, each in variants.items():
        with watch(f"{name}: verification") as progress:
            checks.append(_audited(make(name=name, mechanism=each, budget=None), effort.data_sets, seed, progress))
    return checks


def _audited(case: Any, data_sets: int, seed: int, progress: Any) -> Check:  # noqa: ANN401 - the case of any kind
    generator = public_generator(seed)
    published = refused = 0
    findings: list[str] = []
    for turn in range(data_sets):
        records = case.records(case.random_rows(generator))
        try:
            release = case.mechanism.publish(records)
        except TacitaError:
            continue  # refusing to publish keeps every bound
        published += 1
        findings += [f"data set {turn}: {finding}" for finding in case.violations(release.data)]
        refused += bool(case.violations(case.unprotected(records)))
        progress(turn + 1, data_sets)
    if not published:
        findings.append("nothing was published, so nothing is proved")
    elif not refused:
        findings.append("the check also passed all raw records, so it proves nothing")
    fine = f"{published} releases of {data_sets} small data sets keep the bound; {refused} raw data sets would not"
    return Check(
        subject=case.name,
        test="verification",
        passed=not findings,
        summary="; ".join(findings[:1]) or fine,
        evidence=(*findings, fine),
        reproduce=f"audit_verified(..., seed={seed})",
        figures={"published": float(published), "refused": float(refused)},
    )
