"""Attacks on raw and published data: what somebody who knows a little can find out. Results are for the owner only.

An attack is a frozen dataclass of what the attacker knows, with one verb, `assess`, that gives an `Assessment`.
"""

from tacita.attacks.composition import Composition
from tacita.attacks.edges import EdgeGuess
from tacita.attacks.linkage import Linkage
from tacita.attacks.membership import Membership
from tacita.attacks.minimality import Minimality
from tacita.attacks.result import OWNER_ONLY, Assessment, Figure
from tacita.attacks.uniqueness import PointUniqueness

__all__ = [
    "OWNER_ONLY",
    "Assessment",
    "Composition",
    "EdgeGuess",
    "Figure",
    "Linkage",
    "Membership",
    "Minimality",
    "PointUniqueness",
]
