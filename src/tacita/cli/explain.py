"""`tacita explain`: where a budget would go. Touches no data and spends nothing."""

from __future__ import annotations

import argparse

from tacita.cli.choices import chosen_method, chosen_universe
from tacita.cli.screen import say, say_json
from tacita.core.budget import PureDP

__all__ = ["run"]


def run(options: argparse.Namespace) -> None:
    """Print the explanation."""
    explanation = chosen_method(options).explain(PureDP(options.epsilon), universe=chosen_universe(options))
    if options.json:
        say_json("tacita-explain-1", explanation.as_json())
    else:
        say(str(explanation))
