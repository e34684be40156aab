"""What the papers compare with and print: eight baselines, and the experiments of `tacita reproduce`.

    from tacita_papers import TopFilter

Names are loaded when they are first used: Tacita reads the registrations of this package at every start.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacita_papers.baselines.frequent_strings import FrequentStrings
    from tacita_papers.baselines.networks import DegreeGenerator, LaplaceNetwork, RandomNetwork, TopFilter
    from tacita_papers.baselines.privgraph import PrivGraph
    from tacita_papers.baselines.streams import BinaryTree, BudgetAbsorption

__all__ = [
    "BinaryTree",
    "BudgetAbsorption",
    "DegreeGenerator",
    "FrequentStrings",
    "LaplaceNetwork",
    "PrivGraph",
    "RandomNetwork",
    "TopFilter",
]

_HOMES = {
    "BinaryTree": "streams",
    "BudgetAbsorption": "streams",
    "DegreeGenerator": "networks",
    "FrequentStrings": "frequent_strings",
    "LaplaceNetwork": "networks",
    "PrivGraph": "privgraph",
    "RandomNetwork": "networks",
    "TopFilter": "networks",
}


def __getattr__(name: str) -> object:
    """Load a public name from its module."""
    if name not in _HOMES:
        message = f"module 'tacita_papers' has no attribute {name!r}"
        raise AttributeError(message)
    found: object = getattr(import_module(f"tacita_papers.baselines.{_HOMES[name]}"), name)
    return found


def __dir__() -> list[str]:
    """The public names."""
    return sorted(_HOMES)
