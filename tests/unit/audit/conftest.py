"""What the tests of the auditor share."""

import pytest


@pytest.fixture(autouse=True)
def _few_replays(request, monkeypatch):
    """Audits of the default run replay fewer runs of a pair and crowds of fewer sizes than those of a user, or of a slow test."""
    if not request.node.get_closest_marker("slow"):
        monkeypatch.setattr("tacita.audit.exact_replay.FEWEST_TIGHT_RUNS", 4)
        monkeypatch.setattr("tacita.audit.exact_replay.ROUND_NUMBERS", (10, 1000))
