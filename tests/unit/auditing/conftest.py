"""What the tests of the auditor share."""

import pytest


@pytest.fixture(autouse=True)
def _quickly(request):
    """Slow tests audit as a user does."""
    if not request.node.get_closest_marker("slow"):
        request.getfixturevalue("few_replays")
