"""What one person can change in a run of any mechanism, for neighbouring pairs that hypothesis finds."""

from math import isinf

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mechanisms import CASES
from same_noise import IS_SAME
from tacita.auditing import record, replay, transcript_loss

EXAMPLES = 10 if IS_SAME else 50
"""Fewer in the default run, where every variant is also replayed on small data and its cost is summed exactly."""


COMPOSED = [case for case in CASES if case.name == "by-class"]
"""Methods that run others, which are tried by themselves: each example takes as long as many of theirs."""

FEWER = 3 if IS_SAME else EXAMPLES


def name_of(case):
    return f"{case.name}-{case.budget.epsilon}"


@pytest.mark.parametrize("case", [case for case in CASES if case not in COMPOSED], ids=name_of)
@given(data=st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_no_transcript_loses_more_than_epsilon(case, data):
    """Where there is a delta, a loss may be infinite with that probability: one in a billion, which no run here should see."""
    require_no_loss_above_epsilon(case, *data.draw(case.kind.pairs))


@pytest.mark.parametrize("case", COMPOSED, ids=name_of)
@given(data=st.data())
@settings(max_examples=FEWER, deadline=None, suppress_health_check=[HealthCheck.differing_executors])
def test_no_transcript_of_a_method_that_runs_others_loses_more_than_epsilon(case, data):
    require_no_loss_above_epsilon(case, *data.draw(case.kind.pairs))


def require_no_loss_above_epsilon(case, fewer, more):
    for recorded_on in (fewer, more):
        transcript = record(case.mechanism, recorded_on, budget=case.budget)
        traces = [replay(case.mechanism, side, budget=case.budget, transcript=transcript) for side in (fewer, more)]
        loss = abs(transcript_loss(transcript, *traces))
        assert not isinf(loss)
        assert loss <= float(case.budget.epsilon) + 1e-9
