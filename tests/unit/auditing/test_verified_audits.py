"""The audit of verified methods: every variant of trajectories and tables keeps its bound, and broken ones are caught."""

from dataclasses import replace

import numpy as np
import pytest

import tacita.tables.verified as tables_verified
import tacita.trajectories.suppression as suppression_module
from tacita.auditing.product import Effort, audit_verified
from tacita.cli.screen import progress_bar
from tacita.kinds import Promise, kind_of, methods
from tacita.trajectories.verification import Verdict

LINKAGE = [
    method
    for method in methods().values()
    if method.promise is Promise.VERIFIED and kind_of(method).name in {"trajectories", "tables"}
]
FEW = Effort(data_sets=12, output_runs=1, black_box_runs=1, sampler_draws=1)


def audited(method):
    return audit_verified(method, None, effort=FEW, watch=progress_bar)


@pytest.mark.parametrize("method", LINKAGE, ids=lambda method: method.name)
def test_every_variant_keeps_its_bound_and_raw_records_do_not(method):
    for check in audited(method):
        assert check.passed, check.summary
        assert check.figures["refused"] > 0


def suppression():
    return methods()["suppression"]


def test_a_suppression_that_keeps_everything_is_caught_even_if_the_check_is_asleep(monkeypatch):
    monkeypatch.setattr(suppression_module, "pack", lambda columns, *_, **__: np.ones(columns.pairs.size, dtype=np.bool_))
    asleep = lambda *_, **__: Verdict(sets=0, violating=0)  # noqa: E731
    monkeypatch.setattr(suppression_module, "verify_published", asleep)
    packing = [check for check in audited(suppression()) if "packing" in check.subject]
    assert not any(check.passed for check in packing)


def test_a_partition_of_single_rows_is_caught_even_if_the_check_is_asleep(monkeypatch):
    part = tables_verified.partition_rows

    def alone(schema, quasi, *rest, **named):
        found, rows = part(schema, quasi, *rest, **named), np.arange(quasi[0].size)
        places = np.stack(quasi, axis=1)
        return replace(found, lows=places, highs=places + 1, group_of=rows, listed={})

    monkeypatch.setattr(tables_verified, "partition_rows", alone)
    monkeypatch.setattr(tables_verified, "verify_table", lambda *_, **__: None)
    (check,) = audited(methods()["mondrian"])
    assert not check.passed
    assert "violate a model" in check.summary
